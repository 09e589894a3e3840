package graph

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	dbaudit "github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

func TestCustomerRedact(t *testing.T) {
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		c := newCustomer(t, ctx, r, ada())
		order := func(in model.OrderCreateInput) *model.Order {
			in.Source, in.Lines = "test", []*model.OrderLineInput{item("Mug", 1, 500)}
			return must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		}
		home := &model.AddressInput{Line1: "St James's Square 12", City: "London", Country: "GB"}
		// Two pages and a half of them.
		full := order(model.OrderCreateInput{CustomerID: new(c.PublicID()), BillingAddress: home, ShippingAddress: home})
		for range redactBatch + 5 {
			order(model.OrderCreateInput{CustomerID: new(c.PublicID())})
		}
		other := order(model.OrderCreateInput{Email: new("ada@example.com"), BillingAddress: home})
		c = must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
		p, err := r.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Customer
		sameCustomer(t, ctx, r, got)
		if got.Status != state.CustomerRedacted || got.EmailMarketing != state.EmailNotSubscribed || got.DisplayName() != "Redacted customer" || got.OrdersCount != c.OrdersCount {
			t.Errorf("redacted to %v", got)
		}
		body := lastEvent(t, ctx, r, c.ID)
		if !strings.Contains(body, `"type":"customer.redacted"`) || !strings.Contains(body, `"changed_fields":null`) {
			t.Errorf("event %s", body)
		}
		checkRedacted(t, ctx, r, c, full, other)
		// His address is free again.
		newCustomer(t, ctx, r, ada())
		rows := must[[]*db.Audit](t)(r.client(ctx).Audit.Query().Where(dbaudit.ResourceID(c.ID)).All(ctx))
		for _, a := range rows {
			if a.Detail != nil {
				t.Errorf("the audit log says %q", *a.Detail)
			}
		}
	})
}

// checkRedacted looks at every order, and closely at one that held everything
// and at another person's.
func checkRedacted(t *testing.T, ctx context.Context, r *Resolver, c *model.Customer, full, other *model.Order) {
	t.Helper()
	orders := must[[]*db.Order](t)(r.client(ctx).Order.Query().All(ctx))
	for _, o := range orders {
		if o.ID == other.ID {
			if o.Email == nil || o.BillingAddress == nil || o.Version != other.Version {
				t.Errorf("another person's order was redacted: %v", o)
			}
			continue
		}
		if o.Email != nil || o.BillingAddress != nil || o.ShippingAddress != nil || o.Version != 2 || o.UpdatedAt <= o.ID.Time() {
			t.Fatalf("order left with %v", o)
		}
		if d := cmp.Diff([]string{"order.created", "order.updated"}, told(t, ctx, r, o.ID, o.EventSequence)); d != "" {
			t.Fatal(d)
		}
	}
	body := lastEvent(t, ctx, r, full.ID)
	for _, want := range []string{`"changed_fields":["email","billing_address","shipping_address"]`, `"title":"Mug"`, `"email":null`,
		`"resource":{"type":"order","id":"` + full.PublicID() + `","version":2}`, `"sequence":2`} {
		if !strings.Contains(body, want) {
			t.Errorf("event without %s:\n%s", want, body)
		}
	}
	for _, o := range orders {
		if o.ID != other.ID && strings.Contains(lastEvent(t, ctx, r, o.ID), "ada@") {
			t.Fatal("the new event names the person")
		}
	}
}
