package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// api is the document as the clients need it.
type api struct {
	Schemas    []named     // in document order
	Operations []operation // in document order
	Events     []event
}

type named struct {
	Name string
	*Schema
}

// Schema is the type of a value.
type Schema struct {
	Ref         string // the name of a schema of the components
	Type        string // as in JSON Schema; empty with Ref
	Null        bool   // or null
	Enum        []string
	Items       *Schema
	Properties  []property
	Description string
}

type property struct {
	Name     string
	Required bool
	*Schema
}

type operation struct {
	ID, Method, Path string
	Summary, Scope   string
	Params           []property // of the path
	Query            []property
	Body             string // the schema's name, or empty
	Result           string // the schema's name, or empty if there is no answer
	Item             string // the schema of a list's items, or empty
	Description      string
}

// event is a webhook event and the schema of its data.object.
type event struct{ Type, Object string }

func read(raw []byte) (*api, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	doc := &reader{root.Content[0]}
	a := &api{}
	for name, node := range members(at(doc.root, "components", "schemas")) {
		a.Schemas = append(a.Schemas, named{name, doc.schema(node)})
	}
	for path, item := range members(at(doc.root, "paths")) {
		for method, op := range members(item) {
			if at(op, "operationId") == nil {
				continue
			}
			o, err := doc.operation(path, method, item, op)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			a.Operations = append(a.Operations, o)
		}
	}
	for name, item := range members(at(doc.root, "webhooks")) {
		a.Events = append(a.Events, event{name, doc.object(item)})
	}
	return a, nil
}

type reader struct{ root *yaml.Node }

// members yields the names and values of a mapping, in its order.
func members(n *yaml.Node) func(func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// at follows member names; it returns nil if one is missing.
func at(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		var next *yaml.Node
		for member, value := range members(n) {
			if member == name {
				next = value
			}
		}
		n = next
	}
	return n
}

func text(n *yaml.Node, path ...string) string {
	if n = at(n, path...); n == nil {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

func list(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

func (d *reader) deref(n *yaml.Node) *yaml.Node {
	ref := text(n, "$ref")
	if ref == "" {
		return n
	}
	return d.deref(at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
}

func refName(n *yaml.Node) string {
	ref := text(n, "$ref")
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// schema reads a schema; references stay names.
func (d *reader) schema(n *yaml.Node) *Schema {
	s := &Schema{Ref: refName(n), Description: text(n, "description")}
	for _, one := range list(at(n, "oneOf")) { // the document uses only one schema or null
		if text(one, "type") == "null" {
			s.Null = true
		} else {
			s.Ref = refName(one)
		}
	}
	if s.Ref != "" {
		return s
	}
	s.Type = text(n, "type")
	for _, one := range list(at(n, "type")) {
		if one.Value == "null" {
			s.Null = true
		} else {
			s.Type = one.Value
		}
	}
	for _, value := range list(at(n, "enum")) {
		if value.Tag != "!!null" {
			s.Enum = append(s.Enum, value.Value)
		}
	}
	if items := at(n, "items"); items != nil {
		s.Items = d.schema(items)
	}
	var required []string
	for _, name := range list(at(n, "required")) {
		required = append(required, name.Value)
	}
	for name, value := range members(at(n, "properties")) {
		s.Properties = append(s.Properties, property{name, slices.Contains(required, name), d.schema(value)})
	}
	return s
}

func (d *reader) operation(path, method string, item, op *yaml.Node) (o operation, err error) {
	o = operation{ID: text(op, "operationId"), Method: strings.ToUpper(method), Path: path,
		Summary: text(op, "summary"), Description: text(op, "description")}
	for _, way := range list(at(op, "security")) {
		for _, name := range list(at(way, "oauth2")) {
			o.Scope = name.Value
		}
	}
	for _, raw := range slices.Concat(list(at(item, "parameters")), list(at(op, "parameters"))) {
		p := d.deref(raw)
		s := d.schema(at(p, "schema"))
		s.Description = text(p, "description")
		switch name := text(p, "name"); text(p, "in") {
		case "path":
			o.Params = append(o.Params, property{name, true, s})
		case "query":
			o.Query = append(o.Query, property{name, false, s})
		}
	}
	o.Body = refName(at(op, "requestBody", "content", "application/json", "schema"))
	if at(op, "requestBody") != nil && o.Body == "" {
		return o, fmt.Errorf("its body has no name")
	}
	for status, answer := range members(at(op, "responses")) {
		if strings.HasPrefix(status, "2") {
			o.Result = refName(at(answer, "content", "application/json", "schema"))
		}
	}
	if o.Result != "" && o.Reads() {
		o.Item = refName(at(d.root, "components", "schemas", o.Result, "properties", "data", "items"))
	}
	return o, nil
}

// object returns the schema of an event's data.object.
func (d *reader) object(item *yaml.Node) string {
	for _, part := range list(at(item, "post", "requestBody", "content", "application/json", "schema", "allOf")) {
		if data := at(part, "properties", "data"); data != nil {
			return refName(at(d.deref(data), "properties", "object"))
		}
	}
	return ""
}

// PlainFirst returns the schemas, plain types first: Python uses them while it loads the module.
func (a *api) PlainFirst() []named {
	out := slices.Clone(a.Schemas)
	slices.SortStableFunc(out, func(x, y named) int {
		switch {
		case x.Object() == y.Object():
			return 0
		case x.Object():
			return 1
		}
		return -1
	})
	return out
}

func (s named) Object() bool { return s.Type == "object" && len(s.Properties) > 0 }

// Keywords reports whether a member has the name of a Python keyword: it must be a string.
func (s named) Keywords() bool {
	keywords := []string{"in", "not", "from", "is", "or", "and", "class", "def", "del", "for", "if", "with"}
	return slices.ContainsFunc(s.Properties, func(p property) bool { return slices.Contains(keywords, p.Name) })
}

// Sentence describes an operation.
func (o operation) Sentence() string {
	return o.Summary + ". " + o.Description + " Needs the scope `" + o.Scope + "`."
}

// Of returns what a list operation lists: Orders of listOrders.
func (o operation) Of() string { return strings.TrimPrefix(o.ID, "list") }

// Reads reports whether the operation changes nothing.
func (o operation) Reads() bool { return o.Method == http.MethodGet }

// In returns the path with each parameter between two texts.
func (o operation) In(before, after string) string {
	return strings.NewReplacer("{", before, "}", after).Replace(o.Path)
}

func snake(name string) string {
	var out []rune
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out = append(out, '_')
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}

// wrapped breaks a text into lines of at most width characters.
func wrapped(s string, width int) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
