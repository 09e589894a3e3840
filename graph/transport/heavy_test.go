package transport

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// TestHeavyAnswers requests more bytes than an answer may have, in several ways: all are refused
// with the name of the bound, and the budget is free afterwards.
func TestHeavyAnswers(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		var id xid.ID
		write(f, func(ctx context.Context) error {
			for range 40 {
				id = xid.New()
				err := f.Store.DB(ctx).Product.Create().SetID(id).SetTitle("Product").SetHandle("p-" + id.String()).
					SetStatus(state.ProductDraft).SetPriceMinor(100).SetCurrency("EUR").SetTags(document.NewTags(nil)).
					SetDescription(strings.Repeat("😀", limit.Description)).SetUpdatedAt(id.Time()).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		key := keyFor(f, scope.ProductsRead)
		aliases := func(n int, text string) string {
			return repeat(n, func(i int) string { return fmt.Sprintf("a%d:%s ", i, text) })
		}
		one := fmt.Sprintf("product(id:%q)", xid.Product.Format(id))
		for name, document := range map[string]string{
			"many rows":                    "{products(first:100){nodes{id description}}}",
			"large rows with small fields": "{products(first:100){nodes{id}}}",
			"aliases in a list":            "{products(first:4){nodes{" + aliases(40, "description") + "}}}",
			"aliases in one object":        "{" + one + "{" + aliases(100, "description") + "}}",
			"aliases of an object":         "{" + aliases(40, one+"{description}") + "}",
			"edges":                        "{products(first:4){edges{node{" + aliases(40, "description") + "}}}}",
		} {
			a := f.Query(key, document, nil)
			named := len(a.Errors) > 0 && a.Errors[0].Extensions["code"] == string(fault.AnswerTooLarge)
			if !named || len(a.Body) > 10_000 {
				t.Errorf("%s: %v, %d bytes", name, a.Errors, len(a.Body))
			}
		}
		if a := f.Query(key, "{products(first:20){nodes{description}}}", nil).Ok(); len(a.Body) < 5_000_000 {
			t.Errorf("20 products have %d bytes", len(a.Body))
		}
		if held := f.Core.Answers.Held(); held != 0 {
			t.Errorf("%d bytes are held", held)
		}
	})
}

// TestOneFileARequest: a request decodes or unpacks at most one file.
func TestOneFileARequest(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsWrite, scope.ThemesWrite)
	for _, field := range []string{`productImageAdd(input:{productId:"x",content:"AA=="}){product{id}}`,
		`themeImport(input:{archive:"AA=="}){theme{id}}`} {
		a := f.Query(key, "mutation{a:"+field+" b:"+field+"}", nil)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(fault.InvalidRequest) {
			t.Errorf("%s twice: %s", field, a.Body)
		}
	}
}
