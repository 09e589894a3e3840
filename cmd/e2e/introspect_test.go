package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// served is the schema as the server describes it.
type served struct{ types map[string]*typeOf }

type typeOf struct {
	Name        string
	Kind        string
	Fields      []fieldOf
	InputFields []valueOf
	EnumValues  []struct{ Name string }
}

type fieldOf struct {
	Name string
	Args []valueOf
	Type ref
}

type valueOf struct {
	Name         string
	Type         ref
	DefaultValue *string
}

type ref struct {
	Kind   string
	Name   string
	OfType *ref
}

// named is the type inside lists and non-nulls.
func (r ref) named() string {
	for r.OfType != nil {
		r = *r.OfType
	}
	return r.Name
}

func (p *program) introspect(t *testing.T, token string) *served {
	t.Helper()
	const typ = `type{kind name ofType{kind name ofType{kind name ofType{kind name}}}}`
	var data struct {
		Schema struct{ Types []*typeOf } `json:"__schema"`
	}
	p.graphql(t, token, `{__schema{types{name kind enumValues{name} inputFields{name defaultValue `+typ+`}
		fields{name `+typ+` args{name defaultValue `+typ+`}}}}}`, nil, &data)
	s := &served{map[string]*typeOf{}}
	for _, typ := range data.Schema.Types {
		s.types[typ.Name] = typ
	}
	return s
}

// takesID reports whether an argument, or a member of an input, is an id.
func (s *served) takesID(f fieldOf) bool {
	return slices.ContainsFunc(f.Args, s.isID)
}

func (s *served) isID(v valueOf) bool {
	if v.Type.named() == "ID" {
		return true
	}
	return slices.ContainsFunc(s.types[v.Type.named()].InputFields, s.isID)
}

// document writes an operation with one field, whose ids are those of things and whose other
// required arguments are any valid values.
func (s *served) document(root string, f fieldOf, of things) string {
	var args []string
	for _, a := range f.Args {
		if s.wanted(a) {
			args = append(args, a.Name+":"+s.value(f.Name, a, of))
		}
	}
	return fmt.Sprintf("%s{%s(%s)%s}", strings.ToLower(root), f.Name,
		strings.Join(args, ","), s.selection(f.Type.named()))
}

// wanted reports whether a value is required, or is an optional id.
func (s *served) wanted(v valueOf) bool {
	return v.Type.Kind == "NON_NULL" && v.DefaultValue == nil || s.isID(v)
}

// value writes a literal.
func (s *served) value(field string, v valueOf, of things) string {
	inner := v.Type
	list := false
	for ; inner.OfType != nil; inner = *inner.OfType {
		list = list || inner.Kind == "LIST"
	}
	text := s.single(field, v.Name, inner.Name, of)
	if list {
		return "[" + text + "]"
	}
	return text
}

func (s *served) single(field, name, typ string, of things) string {
	switch typ {
	case "ID":
		return fmt.Sprintf("%q", idFor(field, name, of))
	case "String":
		return `"x"`
	case "Boolean":
		return "false"
	case "Time":
		return `"2024-01-01T00:00:00Z"`
	case "Int", "Long", "Money":
		return "1"
	}
	input := s.types[typ]
	if input.Kind == "ENUM" {
		return input.EnumValues[0].Name
	}
	var members []string
	for _, m := range input.InputFields {
		if s.wanted(m) && m.Type.named() != typ { // links below a link
			members = append(members, m.Name+":"+s.value(field, m, of))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// idFor chooses the id for an argument by its name or, for "id", by that of its field.
func idFor(field, name string, of things) string {
	subject := strings.ToLower(name)
	if name == "id" {
		subject = strings.ToLower(field)
	}
	switch {
	case strings.HasPrefix(subject, "order"), strings.HasPrefix(subject, "lineitem"):
		return of.Orders.first()
	case strings.HasPrefix(subject, "product"):
		return of.Products.first()
	case strings.HasPrefix(subject, "customer"):
		return of.Customers.first()
	case strings.HasPrefix(subject, "apikey"):
		return of.APIKeys.first()
	case strings.HasPrefix(subject, "stafftoken"):
		return of.StaffTokens.first()
	case strings.HasPrefix(subject, "staff"):
		return of.Staff.first()
	}
	return "unknown-kind-" + field + "-" + name
}

// selection selects enough fields to see whether anything was returned.
func (s *served) selection(typ string) string {
	var names []string
	for _, f := range s.types[typ].Fields {
		switch f.Name {
		case "id":
			names = append(names, "id")
		case "nodes":
			names = append(names, "nodes{id}")
		case "userErrors":
			names = append(names, "userErrors{code message path}")
		}
	}
	return "{" + strings.Join(names, " ") + "}"
}
