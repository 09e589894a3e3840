package graph

import (
	"testing"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/model"
)

// The log holds what the store's changes made, newest first, and nobody else's.
func TestEvents(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		in := model.ProductCreateInput{Title: "Cup", PriceMinor: 100, Currency: "EUR"}
		made := must[*model.ProductPayload](t)(p.Mutation().ProductCreate(p.ctx, in)).Product
		other := newShop(t, p.Resolver)
		must[*model.ProductPayload](t)(other.Mutation().ProductCreate(other.ctx, in))
		q := p.Query()
		must[*model.ProductPayload](t)(p.Mutation().ProductPublish(p.ctx, made.PublicID(), made.Version))
		var types []string
		var after *string
		for {
			c := must[*model.EventConnection](t)(q.Events(p.ctx, new(1), after))
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
