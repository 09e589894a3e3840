package graph_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestManyRows checks that a store at a large limit, whose rows are counted in the background, is
// refused soon and its staff notified.
func TestManyRows(t *testing.T) {
	const most = 10_100
	p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
	p.Limits[limit.Products] = most
	p.PlantMany(t, most-50, func(ctx context.Context, c *db.Client, rows []int) error {
		made := make([]*db.ProductCreate, len(rows))
		for i := range rows {
			id := xid.New()
			made[i] = c.Product.Create().SetID(id).SetTitle("Product").SetHandle("p-" + id.String()).
				SetStatus(state.ProductDraft).SetPriceMinor(100).SetCurrency("EUR").SetTags(document.NewTags(nil)).
				SetUpdatedAt(id.Time())
		}
		return c.Product.CreateBulk(made...).Exec(ctx)
	})
	created := 0
	for ; created < 5000; created++ {
		_, err := p.Mutation().ProductCreate(p.Ctx,
			model.ProductCreateInput{Title: "Mug", PriceMinor: 1, Currency: "EUR"})
		if reached(err, limit.Products) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if created < 50 || created == 5000 {
		t.Errorf("%d products were created on top of %d, limit %d", created, most-50, most)
	}
	reported := 0
	for range 10_000 { // the notification follows the count
		reported = graphtest.Must[int](t)(p.Store.DB(p.Ctx).Notification.Query().Count(p.Ctx))
		if reported > 0 {
			break
		}
	}
	if reported != 1 {
		t.Errorf("%d notifications", reported)
	}
}
