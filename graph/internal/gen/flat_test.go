package main

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// resolved returns gqlgen's code for a field of Thing.
func resolved(name, result, middleware, marshal string) string {
	return `
func (ec *executionContext) _Thing_` + name + `(ctx context.Context, field graphql.CollectedField, ` +
		`obj *model.Thing) (ret graphql.Marshaler) {
` + field(result, middleware, marshal) + "}\n"
}

const marshals = `
func (ec *executionContext) marshalNInt2int(ctx context.Context, sel ast.SelectionSet, v int) graphql.Marshaler {
	_ = sel
	res := graphql.MarshalInt(v)
	return res
}

func (ec *executionContext) marshalNThing2ᚖmodelᚐThing(ctx context.Context, sel ast.SelectionSet, v *model.Thing) ` +
	`graphql.Marshaler {
	if v == nil {
		return fail
	}
	return ec._Thing(ctx, sel, v)
}

func (ec *executionContext) marshalNThing2ᚕᚖmodelᚐThingᚄ(ctx context.Context, sel ast.SelectionSet, ` +
	`v []*model.Thing) graphql.Marshaler {
	ret := graphql.MarshalSliceConcurrently(ctx, func(ctx context.Context, i int) graphql.Marshaler {
		return ec.marshalNThing2ᚖmodelᚐThing(ctx, sel, v[i])
	})
	return ret
}
`

// Only fields that copy a value from an entity are written directly: resolvers and directives are
// kept.
func TestFlat(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: "type Query { things: [Thing!]! }" +
		" type Thing { plain: Int! mayFail: Int! guarded: Int! asked: Int! resolved: Int! of: Thing! }"})
	if err != nil {
		t.Fatal(err)
	}
	src := marshals + resolved("plain", "obj.Plain, nil", "nil", "marshalNInt2int") +
		resolved("mayFail", "obj.MayFail()", "nil", "marshalNInt2int") +
		resolved("guarded", "obj.Guarded, nil", "guard", "marshalNInt2int") +
		resolved("asked", "obj.Asked(ctx), nil", "nil", "marshalNInt2int") +
		resolved("resolved", "ec.Resolvers.Thing().Resolved(ctx, obj)", "nil", "marshalNInt2int") +
		resolved("of", "obj.Of(), nil", "nil", "marshalNThing2ᚖmodelᚐThing")
	out, functions, cases, err := flat([]byte(src), schema)
	if err != nil {
		t.Fatal(err)
	}
	const list = `if list := flat(ctx, ec.OperationContext, "Thing", sel, v, (*flatPlan).writeThing); list != nil {`
	if strings.Count(string(out), list) != 1 || len(out) < len(src) {
		t.Errorf("got:\n%s", out)
	}
	for _, want := range []string{"v := obj.Plain\n", "v, err := obj.MayFail()\n",
		"w.any(graphql.MarshalInt(v))",
		`"plain":   {1, ""},`, `"of":      {3, "Thing"},`, "if !f.nested.writeThing(w, v) {"} {
		if !strings.Contains(string(functions), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, never := range []string{"Guarded", "Asked", "Resolve"} {
		if strings.Contains(string(functions), never) {
			t.Errorf("%s is generated although not listed", never)
		}
	}
	if !strings.Contains(string(cases), `flatCaseOf("Thing", (*executionContext)._Thing, (*flatPlan).writeThing),`) {
		t.Errorf("got:\n%s", cases)
	}
}
