package mcp

import "encoding/json"

// RequestOf is what a tool makes of arguments.
func RequestOf(t *Tool, arguments json.RawMessage) (*Request, error) { return t.request(arguments) }
