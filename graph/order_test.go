package graph

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// item is a line without a product.
func item(title string, quantity, unit int64) *model.OrderLineInput {
	return &model.OrderLineInput{Title: &title, Quantity: quantity, UnitPriceMinor: &unit}
}

// of is a line of a product, with what the product says.
func of(p *db.Product, quantity int64) *model.OrderLineInput {
	return &model.OrderLineInput{ProductID: new(p.PublicID()), Quantity: quantity}
}

// sale makes an order of the lines.
func sale(t testing.TB, ctx context.Context, r *Resolver, lines ...*model.OrderLineInput) *model.Order {
	t.Helper()
	p, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Lines: lines, Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return p.Order
}

// ware makes a product; no stock means untracked.
func ware(t testing.TB, ctx context.Context, r *Resolver, price int64, stock ...int64) *db.Product {
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

// buyer makes a customer.
func buyer(t testing.TB, ctx context.Context, r *Resolver, email string, status state.CustomerStatus) *db.Customer {
	t.Helper()
	var c *db.Customer
	err := r.Store.InTx(ctx, func(ctx context.Context) (err error) {
		c, err = r.client(ctx).Customer.Create().SetEmail(email).SetStatus(status).SetEmailMarketing(state.EmailNotSubscribed).
			SetAddresses(document.NewAddresses(nil)).SetTags(document.NewTags(nil)).SetUpdatedAt(micros.Now()).Save(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// again reads a customer.
func again(t testing.TB, ctx context.Context, r *Resolver, id xid.ID) *db.Customer {
	t.Helper()
	return must[*db.Customer](t)(r.client(ctx).Customer.Query().Where(customer.ID(id)).Only(ctx))
}

// stockOf reads the stock of a product.
func stockOf(t testing.TB, ctx context.Context, r *Resolver, p *db.Product) int64 {
	t.Helper()
	return *must[*db.Product](t)(r.product(ctx, p.ID)).InventoryQuantity
}

// told returns the types of a resource's events in their order, and fails when
// their sequence has a gap or does not end where the resource says.
func told(t testing.TB, ctx context.Context, r *Resolver, id xid.ID, last int64) (types []string) {
	t.Helper()
	rows := must[[]*db.Event](t)(r.client(ctx).Event.Query().Where(dbevent.ResourceID(id)).Order(dbevent.BySequence()).All(ctx))
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
