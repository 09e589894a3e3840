package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
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
	p, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Lines: lines, Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return p.Order
}

// NewStockedProduct creates a product. Without stock, its inventory is not tracked.
func NewStockedProduct(t testing.TB, ctx context.Context, r *graph.Resolver, price int64, stock ...int64) *db.Product {
	t.Helper()
	in := model.ProductCreateInput{Title: "Mug", PriceMinor: price, Currency: "EUR", Sku: new("MUG-1")}
	if len(stock) > 0 {
		in.InventoryQuantity = &stock[0]
	}
	p, err := r.Mutation().ProductCreate(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return p.Product
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
	rows := Must[[]*db.Event](t)(r.Client(ctx).Event.Query().Where(dbevent.ResourceID(id)).Order(dbevent.BySequence()).
		All(ctx))
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
