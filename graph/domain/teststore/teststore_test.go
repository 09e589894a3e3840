package teststore_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// left returns how many products, customers, orders and payments a store has.
func left(ctx context.Context, t *testing.T, p *graphtest.Shop) (counts [4]int) {
	t.Helper()
	c := p.Store.DB(ctx)
	for i, count := range []func(context.Context) (int, error){c.Product.Query().Count, c.Customer.Query().Count,
		c.Order.Query().Count, c.Payment.Query().Count} {
		counts[i] = graphtest.Must[int](t)(count(ctx))
	}
	return counts
}

// A test store is filled once and emptied again, in as many calls as it takes, and other stores
// keep their data.
func TestFillAndReset(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		var stores []context.Context
		for _, name := range []string{"One", "Two"} {
			s, _, err := p.NewStore(p.Ctx, model.StoreCreateInput{Name: name, Currency: "EUR", Timezone: "UTC",
				Test: true}, access.Person{ID: p.Owner.ID})
			if err != nil {
				t.Fatal(err)
			}
			ctx := viewer.Operator(t.Context(), s.ID)
			stores = append(stores, ctx)
			graphtest.Must[*model.StorePayload](t)(m.TestStoreFill(ctx))
		}
		full := left(stores[0], t, p)
		if full[0] != 12 || full[1] != 8 || full[2] != 20 || full[3] == 0 {
			t.Fatalf("filled with %v", full)
		}
		for range 90 {
			graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(stores[0], model.OrderCreateInput{
				Email: new("ada@shopper.example"), Source: "api",
				Lines: []*model.OrderLineInput{{Title: new("Work"), UnitPriceMinor: new(int64(100)), Quantity: 1}}}))
		}
		pending := func() int {
			return graphtest.Must[int](t)(p.Store.DB(stores[0]).SalesPending.Query().Count(stores[0]))
		}
		if n := pending(); n != 0 { // no relay is running
			t.Errorf("%d sums of sales are pending", n)
		}
		for i, want := range []model.TestStoreResetPayload{{Removed: 100, More: true}, {Removed: 30}, {}} {
			got := graphtest.Must[*model.TestStoreResetPayload](t)(m.TestStoreReset(stores[0]))
			if got.Removed != want.Removed || got.More != want.More {
				t.Errorf("call %d: %+v, want %+v", i, got, want)
			}
		}
		if pending() == 0 {
			t.Error("sums of sales are not pending")
		}
		if got := left(stores[0], t, p); got != [4]int{} {
			t.Errorf("left are %v", got)
		}
		if got := left(stores[1], t, p); got != full {
			t.Errorf("the store beside has %v, not %v", got, full)
		}
		graphtest.Must[*model.StorePayload](t)(m.TestStoreFill(stores[0]))
	})
}
