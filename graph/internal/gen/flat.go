package main

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// The parts of gqlgen's output that flat parses. fieldOf captures an expression that may fail
// alone, and one that cannot fail with a nil error.
var (
	fieldOf = regexp.MustCompile(`(?m)^func \(ec \*executionContext\) _([A-Z]\w*)_(\w+)` +
		`\(ctx context\.Context, field graphql\.CollectedField, obj \*([\w.]+)\) \(ret graphql\.Marshaler\) \{
\treturn graphql\.ResolveField\(
\t\tctx,
\t\tec\.OperationContext,
\t\tfield,
\t\tec\.fieldContext_\w+,
\t\tfunc\(ctx context\.Context\) \(any, error\) \{
\t\t\treturn (obj(?:\.\w+)+(?:\(\))?)(, nil)?
\t\t\},
\t\tnil,
\t\tec\.(marshal[^,\s]+),
\t\t(?:true|false),
\t\t(?:true|false),
\t\)$`)
	marshalOf = regexp.MustCompile(`(?s)func \(ec \*executionContext\) (marshal[NO](\w+?)2[^\s(]*)` +
		`\(ctx context\.Context, sel ast\.SelectionSet, v (\S+)\) graphql\.Marshaler \{\n(.*?\n)\}\n`)
	nilIsNull = "\tif v == nil {\n\t\treturn graphql.Null\n\t}\n"
	scalarOf  = regexp.MustCompile(`(?m)^\tres := ((?:model|graphql)\.Marshal\w+)\((\*?)v\)$`)
	objectOf  = regexp.MustCompile(`(?m)^\treturn ec\._\w+\(ctx, sel, (&?)v\)$`)
	elementOf = regexp.MustCompile(`(?m)^\t+(?:ret\[i\] =|return) ec\.(marshal[^\s(]+)\(ctx, sel, v\[i\]\)$`)
)

// form describes the function that marshals a type of the schema.
type form struct {
	name, kind string // name of the function; name of the type
	value      string // the Go type
	optional   bool   // nil is null
	pointer    bool   // the value is a pointer to the marshaled value
	scalar     string // the function that marshals a scalar, or ""
	write      string // the statement that writes a scalar; %s is its value
	element    string // the function for each element, or ""
}

// flatField is a field that is written in place.
type flatField struct {
	name, expr string
	fails      bool
	form       form
}

// flatType is an object with its flat fields, in the order of the schema.
type flatType struct {
	name, value string
	fields      []flatField
}

// flat generates functions that write the objects of a list directly, without a marshaler per
// field. They serve objects whose selected fields all copy a value from an entity. It returns the
// source, in which lists try these functions first, the functions, and their table for tests.
func flat(src []byte, schema *ast.Schema) (out, functions, cases []byte, err error) {
	forms := formsOf(src, schema)
	types := map[string]*flatType{}
	for _, m := range fieldOf.FindAllSubmatch(src, -1) {
		f, known := forms[string(m[6])]
		if def := schema.Types[string(m[1])]; !known || def == nil || def.Kind != ast.Object || !writable(f, forms) {
			continue
		}
		t := types[string(m[1])]
		if t == nil {
			t = &flatType{name: string(m[1]), value: string(m[3])}
			types[t.name] = t
		}
		t.fields = append(t.fields, flatField{string(m[2]), string(m[4]), len(m[5]) == 0, f})
	}
	listed := map[string]bool{}
	out = marshalOf.ReplaceAllFunc(src, func(text []byte) []byte {
		f := forms[string(marshalOf.FindSubmatch(text)[1])]
		element, is := forms[f.element]
		t := types[element.kind]
		if !is || t == nil || !strings.HasSuffix(f.value, "]*"+t.value) {
			return text
		}
		listed[t.name] = true
		head, body, _ := bytes.Cut(text, []byte("{\n"))
		return fmt.Appendf(nil, "%s{\n\tif list := flat(ctx, ec.OperationContext, %q, sel, v, (*flatPlan).write%s); list != nil {\n"+
			"\t\treturn list\n\t}\n%s", head, t.name, t.name, body)
	})
	some := reachable(listed, types)
	functions, err = format.Source(flatSource(types, some, forms, src))
	return out, functions, casesOf(some), err
}

// formsOf parses the marshaling functions.
func formsOf(src []byte, schema *ast.Schema) map[string]form {
	forms := map[string]form{}
	for _, m := range marshalOf.FindAllSubmatch(src, -1) {
		body := string(m[4])
		f := form{name: string(m[1]), kind: string(m[2]), value: string(m[3])}
		f.optional = strings.HasPrefix(body, nilIsNull)
		switch scalar, object, element := scalarOf.FindStringSubmatch(body), objectOf.FindStringSubmatch(body),
			elementOf.FindStringSubmatch(body); {
		case element != nil:
			f.element = element[1]
		case scalar != nil:
			f.scalar, f.pointer = scalar[1], scalar[2] == "*"
			f.write = writeOf(f.scalar, schema.Types[f.kind])
		case object != nil:
			f.pointer = object[1] == ""
		default:
			continue
		}
		forms[f.name] = f
	}
	return forms
}

// writers maps marshaling functions to the methods of a buffer that write the same directly.
var writers = map[string]string{
	"model.MarshalText": "text", "model.MarshalID": "text", "model.MarshalTime": "moment",
	"model.MarshalLong": "number", "model.MarshalMoney": "number", "graphql.MarshalBoolean": "boolean",
}

// writeOf returns the statement that writes a scalar of a type.
func writeOf(scalar string, def *ast.Definition) string {
	method := writers[scalar]
	switch {
	case method != "":
		return "w." + method + "(%s)"
	case def != nil && def.Kind == ast.Enum:
		return "w.enum(string(%s))"
	}
	return "w.any(" + scalar + "(%s))"
}

// writable reports whether the form of a value allows writing it in place.
func writable(f form, forms map[string]form) bool {
	if f.element != "" {
		element, known := forms[f.element]
		return known && element.element == "" && writable(element, forms)
	}
	return true
}

// reachable returns the listed types and all types nested in them.
func reachable(listed map[string]bool, types map[string]*flatType) map[string]bool {
	all := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if t := types[name]; t != nil && !all[name] {
			all[name] = true
			for _, f := range t.fields {
				if f.form.scalar == "" {
					add(f.form.kind)
				}
			}
		}
	}
	for name := range listed {
		add(name)
	}
	return all
}

// flatSource returns the source of the functions of some types and the table of their fields.
func flatSource(types map[string]*flatType, some map[string]bool, forms map[string]form, src []byte) []byte {
	var table, body bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(some)) {
		t := types[name]
		fmt.Fprintf(&table, "%q: {%sImplementors, map[string]flatField{\n", name, strings.ToLower(name[:1])+name[1:])
		fmt.Fprintf(&body, "\nfunc (p *flatPlan) write%s(w *buffer, obj *%s) bool {\n", name, t.value)
		fmt.Fprintf(&body, "for i := range p.fields {\nf := &p.fields[i]\nw.name(i, f.alias)\nswitch f.number {\n")
		fmt.Fprintf(&body, "case 0: // __typename\nw.text(%q)\n", name)
		for i, f := range t.fields {
			nested := ""
			if inner := f.form; inner.scalar == "" {
				if inner.element != "" {
					inner = forms[inner.element]
				}
				if inner.scalar == "" {
					if of := types[inner.kind]; of == nil || of.value != strings.TrimLeft(inner.value, "*") {
						continue
					}
					nested = inner.kind
				}
			}
			fmt.Fprintf(&table, "%q: {%d, %q},\n", f.name, i+1, nested)
			fmt.Fprintf(&body, "case %d: // %s\n", i+1, f.name)
			kept := keptAddress.FindStringSubmatch(f.expr)
			if kept != nil && f.form.kind == "Address" && f.form.optional {
				fmt.Fprintf(&body, "if !f.nested.writeKept(w, obj.%s, (*flatPlan).writeAddress) {\nreturn false\n}\n",
					kept[1])
				continue
			}
			if f.fails {
				fmt.Fprintf(&body, "v, err := %s\nif err != nil {\nreturn false\n}\n", f.expr)
			} else {
				fmt.Fprintf(&body, "v := %s\n", f.expr)
			}
			writeValue(&body, f.form, forms, "v")
		}
		body.WriteString("}\n}\nw.byte('}')\nreturn true\n}\n")
		table.WriteString("}},\n")
	}
	text := fmt.Sprintf("var flatTypes = map[string]flatType{\n%s}\n%s", &table, &body)
	var head bytes.Buffer
	head.WriteString(generated + "import (\n")
	for _, m := range imported.FindAllSubmatch(src, -1) {
		if strings.Contains(text, string(m[1])+".") {
			fmt.Fprintf(&head, "%s\n", m[0])
		}
	}
	return append(head.Bytes(), ")\n\n"+text...)
}

const generated = "// Code generated by graph/internal/gen, DO NOT EDIT.\n\npackage exec\n\n"

// casesOf returns the table that pairs each function with the function of gqlgen that it replaces.
func casesOf(some map[string]bool) []byte {
	b := []byte(generated + "var flatCases = []flatCase{\n")
	for _, name := range slices.Sorted(maps.Keys(some)) {
		b = fmt.Appendf(b, "\tflatCaseOf(%q, (*executionContext)._%s, (*flatPlan).write%[2]s),\n", name, name)
	}
	return append(b, "}\n"...)
}

// keptAddress matches an expression that decodes a stored address.
var keptAddress = regexp.MustCompile(`^obj\.Decoded(\w+Address)\(\)$`)

var imported = regexp.MustCompile(`(?m)^\t"github\.com/[^"]*/(\w+)"$`)

// writeValue writes the statements that write the variable v.
func writeValue(b *bytes.Buffer, f form, forms map[string]form, v string) {
	switch {
	case f.optional:
		fmt.Fprintf(b, "if %s == nil {\nw.null()\n} else {\n", v)
	case f.pointer: // gqlgen's function reports the error
		fmt.Fprintf(b, "if %s == nil {\nreturn false\n}\n", v)
	}
	switch {
	case f.element != "":
		fmt.Fprintf(b, "if len(%s) == 0 {\nw.byte('[')\n}\nfor j := range %[1]s {\nw.between(j, '[')\n", v)
		writeValue(b, forms[f.element], forms, v+"[j]")
		b.WriteString("}\nw.byte(']')\n")
	case f.scalar != "":
		if f.pointer {
			v = "*" + v
		}
		fmt.Fprintf(b, f.write+"\n", v)
	default:
		if !f.pointer {
			v = "&" + v
		}
		fmt.Fprintf(b, "if !f.nested.write%s(w, %s) {\nreturn false\n}\n", f.kind, v)
	}
	if f.optional {
		b.WriteString("}\n")
	}
}
