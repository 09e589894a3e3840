package cost_test

import (
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/graph/lib/cost"
)

func TestOf(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { product: Product products(first: Int = 10): [Product!]! }
		type Product { id: ID! description: String parts: [Product!]! }`})
	for _, tc := range []struct {
		text string
		want int
	}{
		{`{ product { id } }`, 2}, {`{ product { description } }`, 3}, {`{ product { parts { id } } }`, 7},
		{`{ products(first: 100) { id } }`, 110},
	} {
		doc, err := gqlparser.LoadQueryWithRules(schema, tc.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := cost.Of(doc.Operations[0], nil); got != tc.want {
			t.Errorf("%s costs %d, want %d", tc.text, got, tc.want)
		}
	}
}
