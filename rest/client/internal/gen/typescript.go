package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// typescriptTypes writes the schemas and the events.
func typescriptTypes(a *api) []byte {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "// %s\n", notice)
	for _, s := range a.Schemas {
		b.WriteByte('\n')
		jsdoc(b, "", s.Description)
		if s.Type != "object" {
			fmt.Fprintf(b, "export type %s = %s;\n", s.Name, s.typescript())
			continue
		}
		if len(s.Properties) == 0 {
			fmt.Fprintf(b, "export type %s = Record<string, unknown>%s;\n", s.Name, orNull(s.schema))
			continue
		}
		if s.Null {
			fmt.Fprintf(b, "export type %s = %s | null;\n", s.Name, "{\n"+fields(s.Properties)+"}")
			continue
		}
		fmt.Fprintf(b, "export interface %s {\n%s}\n", s.Name, fields(s.Properties))
	}
	b.WriteByte('\n')
	jsdoc(b, "", "What data.object of an event is, by the event's type.")
	b.WriteString("export interface EventObjects {\n")
	for _, e := range a.Events {
		fmt.Fprintf(b, "  %q: %s;\n", e.Type, e.Object)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// fields writes the members of an object.
func fields(properties []property) string {
	b := &bytes.Buffer{}
	for _, p := range properties {
		jsdoc(b, "  ", p.Description)
		optional := "?"
		if p.Required {
			optional = ""
		}
		fmt.Fprintf(b, "  %s%s: %s;\n", p.Name, optional, p.typescript())
	}
	return b.String()
}

// jsdoc writes a comment.
func jsdoc(b *bytes.Buffer, indent, text string) {
	if text == "" {
		return
	}
	lines := wrapped(text, 110-len(indent))
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		fmt.Fprintf(b, "%s * %s\n", indent, line)
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

func orNull(s *schema) string {
	if s.Null {
		return " | null"
	}
	return ""
}

// typescript returns the TypeScript type of a value.
func (s *schema) typescript() string {
	switch {
	case s.Ref != "":
		return s.Ref + orNull(s)
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			quoted[i] = strconv.Quote(value)
		}
		return strings.Join(quoted, " | ") + orNull(s)
	case s.Type == "array":
		inner := s.Items.typescript()
		if strings.Contains(inner, " ") {
			inner = "(" + inner + ")"
		}
		return inner + "[]" + orNull(s)
	case s.Type == "integer" || s.Type == "number":
		return "number" + orNull(s)
	case s.Type == "boolean":
		return "boolean" + orNull(s)
	case s.Type == "object":
		return "Record<string, unknown>" + orNull(s)
	}
	return "string" + orNull(s)
}

// typescriptOperations writes a method for each operation, and one that walks each list.
func typescriptOperations(a *api) []byte {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "// %s\n\nimport type * as api from \"./types.js\";\n", notice)
	for _, o := range a.Operations {
		if len(o.Query) == 0 {
			continue
		}
		b.WriteByte('\n')
		jsdoc(b, "", "The query parameters of "+o.ID+".")
		fmt.Fprintf(b, "export interface %s {\n%s}\n", o.queryType(), qualified(fields(o.Query), o.Query))
	}
	b.WriteString(typescriptBase)
	for _, o := range a.Operations {
		b.WriteByte('\n')
		o.method(b)
		if o.Item != "" {
			b.WriteByte('\n')
			o.walk(b)
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

const typescriptBase = `
/** What a caller may say about one call. */
export interface CallOptions {
  /** Ends the call, retries too. */
  signal?: AbortSignal;
}

/** What a caller may say about one write. */
export interface WriteOptions extends CallOptions {
  /** Names the write, so that it takes effect once. A new one is made for each call where it is not given. */
  idempotencyKey?: string;
}

/** One request of the API. */
export interface Call {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: object;
  body?: unknown;
  options?: WriteOptions;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** The rows of the API. */
export abstract class Operations {
  /** Makes a request and answers with what came back. */
  protected abstract call<T>(call: Call): Promise<T>;

  /** Walks a list, page after page. */
  protected abstract walk<T>(call: Call): AsyncGenerator<T, void, undefined>;
`

func (o operation) queryType() string { return strings.ToUpper(o.ID[:1]) + o.ID[1:] + "Query" }

// qualified prefixes the schemas with their module.
func qualified(fields string, properties []property) string {
	for _, p := range properties {
		if p.Ref != "" {
			fields = strings.ReplaceAll(fields, ": "+p.Ref, ": api."+p.Ref)
		}
	}
	return fields
}

// parts returns the method's parameters and the arguments that it passes on.
func (o operation) parts() (arguments []string, call string) {
	path := o.Path
	for _, p := range o.Params {
		arguments = append(arguments, p.Name+": "+qualified(": "+p.typescript(), []property{p})[2:])
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "${encodeURIComponent("+p.Name+")}")
	}
	call = "{ method: " + strconv.Quote(o.Method) + ", path: `" + path + "`"
	if o.Body != "" {
		arguments = append(arguments, "body: api."+o.Body)
		call += ", body"
	}
	if len(o.Query) > 0 {
		arguments = append(arguments, "query: "+o.queryType()+" = {}")
		call += ", query"
	}
	if o.Method == http.MethodGet {
		return append(arguments, "options: CallOptions = {}"), call + ", options }"
	}
	return append(arguments, "options: WriteOptions = {}"), call + ", options }"
}

func (o operation) method(b *bytes.Buffer) {
	arguments, call := o.parts()
	result := "void"
	if o.Result != "" {
		result = "api." + o.Result
	}
	jsdoc(b, "  ", o.sentence())
	fmt.Fprintf(b, "  %s(%s): Promise<%s> {\n    return this.call(%s);\n  }\n", o.ID, strings.Join(arguments, ", "), result, call)
}

func (o operation) walk(b *bytes.Buffer) {
	arguments, call := o.parts()
	name := strings.TrimPrefix(o.ID, "list")
	jsdoc(b, "  ", "Walks what "+o.ID+" lists, page after page.")
	fmt.Fprintf(b, "  %s(%s): AsyncGenerator<api.%s, void, undefined> {\n    return this.walk(%s);\n  }\n",
		strings.ToLower(name[:1])+name[1:], strings.Join(arguments, ", "), o.Item, call)
}
