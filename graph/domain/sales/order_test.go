package sales_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// buyer creates a customer.
func buyer(
	t testing.TB, ctx context.Context, r *graph.Resolver, email string, status state.CustomerStatus,
) *db.Customer {
	t.Helper()
	var c *db.Customer
	err := r.Store.InTx(ctx, func(ctx context.Context) (err error) {
		c, err = r.Client(ctx).Customer.Create().SetEmail(email).SetStatus(status).
			SetEmailMarketing(state.EmailNotSubscribed).SetAddresses(document.NewAddresses(nil)).
			SetTags(document.NewTags(nil)).SetUpdatedAt(micros.Now()).Save(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// stockOf reads the stock of a product.
func stockOf(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product) int64 {
	t.Helper()
	return *graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID)).InventoryQuantity
}
