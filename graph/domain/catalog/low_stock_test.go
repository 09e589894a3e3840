package catalog_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Products and variants with low stock are found, the fewest units first, without drafts and
// untracked stock.
func TestLowStock(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		publish := func(p *db.Product) {
			graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductPublish(ctx, p.PublicID(), p.Version))
		}
		publish(graphtest.NewStockedProduct(t, ctx, r, 100, 6))
		publish(graphtest.NewStockedProduct(t, ctx, r, 100, 5))
		publish(graphtest.NewStockedProduct(t, ctx, r, 100))
		graphtest.NewStockedProduct(t, ctx, r, 100, 1)
		shirt := graphtest.Shirt()
		for i, v := range shirt.Variants {
			v.InventoryQuantity = new(int64(9 * i))
		}
		many := graphtest.NewProduct(t, ctx, r, shirt)
		publish(many)
		got := graphtest.Must[*model.LowStock](t)(r.Query().LowStock(ctx, 5))
		if got.Items.Count != 2 || got.Items.More || len(got.Fewest) != 2 {
			t.Fatalf("%+v", got)
		}
		if first := got.Fewest[0]; first.ProductID != many.PublicID() || first.VariantTitle == nil ||
			first.InventoryQuantity != 0 || got.Fewest[1].InventoryQuantity != 5 {
			t.Errorf("%+v, %+v", first, got.Fewest[1])
		}
		_, err := r.Query().LowStock(ctx, -1)
		if graphtest.FaultOf(err) == "" {
			t.Error("a negative bound was accepted")
		}
	})
}
