package main

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// field returns gqlgen's code for one field.
func field(result, middleware, marshal string) string {
	return `	return graphql.ResolveField(
		ctx,
		ec.OperationContext,
		field,
		ec.fieldContext_Thing_it,
		func(ctx context.Context) (any, error) {
			return ` + result + `
		},
		` + middleware + `,
		ec.` + marshal + `,
		true,
		true,
	)
`
}

func TestSimplify(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: "type Query { it: Int thing: Thing } type Thing { it: Int }"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, in, want string }{
		{"a scalar", field("obj.It, nil", "nil", "marshalNInt2int64"), "\treturn ec.marshalNInt2int64(ctx, field.Selections, obj.It)\n"},
		{"a method", field("obj.It(), nil", "nil", "marshalOInt2ᚖint"), "\treturn ec.marshalOInt2ᚖint(ctx, field.Selections, obj.It())\n"},
		{"what may fail", field("obj.It()", "nil", "marshalNInt2int"), ""},
		{"a resolver", field("ec.Resolvers.Thing().It(ctx, obj), nil", "nil", "marshalNInt2int"), ""},
		{"a directive", field("obj.It, nil", "func() {}", "marshalNInt2int"), ""},
		{"an object", field("obj.It, nil", "nil", "marshalNThing2Thing"), ""},
		{"the members of an object", "\tout := graphql.NewFieldSet(fields)\n", "\tout := newObject(fields)\n"},
		{"a list", "\tret := graphql.MarshalSliceConcurrently(ctx)\n", "\tret := marshalSlice(ctx)\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, n := simplify([]byte(tc.in), schema)
			if tc.want == "" {
				tc.want = tc.in
			}
			if string(got) != tc.want {
				t.Errorf("got:\n%s", got)
			}
			if simplified := strings.Contains(tc.want, "return ec.marshal"); simplified != (n == 1) {
				t.Errorf("counted %d fields", n)
			}
		})
	}
}
