package core_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/storefront-go/storefront/graph/core"
)

func TestSelects(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: "type Query { node: Node } type Node { a: Int b: Int node: Node }"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		document string
		want     bool
	}{
		{"{ node { a } }", true},
		{"{ node { b } }", false},
		{"{ node { a: b } }", false},
		{"{ node { b: a } }", true},
		{"{ node { node { b node { a } } } }", true},
		{"{ node { b ... on Node { a } } }", true},
		{"{ node { ... { b } } }", false},
		{"{ node { ...f } } fragment f on Node { node { a } }", true},
		{"{ node { a @skip(if: true) } }", false},
		{"{ node { a @include(if: false) } }", false},
		{"{ node { a @skip(if: false) @include(if: true) } }", true},
		{"query($v: Boolean!) { node { a @include(if: $v) } }", true},
		{"query($v: Boolean!) { node { a @include(if: $v) @skip(if: $v) } }", false},
		{"query($v: Boolean!) { node { node @skip(if: $v) { a } } }", false},
		{"query($d: Boolean = true) { node { a @include(if: $d) } }", true},
		{"query($v: Boolean!) { node { ... @skip(if: $v) { a } } }", false},
		{"query($v: Boolean!) { node { ...f @skip(if: $v) ...f } } fragment f on Node { a }", true},
	} {
		doc, errs := gqlparser.LoadQueryWithRules(schema, tc.document, rules.NewRules(rules.KnownDirectivesRule))
		if len(errs) > 0 {
			t.Fatalf("%s: %v", tc.document, errs)
		}
		op := doc.Operations[0]
		ctx := graphql.WithOperationContext(context.Background(), &graphql.OperationContext{Doc: doc, Operation: op,
			Variables: map[string]any{"v": true, "d": true}})
		field := op.SelectionSet[0].(*ast.Field)
		ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{
			Field: graphql.CollectedField{Field: field, Selections: field.SelectionSet}})
		if got := core.Selects(ctx, "a"); got != tc.want {
			t.Errorf("%s: got %t", tc.document, got)
		}
	}
	if !core.Selects(context.Background(), "a") {
		t.Error("a call outside of GraphQL does not select everything")
	}
}
