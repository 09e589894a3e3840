package endpoint_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The log can be filtered by type and resource, page by page. The events of one resource are sorted
// by sequence.
func TestEvents(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		mug, order := xid.New(), xid.New()
		types := []event.Type{event.ProductCreated, event.OrderCreated, event.ProductUpdated, event.OrderPaid,
			event.ProductUpdated}
		ids := make([]string, len(types))
		p.Plant(t, len(types), func(ctx context.Context, i int) error {
			id, of := xid.New(), mug
			if types[i] == event.OrderCreated || types[i] == event.OrderPaid {
				of = order
			}
			ids[i] = xid.Event.Format(id)
			return p.Client(ctx).Event.Create().SetID(id).SetType(types[i]).
				SetResourceType(event.About(types[i]).Resource()).SetResourceID(of).SetSequence(int64(i + 1)).
				SetBody([]byte(`{"n":1}`)).Exec(ctx)
		})
		other := p.Other(t)
		ofMug := xid.Product.Format(mug)
		for name, tc := range map[string]struct {
			shop   *graphtest.Shop
			filter *model.EventFilter
			want   []string
		}{
			"all":     {p, nil, []string{ids[4], ids[3], ids[2], ids[1], ids[0]}},
			"of mug":  {p, &model.EventFilter{ResourceID: &ofMug}, []string{ids[4], ids[2], ids[0]}},
			"updated": {p, &model.EventFilter{Types: []string{"product.updated"}}, []string{ids[4], ids[2]}},
			"two": {p, &model.EventFilter{Types: []string{"order.paid", "order.created", "order.paid"}},
				[]string{ids[3], ids[1]}},
			"both": {p, &model.EventFilter{Types: []string{"product.created"}, ResourceID: &ofMug},
				[]string{ids[0]}},
			"elsewhere": {other, &model.EventFilter{ResourceID: &ofMug}, nil},
		} {
			var got []string
			var after *string
			for more := true; more; {
				c := graphtest.Must[*model.EventConnection](t)(
					tc.shop.Query().Events(tc.shop.Ctx, new(1), after, tc.filter))
				for _, e := range c.Nodes {
					got = append(got, e.PublicID())
				}
				after, more = &c.Next, c.Next != ""
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		for want, bad := range map[string]model.EventFilter{"types unknown_value": {Types: []string{"ping"}},
			"resource_id invalid_format": {ResourceID: &ids[0]}} {
			if got := graphtest.FieldOf(graphtest.ErrOf(p.Query().Events(p.Ctx, nil, nil, &bad))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		payloads(t, p, ids)
		if got := graphtest.FaultOf(graphtest.ErrOf(other.Query().Event(other.Ctx, ids[0]))); got != "not_found" {
			t.Errorf("another store's event: %q", got)
		}
	})
}

// payloads reads the events of an order and a product with a scope for products alone.
func payloads(t *testing.T, p *graphtest.Shop, ids []string) {
	t.Helper()
	f, developer := endpoint.EventFields{Resolver: resolver(p)}, p.As(xid.New(), viewer.Developer)
	for i, want := range []*string{new(`{"n":1}`), nil} {
		e := graphtest.Must[*model.Event](t)(p.Query().Event(developer, ids[i]))
		if d := cmp.Diff(want, graphtest.Must[*string](t)(f.Payload(developer, e))); d != "" {
			t.Errorf("payload of %s (-want +got):\n%s", e.Type(), d)
		}
	}
}

// One event is resent by a replay without other events, to an endpoint of its own store that
// subscribes to it.
func TestWebhookEventReplay(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, unsubscribed := p.NewEndpoint(t, p.Ctx, "product.created"), p.NewEndpoint(t, p.Ctx, "order.paid")
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		of := xid.Product.Format(mug.ID)
		c := graphtest.Must[*model.EventConnection](t)(p.Query().Events(p.Ctx, nil, nil,
			&model.EventFilter{ResourceID: &of}))
		if len(c.Nodes) != 1 {
			t.Fatalf("%d events", len(c.Nodes))
		}
		made, other := c.Nodes[0], p.Other(t)
		app, _ := p.AsApp(t, p.NewApp(t, scope.WebhooksWrite), scope.WebhooksWrite)
		again := func(ctx context.Context, s *graphtest.Shop, id string, to *model.WebhookEndpoint) string {
			return graphtest.FaultOf(graphtest.ErrOf(s.Mutation().WebhookEventReplay(ctx, id, to.PublicID())))
		}
		for _, want := range []string{"", "replay_pending"} {
			if got := again(p.Ctx, p, made.PublicID(), e); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if got := again(p.Ctx, p, made.PublicID(), unsubscribed); got != "invalid_transition" {
			t.Errorf("to an endpoint that does not subscribe: %q", got)
		}
		if got := again(p.Ctx, p, xid.Event.Format(xid.New()), unsubscribed); got != "not_found" {
			t.Errorf("an event that is not there: %q", got)
		}
		if got := again(other.Ctx, other, made.PublicID(), e); got != "not_found" {
			t.Errorf("from another store: %q", got)
		}
		if got := again(app, p, made.PublicID(), e); got != "not_found" {
			t.Errorf("by an app, to an endpoint that is not its own: %q", got)
		}
		q := p.Queue(t, e.ID)
		if q.ReplayFrom == nil || *q.ReplayFrom != made.ID || q.ReplayTo.Compare(made.ID) <= 0 ||
			q.ReplayTo.Time() > made.ID.Time() {
			t.Errorf("the queue replays from %v to %v", q.ReplayFrom, q.ReplayTo)
		}
	})
}
