package sales_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The worth of all units adds up to the line, also after earlier refunds, and never exceeds the
// money that can be refunded.
func TestRefundPreview(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		line := graphtest.CustomLine("Mug", 3, 1000)
		line.DiscountMinor, line.TaxMinor = 100, 200
		o := graphtest.NewOrder(t, ctx, r, line, graphtest.CustomLine("Tea", 1, 250))
		preview := func(n int, quantity int64) (int64, string) {
			got, err := (sales.OrderFields{}).RefundPreviewMinor(ctx, o,
				[]*model.LineQuantityInput{{LineItemID: o.Lines[n].PublicID(), Quantity: quantity}})
			if err != nil {
				return 0, graphtest.FaultOf(err)
			}
			return *got, ""
		}
		expect := func(n int, quantity, want int64, refused string) {
			t.Helper()
			if got, code := preview(n, quantity); got != want || code != refused {
				t.Errorf("%d of line %d: %d, %q, want %d, %q", quantity, n, got, code, want, refused)
			}
		}
		expect(0, 1, 0, "") // nothing is paid
		pay := func(amount int64) {
			o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderRecordPayment(ctx, o.PublicID(), o.Version,
				model.PaymentInput{AmountMinor: amount})).Order
		}
		pay(1000)
		expect(0, 2, 1000, "")
		pay(o.TotalMinor - 1000)
		expect(0, 1, 1033, "")
		expect(0, 3, 3100, "")
		expect(1, 1, 250, "")
		expect(1, 2, 0, "quantity_exceeds_remaining")
		expect(1, 0, 0, "validation_failed")
		o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderRefund(ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 1033,
				Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}})).Order
		expect(0, 1, 1034, "")
		expect(0, 2, 2067, "")
		_, err := (sales.OrderFields{}).RefundPreviewMinor(ctx, o,
			[]*model.LineQuantityInput{{LineItemID: "oli_x", Quantity: 1}})
		if graphtest.FieldOf(err) != "#/lines/0/line_item_id unknown_value" {
			t.Errorf("an unknown line: %v", err)
		}
	})
}

// TestRefundOfZero: free items, and items of an order that is already refunded, can be restocked
// with a refund of 0. Without items, a refund needs an amount.
func TestRefundOfZero(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		p := graphtest.Must[*model.ProductPayload](t)(m.ProductCreate(ctx, model.ProductCreateInput{Title: "Flyer",
			Currency: "EUR", InventoryQuantity: new(int64(5))})).Product
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(ctx, model.OrderCreateInput{Source: "desk",
			Lines: []*model.OrderLineInput{{ProductID: new(p.PublicID()), Quantity: 2}}})).Order
		back := model.RefundInput{Restock: true, Lines: []*model.LineQuantityInput{
			{LineItemID: xid.OrderLine.Format(o.Lines[0].ID), Quantity: 1}}}
		after := graphtest.Must[*model.OrderPayload](t)(m.OrderRefund(ctx, o.PublicID(), o.Version, back)).Order
		p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		if after.FinancialStatus != o.FinancialStatus || after.Lines[0].RefundedQuantity != 1 ||
			*p.InventoryQuantity != 4 {
			t.Errorf("%s after %s, %d in stock", after.FinancialStatus, o.FinancialStatus, *p.InventoryQuantity)
		}
		_, err := m.OrderRefund(ctx, o.PublicID(), after.Version, model.RefundInput{})
		if graphtest.FieldOf(err) != "#/amount_minor out_of_range" {
			t.Errorf("nothing for nothing: %v", err)
		}
	})
}
