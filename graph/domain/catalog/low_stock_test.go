package catalog_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
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

// Every kind of change of stock notifies staff once when it crosses the limit of the store, and not
// when stock rises or stays low.
func TestLowStockNotices(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ctx, m := p.As(p.Owner.ID, viewer.Owner), p.Mutation()
		s := graphtest.Must[*model.Store](t)(p.Query().Store(ctx))
		graphtest.Must[*model.StorePayload](t)(m.StoreUpdate(ctx, model.StoreUpdateInput{ExpectedVersion: s.Version,
			LowStock: model.Some(int64(2))}))
		in := graphtest.Mug()
		in.Title, in.InventoryQuantity, in.ExternalReference = "Bell", new(int64(5)), new("erp-1")
		bell := graphtest.NewProduct(t, ctx, p.Resolver, in)
		shirt := graphtest.NewProduct(t, ctx, p.Resolver, graphtest.Shirt()) // 1, 2 and 3 units
		black := shirt.Variants[2]
		now := func(of *db.Product) *db.Product {
			return graphtest.Must[*db.Product](t)(p.Query().Product(ctx, of.PublicID()))
		}
		adjust := func(lines ...*model.InventoryLineInput) {
			graphtest.Must[*model.InventoryPayload](t)(m.InventoryAdjust(ctx, lines))
		}
		line := func(by int64) *model.InventoryLineInput {
			return &model.InventoryLineInput{Sku: in.Sku, Delta: &by}
		}
		var sold *model.Order
		seen := 0
		for _, step := range []struct {
			name, want string
			do         func()
		}{
			{"sale", "Bell: 2 left", func() {
				sold = graphtest.NewOrder(t, ctx, p.Resolver, graphtest.ProductLine(bell, 3))
			}},
			{"sale below", "", func() { graphtest.NewOrder(t, ctx, p.Resolver, graphtest.ProductLine(bell, 1)) }},
			{"restock", "", func() {
				sold = graphtest.Must[*model.OrderPayload](t)(graphtest.Pay(sold.TotalMinor)(ctx, m, sold)).Order
				graphtest.Must[*model.OrderPayload](t)(graphtest.Refund(100, 2, true)(ctx, m, sold))
			}},
			{"adjustment", "Bell: 0 left", func() { adjust(line(-3)) }},
			{"two lines that cancel out", "", func() { adjust(line(9), line(-9)) }},
			{"two lines that cross", "Bell: 1 left", func() { adjust(line(4)); adjust(line(4), line(-7)) }},
			{"several variants", "Bell: 0 left and 1 more", func() {
				adjust(line(4))
				adjust(line(-5), &model.InventoryLineInput{VariantID: new(black.PublicID()), Set: new(int64(1))})
			}},
			{"raised", "", func() { adjust(line(9), &model.InventoryLineInput{Sku: black.Sku, Set: new(int64(9))}) }},
			{"product edit", "Bell: 2 left", func() {
				graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, bell.PublicID(), now(bell).Version,
					model.ProductUpdateInput{InventoryQuantity: model.Some(int64(2))}))
			}},
			{"variant edit", "Shirt (M / Black): 0 left", func() {
				graphtest.Must[*model.ProductPayload](t)(m.ProductVariantUpdate(ctx, shirt.PublicID(),
					now(shirt).Version, black.PublicID(),
					model.ProductVariantUpdateInput{InventoryQuantity: model.Some(int64(0))}))
			}},
			{"untracked", "", func() {
				graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, bell.PublicID(), now(bell).Version,
					model.ProductUpdateInput{InventoryQuantity: model.GivenIf(true, (*int64)(nil))}))
				adjust(&model.InventoryLineInput{Sku: in.Sku, Set: new(int64(1))})
			}},
			{"upsert", "Bell: 0 left", func() {
				adjust(line(4))
				graphtest.Must[*model.ProductPayload](t)(m.ProductUpsert(ctx, "erp-1",
					model.ProductUpdateInput{InventoryQuantity: model.Some(int64(0))}))
			}},
		} {
			step.do()
			list := graphtest.Must[*model.NotificationConnection](t)(p.Query().Notifications(ctx, nil, nil)).Nodes
			var got []string
			for _, n := range list[:len(list)-seen] {
				if title, ok := strings.CutPrefix(n.Title, "Low stock: "); ok {
					got = append(got, title)
				}
			}
			if seen = len(list); cmp.Diff(strings.Join(got, ", "), step.want) != "" {
				t.Errorf("%s: %q, want %q", step.name, got, step.want)
			}
		}
	})
}
