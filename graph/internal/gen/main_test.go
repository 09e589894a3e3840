package main

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

// Only fields that copy a value from their object are written in place: resolvers, directives and
// arguments are kept.
func TestCopied(t *testing.T) {
	const method = codegen.GoFieldMethod
	object := &codegen.Object{Definition: &ast.Definition{Kind: ast.Object}}
	onField := &ast.DirectiveDefinition{Locations: []ast.DirectiveLocation{ast.LocationFieldDefinition}}
	for _, tc := range []struct {
		name  string
		field codegen.Field
		want  string
		fails bool
	}{
		{name: "a variable", field: codegen.Field{GoFieldType: codegen.GoFieldVariable}, want: "obj.It"},
		{name: "a method", field: codegen.Field{GoFieldType: method, NoErr: true}, want: "obj.It()"},
		{name: "a method that may fail", field: codegen.Field{GoFieldType: method}, want: "obj.It()", fails: true},
		{name: "a resolver", field: codegen.Field{IsResolver: true}},
		{name: "a directive", field: codegen.Field{Directives: []*codegen.Directive{{DirectiveDefinition: onField}}}},
		{name: "an argument", field: codegen.Field{Args: []*codegen.FieldArgument{{}}}},
	} {
		f := tc.field
		f.GoReceiverName, f.GoFieldName, f.TypeReference = "obj", "It", &config.TypeReference{}
		f.FieldDefinition, f.Object = &ast.FieldDefinition{}, object
		if expr, fails := copied(&f); expr != tc.want || fails != tc.fails {
			t.Errorf("%s: got %q, %v", tc.name, expr, fails)
		}
	}
}

func TestRewrite(t *testing.T) {
	const src = "package exec\n\nfunc a() int {\n\treturn 1\n}\n\nfunc b() int {\n\treturn 2\n}\n"
	bodies, first := map[string]string{"a": "\n\treturn 3\n"}, map[string]string{"b": "\n\tprintln()"}
	got, err := rewrite([]byte(src), bodies, first)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("return 1", "return 3", "\treturn 2", "\tprintln()\n\treturn 2").Replace(src)
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
	bodies["c"] = ""
	if _, err = rewrite([]byte(src), bodies, first); err == nil || !strings.Contains(err.Error(), "2 of 3 functions") {
		t.Errorf("a missing function: %v", err)
	}
}
