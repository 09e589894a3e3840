package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// Ada returns an input for a customer with all personal data set.
func Ada() model.CustomerCreateInput {
	home := &model.AddressInput{Name: new("Ada Lovelace"), Line1: "St James's Square 12", City: "London", Country: "gb"}
	return model.CustomerCreateInput{
		Email: new("Ada@Example.com"), Phone: new("+44 20 7946 0000"), FirstName: new("Ada"), LastName: new("Lovelace"),
		Status: state.CustomerActive, Locale: new("en-GB"), EmailMarketing: state.EmailSubscribed,
		DefaultAddress: home, Addresses: []*model.AddressInput{home}, Tags: []string{"vip"},
		Note: new("Likes engines."),
	}
}

// NewCustomer creates a customer.
func NewCustomer(t testing.TB, ctx context.Context, r *graph.Resolver, in model.CustomerCreateInput) *model.Customer {
	t.Helper()
	return Must[*model.CustomerPayload](t)(r.Mutation().CustomerCreate(ctx, in)).Customer
}

// LastEvent returns the body of the resource's last event.
func LastEvent(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID) string {
	t.Helper()
	rows := events(t, ctx, r, id)
	if len(rows) == 0 {
		t.Fatal("no event")
	}
	return string(rows[len(rows)-1].Body)
}

func events(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID) []*db.Event {
	t.Helper()
	return Must[[]*db.Event](t)(r.Client(ctx).Event.Query().Where(dbevent.ResourceID(id)).Order(dbevent.BySequence()).
		All(ctx))
}
