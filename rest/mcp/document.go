package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// methods are those of the API's rows, in the order of a path's tools.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

type object = map[string]any

// Tools returns a tool for each operation of an OpenAPI document in JSON, by path.
func Tools(document []byte) ([]*Tool, error) {
	var root object
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, fmt.Errorf("mcp: read the document: %w", err)
	}
	d := reader{root}
	paths, _ := root["paths"].(object)
	var tools []*Tool
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(object)
		for _, method := range methods {
			op, ok := item[strings.ToLower(method)].(object)
			if !ok {
				continue
			}
			t, err := d.tool(method, path, item, op)
			if err != nil {
				return nil, fmt.Errorf("mcp: %s %s: %w", method, path, err)
			}
			tools = append(tools, t)
		}
	}
	if len(tools) == 0 {
		return nil, errors.New("mcp: the document has no operations")
	}
	return tools, nil
}

type reader struct{ root object }

func (d reader) tool(method, path string, item, op object) (*Tool, error) {
	t := &Tool{method: method, path: path, scope: scopeOf(op), places: map[string]place{}}
	if t.scope == "" {
		return nil, errors.New("it names no scope")
	}
	input := object{"type": "object", "additionalProperties": false}
	properties, required := object{}, []any{}
	for _, raw := range slices.Concat(list(item["parameters"]), list(op["parameters"])) {
		name, schema, at, needed := d.parameter(raw)
		if at == 0 {
			continue
		}
		properties[name], t.places[name] = schema, at
		if needed {
			required = append(required, name)
		}
	}
	body := d.body(op)
	for name, schema := range child(body, "properties") {
		if t.places[name] != 0 {
			return nil, fmt.Errorf("%s is an argument twice", name)
		}
		properties[name], t.places[name], t.bodied = schema, inBody, true
	}
	input["properties"], input["required"] = properties, append(required, list(body["required"])...)
	title, _ := op["summary"].(string)
	id, _ := op["operationId"].(string)
	description, _ := op["description"].(string)
	answer := d.answer(op)
	if method != http.MethodGet {
		undescribed(answer) // the tool that reads the resource describes it
	}
	return t, define(id, title, strings.TrimSpace(description), input, answer, t)
}

// parameter reads a parameter; at is zero for those that are not arguments.
func (d reader) parameter(raw any) (name string, schema object, at place, needed bool) {
	p := d.deref(raw)
	name, _ = p["name"].(string)
	needed, _ = p["required"].(bool)
	switch p["in"] {
	case "path":
		at = inPath
	case "query":
		at = inQuery
	case "header":
		if name != "Idempotency-Key" {
			return "", nil, 0, false
		}
		name, at = keyArgument, inKey
	}
	schema, _ = d.plain(p["schema"]).(object)
	schema = maps.Clone(schema)
	schema["description"] = p["description"]
	return name, schema, at, needed
}

// body returns the schema of the request body, empty if there is none.
func (d reader) body(op object) object {
	content := child(d.deref(op["requestBody"]), "content")
	schema, _ := d.plain(child(content, "application/json")["schema"]).(object)
	return schema
}

// answer returns the schema of the successful answer; [done] if it has no body.
func (d reader) answer(op object) object {
	responses := child(op, "responses")
	for _, status := range []string{"200", "201", "202"} {
		content := child(d.deref(responses[status]), "content")
		if schema, ok := d.plain(child(content, "application/json")["schema"]).(object); ok {
			return schema
		}
	}
	return object{"type": "object", "required": []any{"status"}, "properties": object{
		"status": object{"type": "integer", "description": "The HTTP status. 204 means that it is done."}}}
}

// undescribed removes the descriptions of a schema and its parts, but no member named description.
func undescribed(schema any) {
	switch v := schema.(type) {
	case []any:
		for _, part := range v {
			undescribed(part)
		}
	case object:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for _, part := range v {
			undescribed(part)
		}
	}
}

// plain returns a schema with its references resolved and without examples, which would only fill
// an agent's memory.
func (d reader) plain(schema any) any {
	switch v := schema.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = d.plain(v[i])
		}
		return out
	case object:
		out := object{}
		for name, inner := range d.deref(v) {
			switch name {
			case "example", "examples":
			case "properties":
				out[name] = d.members(inner)
			default:
				out[name] = d.plain(inner)
			}
		}
		return out
	}
	return schema
}

// members returns the schemas of an object's members. Member names are kept as they are.
func (d reader) members(v any) object {
	out := object{}
	for name, schema := range child(object{"": v}, "") {
		out[name] = d.plain(schema)
	}
	return out
}

// deref resolves a reference within the document and keeps the keys beside it.
func (d reader) deref(v any) object {
	o, _ := v.(object)
	ref, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	at := d.root
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at = child(at, step)
	}
	out := maps.Clone(d.deref(at))
	for name, beside := range o {
		if name != "$ref" {
			out[name] = beside
		}
	}
	return out
}

func scopeOf(op object) string {
	for _, way := range list(op["security"]) {
		w, _ := way.(object)
		if names := list(w["oauth2"]); len(names) == 1 {
			name, _ := names[0].(string)
			return name
		}
	}
	return ""
}

func child(o object, name string) object {
	inner, _ := o[name].(object)
	return inner
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
