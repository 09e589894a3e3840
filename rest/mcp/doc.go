// Package mcp offers the rows of the API as tools of the Model Context Protocol, so
// that agents can call them. Names, texts and inputs of the tools are those of the
// OpenAPI document; what a call may do, costs and answers is decided by the API, to
// which each call is a request like any other.
package mcp
