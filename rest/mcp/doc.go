// Package mcp offers the routes of the API as tools of the Model Context Protocol, so that agents
// can call them. Names, texts and inputs of the tools are those of the OpenAPI document. Each call
// becomes an ordinary API request, so the API decides what it may do, costs and answers.
package mcp
