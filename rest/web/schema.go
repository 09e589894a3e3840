package web

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
)

// typeView names a type: Before and After are words around a link to a schema.
type typeView struct{ Before, Name, After string }

// property is one row of a schema's table.
type property struct {
	Name        string
	Type        typeView
	Required    bool
	Description template.HTML
	Limits      []string
	Values      []string
}

// schemaView is one component schema.
type schemaView struct {
	Name        string
	Type        typeView
	Description template.HTML
	Properties  []property
	Limits      []string
	Values      []string
}

func newSchema(name string, n node) schemaView {
	return schemaView{
		Name:        name,
		Type:        typeOf(n),
		Description: inline(n.get("description").text()),
		Properties:  properties(n),
		Limits:      limits(n),
		Values:      values(n),
	}
}

// properties lists the members of an object schema, in the document's order.
func properties(schema node) []property {
	schema = schema.deref()
	required := schema.get("required").texts()
	var out []property
	for name, p := range schema.get("properties").entries() {
		out = append(out, property{
			Name:     name,
			Type:     typeOf(p),
			Required: slices.Contains(required, name),
			// A sibling of a reference says more than what it refers to.
			Description: inline(cmp.Or(p.child("description").text(), p.get("description").text())),
			Limits:      inlineLimits(p),
			Values:      values(p),
		})
	}
	return out
}

// inlineLimits leaves limits out where the type is a link that shows them.
func inlineLimits(n node) []string {
	if n.ref() != "" {
		return nil
	}
	return limits(n)
}

// typeOf names the type of a schema; references to components become links.
func typeOf(n node) typeView {
	if ref := n.ref(); ref != "" {
		return typeView{Name: last(ref)}
	}
	for option := range n.child("oneOf").items() {
		if ref := option.ref(); ref != "" {
			return typeView{Name: last(ref), After: " or null"}
		}
	}
	types := n.child("type").texts()
	if len(types) > 0 && types[0] == "array" {
		item := typeOf(n.child("items"))
		item.Before = "array of " + item.Before
		if slices.Contains(types, "null") {
			item.After += " or null"
		}
		return item
	}
	text := strings.Join(types, " or ")
	if format := n.child("format").text(); format != "" {
		text += " (" + format + ")"
	}
	return typeView{Before: text}
}

// limits words the constraints of a schema.
func limits(n node) []string {
	var out []string
	for _, c := range []struct{ key, words string }{
		{"minLength", "at least %s characters"},
		{"maxLength", "at most %s characters"},
		{"minimum", "at least %s"},
		{"maximum", "at most %s"},
		{"minItems", "at least %s items"},
		{"maxItems", "at most %s items"},
		{"default", "default %s"},
		{"pattern", "matches %s"},
	} {
		v := n.child(c.key)
		switch {
		case c.key == "minLength" && v.text() == "1":
			out = append(out, "not empty")
		case v.present():
			out = append(out, strings.Replace(c.words, "%s", v.text(), 1))
		}
	}
	return out
}

// values lists what an enumeration allows, but null; through references too,
// since these few words save a jump.
func values(n node) []string {
	return slices.DeleteFunc(n.get("enum").texts(), func(s string) bool { return s == "null" || s == "" })
}
