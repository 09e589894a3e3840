package sales_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Orders are counted by the work that they need, without canceled ones and those of other stores.
func TestOrderWork(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		sale := func(ctx context.Context) *model.Order {
			return graphtest.NewOrder(t, ctx, p.Resolver, graphtest.CustomLine("Mug", 2, 500))
		}
		done := graphtest.Must[*model.OrderPayload](t)
		paid := func() *model.Order {
			o := sale(p.Ctx)
			return done(p.Mutation().OrderMarkPaid(p.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		}
		sale(p.Ctx)
		o := sale(p.Ctx)
		done(p.Mutation().OrderRecordPayment(p.Ctx, o.PublicID(), o.Version, model.PaymentInput{AmountMinor: 1}))
		paid()
		o = paid()
		done(p.Mutation().OrderFulfill(p.Ctx, o.PublicID(), o.Version, model.FulfillInput{
			Lines: graphtest.Quantities(o, 1)}))
		o = paid()
		done(p.Mutation().OrderCancel(p.Ctx, o.PublicID(), o.Version, false, nil))
		o = sale(p.Ctx)
		done(p.Mutation().OrderCancel(p.Ctx, o.PublicID(), o.Version, false, nil))
		sale(p.Other(t).Ctx)
		got := graphtest.Must[*model.OrderWork](t)(p.Query().OrderWork(p.Ctx))
		one := &model.BoundedCount{Count: 1}
		want := &model.OrderWork{ToShip: one, PartlyShipped: one, Unpaid: one, PartlyPaid: one}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// A preview returns what the order then costs, and writes nothing; it has the same errors as the
// order.
func TestOrderPreview(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 1250, 3)
		line := graphtest.ProductLine(p, 2)
		line.DiscountMinor, line.TaxMinor = 100, 70
		in := model.OrderCreateInput{Lines: []*model.OrderLineInput{line, graphtest.CustomLine("Card", 1, 300)},
			ShippingMinor: 490, Source: "dashboard"}
		got := graphtest.Must[*model.OrderPreview](t)(r.Query().OrderPreview(ctx, in))
		if n := r.Client(ctx).Order.Query().CountX(ctx); n != 0 {
			t.Errorf("%d orders after a preview", n)
		}
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		want := &model.OrderPreview{Currency: o.Currency, SubtotalMinor: o.SubtotalMinor,
			DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor,
			Taxes: []*document.OrderTax{}, TotalMinor: o.TotalMinor, ShippingRates: []*model.OfferedRate{}}
		lines := got.LineItems
		got.LineItems = nil
		if d := cmp.Diff(want, got); d != "" || got.TotalMinor != 3260 {
			t.Errorf("%d (-order +preview):\n%s", got.TotalMinor, d)
		}
		if len(lines) != 2 || lines[0].Title != p.Title || lines[0].TotalMinor != 2470 {
			t.Errorf("lines %+v", lines)
		}
		line.DiscountMinor = 2501
		_, err := r.Query().OrderPreview(ctx, in)
		if graphtest.FieldOf(err) != "#/lines/0/discount_minor out_of_range" {
			t.Errorf("a discount above the price: %v", err)
		}
	})
}

// Acts are the audit entries of this order alone, newest first.
func TestOrderActs(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		o := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Mug", 1, 500))
		graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Mug", 1, 500))
		_, helper := p.Member(t, viewer.Support)
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderFulfill(helper, o.PublicID(), o.Version,
			model.FulfillInput{}))
		shown := graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, o.PublicID()))
		acts := graphtest.Must[[]*model.OrderAct](t)(sales.OrderFields{}.Acts(p.Ctx, shown))
		if len(acts) != 2 || acts[0].Action != "order.fulfill" || acts[1].Action != "order.create" {
			t.Fatalf("%+v", acts)
		}
		if a := acts[0].Actor(); a.Type != viewer.Staff || a.Name == "" || a.ID == acts[1].Actor().ID {
			t.Errorf("fulfilled by %+v", a)
		}
	})
}
