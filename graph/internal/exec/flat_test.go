package exec

import (
	"bytes"
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/storefront-go/storefront/ent/document"
)

// flatCase is a function that writes an object in one go, and gqlgen's way.
type flatCase struct {
	name string
	made func(*rand.Rand) any
	slow func(*executionContext, context.Context, ast.SelectionSet, any) graphql.Marshaler
	fast func(*flatPlan, *buffer, any) bool
}

func flatCaseOf[T any](name string,
	slow func(*executionContext, context.Context, ast.SelectionSet, *T) graphql.Marshaler,
	fast func(*flatPlan, *buffer, *T) bool,
) flatCase {
	return flatCase{
		name,
		func(r *rand.Rand) any {
			v := new(T)
			fill(r, reflect.ValueOf(v).Elem(), 0)
			return v
		},
		func(ec *executionContext, ctx context.Context, sel ast.SelectionSet, v any) graphql.Marshaler {
			return slow(ec, ctx, sel, v.(*T))
		},
		func(p *flatPlan, w *buffer, v any) bool { return fast(p, w, v.(*T)) },
	}
}

// fill gives a value and what lies in it some content, and leaves out what may be left out
// now and then.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if !v.CanSet() || depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64N(100))
	case reflect.Float64:
		v.SetFloat(float64(r.IntN(100)))
	case reflect.String:
		if strings.HasSuffix(v.Type().PkgPath(), "/ent/document") {
			v.SetString(texts[r.IntN(len(texts))])
			return
		}
		v.SetString([]string{"", "plain", "with \"quotes\" & <tags>\n", "ölig ☃ \u2028"}[r.IntN(4)])
	case reflect.Pointer:
		of := v.Type().Elem().PkgPath()
		if strings.HasSuffix(of, "/ent/db") || strings.HasSuffix(of, "/graph/model") || r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // what is kept as JSON
			v.SetBytes([]byte(texts[r.IntN(len(texts))]))
			return
		}
		n := r.IntN(3)
		if v.Type().Elem().Kind() == reflect.Pointer { // of entities, where one is needed
			n++
		}
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(r, field, depth+1)
		}
	}
}

// texts are what may be in a column of JSON, and what may not.
var texts = []string{"", "[]", "[]", "[]", "null", "{}", `["a","b"]`, `{"city":"Ghent"}`, `[{"city":"Ghent"}]`,
	"broken", string(document.NewAddress(&document.AddressFields{Line1: "1 Way", Line2: new(`the "2nd" floor`),
		City: "Oslo", Region: new(""), Country: "NO"}))}

// selection selects of a type all that is flat, with so many objects in each other, and its
// name.
func selection(name string, depth int) (sel ast.SelectionSet) {
	def := parsedSchema.Types[name]
	for _, f := range def.Fields {
		if flat, is := flatTypes[name].fields[f.Name]; is && (flat.nested == "" || depth > 0) {
			field := &ast.Field{Name: f.Name, Alias: f.Name, ObjectDefinition: def, Definition: f}
			if flat.nested != "" {
				field.SelectionSet = selection(flat.nested, depth-1)
			}
			sel = append(sel, field)
		}
	}
	return append(sel, &ast.Field{Name: "__typename", Alias: "kind", ObjectDefinition: def})
}

func through(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

// The flat writers produce what gqlgen writes field by field, for each type and field. Where a flat
// writer gives up, gqlgen reports an error.
func TestFlatIsWhatGqlgenWrites(t *testing.T) {
	if len(flatCases) != len(flatTypes) || len(flatCases) < 10 {
		t.Fatalf("%d cases of %d types", len(flatCases), len(flatTypes))
	}
	for _, c := range flatCases {
		t.Run(c.name, func(t *testing.T) {
			r, sel, wrote := rand.New(rand.NewPCG(1, 2)), selection(c.name, 3), 0
			// An object with several orders is rarely one of which all documents can be read.
			for tried := 0; tried < 500 || wrote < 5 && tried < 100_000; tried++ {
				obj := c.made(r)
				op := &graphql.OperationContext{Operation: &ast.OperationDefinition{}, Doc: &ast.QueryDocument{}}
				op.ResolverMiddleware = through
				ctx := graphql.WithOperationContext(t.Context(), op)
				ctx = graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, graphql.DefaultRecover)
				ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{})
				ec := newExecutionContext(op, &executableSchema{}, nil)
				var slow bytes.Buffer
				var fast buffer
				c.slow(&ec, ctx, sel, obj).MarshalGQL(&slow)
				p := plan(op, c.name, sel)
				if p == nil {
					t.Fatal("no plan")
				}
				if !c.fast(p, &fast, obj) {
					if len(graphql.GetErrors(ctx)) == 0 {
						t.Fatalf("gave up without a reason: %+v", obj)
					}
					continue
				}
				if wrote++; slow.String() != string(fast.b) {
					t.Fatalf("gqlgen: %s\nat once: %s", &slow, fast.b)
				}
			}
			if wrote < 5 {
				t.Errorf("only %d objects could be written", wrote)
			}
		})
	}
}

// An object of which nothing is left is gqlgen's to write, wherever it lies.
func TestFlatNeedsFields(t *testing.T) {
	def := parsedSchema.Types["Order"]
	id := &ast.Field{Name: "id", Alias: "id", ObjectDefinition: def}
	for name, sel := range map[string]ast.SelectionSet{
		"nothing":        {},
		"nothing inside": {id, &ast.Field{Name: "lineItems", Alias: "lineItems", ObjectDefinition: def}},
		"a resolver":     {id, &ast.Field{Name: "notes", Alias: "notes", ObjectDefinition: def}},
	} {
		op := &graphql.OperationContext{Operation: &ast.OperationDefinition{}, Doc: &ast.QueryDocument{}}
		if plan(op, "Order", sel) != nil {
			t.Errorf("%s: it is written at once", name)
		}
	}
	op := &graphql.OperationContext{Operation: &ast.OperationDefinition{}, Doc: &ast.QueryDocument{}}
	if plan(op, "Order", ast.SelectionSet{id}) == nil {
		t.Error("an id is not written at once")
	}
}

// What is collected is what gqlgen collects, whatever is selected twice, left out or lies in
// a fragment.
func TestCollect(t *testing.T) {
	for _, text := range []string{
		"{ id number }",
		"{ id a: id id }",
		"{ lineItems { id } id lineItems { sku } }",
		"{ id @skip(if: true) number @include(if: true) }",
		"{ id @include(if: $no) number }",
		"{ id ... on Order { number id } }",
		"{ ...f id } fragment f on Order { number lineItems { id } }",
		"{ __typename kind: __typename }",
	} {
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			t.Fatal(text, err)
		}
		sel, order := doc.Operations[0].SelectionSet, flatTypes["Order"].implementors
		op := func() *graphql.OperationContext {
			return &graphql.OperationContext{Doc: doc, Variables: map[string]any{"no": false}}
		}
		want, got := graphql.CollectFields(op(), sel, order), collect(op(), sel, order)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(ast.Position{})); diff != "" {
			t.Errorf("%s: (-gqlgen +collect)\n%s", text, diff)
		}
	}
}
