package sales_test

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	dbaudit "github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestCustomerRedact(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		order := func(in model.OrderCreateInput) *model.Order {
			in.Source, in.Lines = "test", []*model.OrderLineInput{graphtest.CustomLine("Mug", 1, 500)}
			return graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		}
		home := &model.AddressInput{Line1: "St James's Square 12", City: "London", Country: "GB"}
		// More than one page of orders.
		full := order(model.OrderCreateInput{CustomerID: new(c.PublicID()), BillingAddress: home,
			ShippingAddress: home})
		for range 95 {
			order(model.OrderCreateInput{CustomerID: new(c.PublicID())})
		}
		other := order(model.OrderCreateInput{Email: new("ada@example.com"), BillingAddress: home})
		c = graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
		p, err := r.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Customer
		sameCustomer(t, ctx, r, got)
		if got.Status != state.CustomerRedacted || got.EmailMarketing != state.EmailNotSubscribed ||
			got.DisplayName() != "Redacted customer" || got.OrdersCount != c.OrdersCount {
			t.Errorf("redacted to %v", got)
		}
		body := graphtest.LastEvent(t, ctx, r, c.ID)
		if !strings.Contains(body, `"type":"customer.redacted"`) || !strings.Contains(body, `"changed_fields":null`) {
			t.Errorf("event %s", body)
		}
		checkRedacted(t, ctx, r, c, full, other)
		// The address is free again.
		graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		rows := graphtest.Must[[]*db.Audit](t)(r.Client(ctx).Audit.Query().Where(dbaudit.ResourceID(c.ID)).All(ctx))
		for _, a := range rows {
			if a.Detail != nil {
				t.Errorf("the audit log says %q", *a.Detail)
			}
		}
	})
}

// checkRedacted checks every order, and in detail a full one and one of another person.
func checkRedacted(t *testing.T, ctx context.Context, r *graph.Resolver, c *model.Customer, full, other *model.Order) {
	t.Helper()
	orders := graphtest.Must[[]*db.Order](t)(r.Client(ctx).Order.Query().All(ctx))
	for _, o := range orders {
		if o.ID == other.ID {
			if o.Email == nil || o.BillingAddress == nil || o.Version != other.Version {
				t.Errorf("another person's order was redacted: %v", o)
			}
			continue
		}
		if o.Email != nil || o.BillingAddress != nil || o.ShippingAddress != nil || o.Version != 2 ||
			o.UpdatedAt <= o.ID.Time() {
			t.Fatalf("order left with %v", o)
		}
		if d := cmp.Diff([]string{"order.created", "order.updated"},
			graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence)); d != "" {
			t.Fatal(d)
		}
	}
	body := graphtest.LastEvent(t, ctx, r, full.ID)
	for _, want := range []string{`"changed_fields":["email","billing_address","shipping_address"]`, `"title":"Mug"`,
		`"email":null`, `"resource":{"type":"order","id":"` + full.PublicID() + `","version":2}`, `"sequence":2`} {
		if !strings.Contains(body, want) {
			t.Errorf("event without %s:\n%s", want, body)
		}
	}
	for _, o := range orders {
		if o.ID != other.ID && strings.Contains(graphtest.LastEvent(t, ctx, r, o.ID), "ada@") {
			t.Fatal("the new event names the person")
		}
	}
}

// Copies outside of the customer's rows are erased too, and no personal data can be written again.
func TestCustomerRedactErasesCopies(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		home := &model.AddressInput{Line1: "St James's Square 12", City: "London", Country: "GB"}
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			CustomerID: new(c.PublicID()), BillingAddress: home,
			Lines: []*model.OrderLineInput{graphtest.CustomLine("Mug", 1, 500)}})).Order
		other := graphtest.Ada()
		other.Email = new("ben@example.com")
		ben := graphtest.NewCustomer(t, ctx, r, other)
		c = graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
		graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version))
		last := graphtest.LastEvent(t, ctx, r, c.ID)
		if err := r.Erasures.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, e := range graphtest.Must[[]*db.Event](t)(r.Client(ctx).Event.Query().All(ctx)) {
			shows := strings.Contains(strings.ToLower(string(e.Body)), "james") ||
				strings.Contains(string(e.Body), "Lovelace") || strings.Contains(string(e.Body), "@")
			if shows != (e.ResourceID == ben.ID) {
				t.Errorf("%s: %s", e.Type, e.Body)
			}
		}
		if got := graphtest.LastEvent(t, ctx, r, c.ID); got != last {
			t.Errorf("customer.redacted became %s", got)
		}
		o = graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		for name, in := range map[string]model.OrderUpdateInput{
			"email": {Email: model.Some("ada@example.com")}, "address": {ShippingAddress: model.Some(*home)},
		} {
			_, err := r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version, in)
			if graphtest.FaultOf(err) != "invalid_transition" {
				t.Errorf("%s: %v", name, err)
			}
		}
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version,
			model.OrderUpdateInput{Tags: graphql.OmittableOf([]string{"gift"})}))
	})
}
