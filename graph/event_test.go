package graph_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The event log lists the events of the store, newest first, and no others.
func TestEvents(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := model.ProductCreateInput{Title: "Cup", PriceMinor: 100, Currency: "EUR"}
		made := graphtest.Must[*model.ProductPayload](t)(p.Mutation().ProductCreate(p.Ctx, in)).Product
		other := graphtest.NewShop(t, p.Resolver)
		graphtest.Must[*model.ProductPayload](t)(other.Mutation().ProductCreate(other.Ctx, in))
		q := p.Query()
		graphtest.Must[*model.ProductPayload](t)(p.Mutation().ProductPublish(p.Ctx, made.PublicID(), made.Version))
		var types []string
		var after *string
		for {
			c := graphtest.Must[*model.EventConnection](t)(q.Events(p.Ctx, new(1), after, nil))
			for _, e := range c.Nodes {
				if e.PublicResourceID() != made.PublicID() || e.ResourceType != "product" || e.Body != nil {
					t.Errorf("%+v", e)
				}
				types = append(types, e.Type())
			}
			if after = &c.Next; c.Next == "" {
				break
			}
		}
		want := []event.Type{event.ProductPublished, event.ProductUpdated, event.ProductCreated}
		if len(types) != len(want) || types[2] != string(want[2]) {
			t.Errorf("got %v, want %v", types, want)
		}
	})
}
