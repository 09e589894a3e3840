package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

// flatField is a field that is written in place.
type flatField struct {
	*codegen.Field
	expr  string
	fails bool
}

// flatType is an object with its flat fields, in the order of the schema.
type flatType struct {
	*codegen.Object
	fields []flatField
}

// flatTypes are the objects with flat fields, by their names.
type flatTypes map[string]*flatType

// flatTypesOf finds the fields that copy a value from an entity. Objects whose selected fields are
// all flat are written directly, without a marshaler per field.
func flatTypesOf(objects codegen.Objects) flatTypes {
	all := flatTypes{}
	for _, o := range objects {
		if named, is := o.Type.(*types.Named); !is || named.TypeArgs().Len() > 0 || o.IsReserved() {
			continue
		}
		t := &flatType{Object: o}
		for _, f := range o.Fields {
			if expr, fails := copied(f); expr != "" && !f.MethodHasContext && writable(f.TypeReference) {
				t.fields = append(t.fields, flatField{f, expr, fails})
			}
		}
		if len(t.fields) > 0 {
			all[o.Name] = t
		}
	}
	return all
}

// writable reports whether a value of a type can be written in place.
func writable(t *config.TypeReference) bool {
	switch {
	case t.IsSlice():
		return !t.Elem().IsSlice() && writable(t.Elem())
	case t.Marshaler != nil:
		return !t.IsContext && !t.HasEnumValues() && t.CastType == nil && (t.IsNilable() || !t.IsTargetNilable())
	}
	return !t.IsMarshaler && t.Definition.Kind == ast.Object && !t.IsPtrToSlice()
}

// lists returns the first statements of the functions that marshal lists, and drops other types.
func (all flatTypes) lists(references map[string]*config.TypeReference) map[string]string {
	first, kept := map[string]string{}, flatTypes{}
	for _, ref := range references {
		t := all[ref.Definition.Name]
		if t == nil || !ref.IsSlice() || !types.Identical(ref.Elem().GO, t.Reference()) || !writable(ref.Elem()) {
			continue
		}
		first[ref.MarshalFunc()] = fmt.Sprintf("\n\tif list := flat(ctx, ec.OperationContext, %q, sel, v, "+
			"(*flatPlan).write%s); list != nil {\n\t\treturn list\n\t}", t.Name, t.Name)
		all.keep(t.Name, kept)
	}
	maps.DeleteFunc(all, func(name string, _ *flatType) bool { return kept[name] == nil })
	return first
}

// keep adds a type and those nested in it.
func (all flatTypes) keep(name string, to flatTypes) {
	if t := all[name]; t != nil && to[name] == nil {
		to[name] = t
		for _, f := range t.fields {
			all.keep(all.nested(f.TypeReference), to)
		}
	}
}

// nested returns the name of the flat objects in a value; "" for scalars.
func (all flatTypes) nested(t *config.TypeReference) string {
	if t.IsSlice() {
		t = t.Elem()
	}
	if of := all[t.Definition.Name]; t.Marshaler == nil && of != nil &&
		(types.Identical(t.GO, of.Type) || types.Identical(t.GO, of.Reference())) {
		return of.Name
	}
	return ""
}

// imports collects the packages that a text needs.
type imports map[string]bool

// name qualifies a name by its package.
func (i imports) name(p *types.Package) string {
	i[p.Path()] = true
	return p.Name()
}

// source returns the functions that write the types, and the table of their fields.
func (all flatTypes) source() []byte {
	var table, body bytes.Buffer
	packages := imports{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := all[name]
		fmt.Fprintf(&table, "%q: {%sImplementors, map[string]flatField{\n", name, strings.ToLower(name[:1])+name[1:])
		fmt.Fprintf(&body, "\nfunc (p *flatPlan) write%s(w *buffer, obj %s) bool {\n", name,
			types.TypeString(t.Reference(), packages.name))
		fmt.Fprintf(&body, "for i := range p.fields {\nf := &p.fields[i]\nw.name(i, f.alias)\nswitch f.number {\n")
		fmt.Fprintf(&body, "case 0: // __typename\nw.text(%q)\n", name)
		for i, f := range t.fields {
			nested := all.nested(f.TypeReference)
			if nested == "" && f.TypeReference.Definition.Kind == ast.Object {
				continue
			}
			fmt.Fprintf(&table, "%q: {%d, %q},\n", f.Name, i+1, nested)
			fmt.Fprintf(&body, "case %d: // %s\n", i+1, f.Name)
			kept, decoded := strings.CutPrefix(f.GoFieldName, "Decoded")
			if decoded && nested == "Address" && !f.TypeReference.IsSlice() && !f.TypeReference.GQL.NonNull {
				fmt.Fprintf(&body, "if !f.nested.writeKept(w, obj.%s, (*flatPlan).writeAddress) {\nreturn false\n}\n", kept)
				continue
			}
			if f.fails {
				fmt.Fprintf(&body, "v, err := %s\nif err != nil {\nreturn false\n}\n", f.expr)
			} else {
				fmt.Fprintf(&body, "v := %s\n", f.expr)
			}
			packages.value(&body, f.TypeReference, "v")
		}
		body.WriteString("}\n}\nw.byte('}')\nreturn true\n}\n")
		table.WriteString("}},\n")
	}
	var out bytes.Buffer
	out.WriteString(generated + "import (\n")
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		fmt.Fprintf(&out, "%q\n", path)
	}
	fmt.Fprintf(&out, ")\n\nvar flatTypes = map[string]flatType{\n%s}\n%s", &table, &body)
	return out.Bytes()
}

const generated = "// Code generated by graph/internal/gen, DO NOT EDIT.\n\npackage exec\n\n"

// cases returns the table that pairs each function with the function of gqlgen that it replaces.
func (all flatTypes) cases() []byte {
	b := []byte(generated + "var flatCases = []flatCase{\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b = fmt.Appendf(b, "\tflatCaseOf(%q, (*executionContext)._%s, (*flatPlan).write%[2]s),\n", name, name)
	}
	return append(b, "}\n"...)
}

// writers maps marshaling functions to the methods of a buffer that write the same directly.
var writers = map[string]string{
	"model.MarshalText": "text", "model.MarshalID": "text", "model.MarshalTime": "moment",
	"model.MarshalLong": "number", "model.MarshalMoney": "number", "graphql.MarshalBoolean": "boolean",
}

// value writes the statements that write the variable v of a type.
func (i imports) value(b *bytes.Buffer, t *config.TypeReference, v string) {
	pointer := t.IsNilable() && !t.IsSlice() && (t.Marshaler == nil || !t.IsTargetNilable())
	optional := !t.GQL.NonNull && t.IsNilable()
	switch {
	case optional:
		fmt.Fprintf(b, "if %s == nil {\nw.null()\n} else {\n", v)
	case pointer: // gqlgen's function reports the error
		fmt.Fprintf(b, "if %s == nil {\nreturn false\n}\n", v)
	}
	switch {
	case t.IsSlice():
		fmt.Fprintf(b, "if len(%s) == 0 {\nw.byte('[')\n}\nfor j := range %[1]s {\nw.between(j, '[')\n", v)
		i.value(b, t.Elem(), v+"[j]")
		b.WriteString("}\nw.byte(']')\n")
	case t.Marshaler != nil:
		if pointer {
			v = "*" + v
		}
		marshal := t.Marshaler.Pkg().Name() + "." + t.Marshaler.Name()
		switch method := writers[marshal]; {
		case cmp.Or(method, string(t.Definition.Kind)) == string(ast.Enum):
			fmt.Fprintf(b, "w.enum(string(%s))\n", v)
		case method != "":
			fmt.Fprintf(b, "w.%s(%s)\n", method, v)
		default:
			i.name(t.Marshaler.Pkg())
			fmt.Fprintf(b, "w.any(%s(%s))\n", marshal, v)
		}
	default:
		if !pointer {
			v = "&" + v
		}
		fmt.Fprintf(b, "if !f.nested.write%s(w, %s) {\nreturn false\n}\n", t.Definition.Name, v)
	}
	if optional {
		b.WriteString("}\n")
	}
}
