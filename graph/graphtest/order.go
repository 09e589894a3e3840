package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// CustomLine returns a line without a product.
func CustomLine(title string, quantity, unit int64) *model.OrderLineInput {
	return &model.OrderLineInput{Title: &title, Quantity: quantity, UnitPriceMinor: &unit}
}

// ProductLine returns a line of a product, with the product's title and price.
func ProductLine(p *db.Product, quantity int64) *model.OrderLineInput {
	return &model.OrderLineInput{ProductID: new(p.PublicID()), Quantity: quantity}
}

// NewOrder creates an order with the lines.
func NewOrder(t testing.TB, ctx context.Context, r *graph.Resolver, lines ...*model.OrderLineInput) *model.Order {
	t.Helper()
	return Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx,
		model.OrderCreateInput{Lines: lines, Source: "test"})).Order
}

// NewStockedProduct creates a product. Without stock, its inventory is not tracked.
func NewStockedProduct(t testing.TB, ctx context.Context, r *graph.Resolver, price int64, stock ...int64) *db.Product {
	t.Helper()
	in := model.ProductCreateInput{Title: "Mug", PriceMinor: price, Currency: "EUR", Sku: new("MUG-1")}
	if len(stock) > 0 {
		in.InventoryQuantity = &stock[0]
	}
	return NewProduct(t, ctx, r, in)
}

// ReadCustomer reads a customer.
func ReadCustomer(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID) *db.Customer {
	t.Helper()
	return Must[*db.Customer](t)(r.Client(ctx).Customer.Query().Where(customer.ID(id)).Only(ctx))
}

// EventTypes returns the types of a resource's events in order. It fails the test if the sequence
// has a gap or does not end at last.
func EventTypes(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID, last int64) (types []string) {
	t.Helper()
	rows := events(t, ctx, r, id)
	for i, e := range rows {
		if e.Sequence != int64(i+1) {
			t.Errorf("event %d is %s with sequence %d", i+1, e.Type, e.Sequence)
		}
		types = append(types, string(e.Type))
	}
	if int64(len(rows)) != last {
		t.Errorf("the resource counts %d events, the log has %d", last, len(rows))
	}
	return types
}

// Plant inserts n plain orders directly, which is fast; edit changes each and returns its id.
func Plant(
	t testing.TB, ctx context.Context, r *graph.Resolver, n int, edit func(i int, o *db.OrderCreate) xid.ID,
) (ids []xid.ID) {
	t.Helper()
	for from := 0; from < n; from += 500 {
		inTx(t, ctx, r.Store, func(ctx context.Context) error {
			rows := make([]*db.OrderCreate, min(500, n-from))
			err := r.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddNextNumber(int64(len(rows))).
				Exec(ctx)
			if err != nil {
				return err
			}
			s, err := r.CurrentStore(ctx)
			if err != nil {
				return err
			}
			first := s.NextNumber - int64(len(rows))
			for i := range rows {
				rows[i] = r.Client(ctx).Order.Create().SetNumber(first + int64(i)).SetStatus(state.OrderOpen).
					SetFinancialStatus(state.FinancialPaid).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
					SetCurrency("EUR").SetSubtotalMinor(1).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).
					SetTotalMinor(1).SetPaidMinor(1).SetRefundedMinor(0).SetTags(document.NewTags(nil)).
					SetSource("test").SetPlacedAt(1).SetUpdatedAt(1)
				id := edit(from+i, rows[i])
				rows[i].SetID(id)
				ids = append(ids, id)
			}
			return r.Client(ctx).Order.CreateBulk(rows...).Exec(ctx)
		})
	}
	return ids
}
