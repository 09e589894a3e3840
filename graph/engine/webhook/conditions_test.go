package webhook_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// filtered sets the filters of an endpoint.
func (s *shop) filtered(e *db.WebhookEndpoint, set ...*filter.Condition) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		return s.s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).
			SetFilters(filter.Set(set).Text()).Exec(ctx)
	})
}

// An event that does not match an endpoint's filters creates no delivery, whether it is relayed,
// read from the log or too large to be read with its row. An event whose data was left out does.
func TestFilters(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		open, all := receive(t, nil), receive(t, nil)
		e := shop.endpoint(open.URL, event.ProductUpdated)
		shop.filtered(e, &filter.Condition{Field: "object.status", In: []string{"open"}})
		shop.endpoint(all.URL, event.ProductUpdated)
		since, pad := micros.Now(), strings.Repeat("x", 20<<10)
		write := func() {
			p := product{id: xid.New()}
			shop.write(&p, 2, event.ProductUpdated, `{"status":"shut"}`)
			shop.write(&p, 3, event.ProductUpdated, `{"status":"open"}`)
			shop.write(&p, 1, event.ProductUpdated, `{"status":"shut","pad":"`+pad+`"}`)
			shop.write(&p, 1, event.ProductUpdated, `{"status":"open","pad":"`+pad+`"}`)
			shop.write(&p, 1, event.ProductUpdated, `{"pad":"`+strings.Repeat(pad, 100)+`"}`) // is left out
		}
		write()
		shop.engine.Start(t.Context())
		until(t, "the first events", func() bool { return all.accepted() == 8 && open.accepted() == 5 })
		shop.tx(func(ctx context.Context) error { return shop.engine.Replay(ctx, e.ID, since, micros.Now()) })
		until(t, "the replay", func() bool { return open.attempts() == 10 })
		shop.turn(e, "disabled", shop.engine.Hold)
		write()
		shop.relayed()
		shop.turn(e, "active", shop.engine.Resume)
		until(t, "what was missed", func() bool { return open.accepted() == 10 && all.accepted() == 16 })
		stop(shop.engine)
		if n, last := open.attempts(), shop.queueOf(e).LastSequence; n != 15 || last != 15 {
			t.Errorf("%d attempts of %d deliveries, want 15", n, last)
		}
	})
}

// Filters see an event as the endpoint's owner receives it.
func TestFiltersSeeWhatIsSent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s, granting(func() scope.Set { return scope.Of(scope.WebhooksRead) }))
		theirs, ours := receive(t, nil), receive(t, nil)
		described := &filter.Condition{Field: "object.description", Exists: new(true)}
		app := shop.endpointOf(xid.New(), theirs.URL, event.WebhookEndpointSuspended)
		shop.filtered(app, described)
		shop.filtered(shop.endpoint(ours.URL, event.WebhookEndpointSuspended), described)
		p := product{id: xid.New()}
		shop.write(&p, 3, event.WebhookEndpointSuspended, `{"url":"https://x.example/","description":"ours"}`)
		shop.engine.Start(t.Context())
		until(t, "the store's endpoint", func() bool { return ours.accepted() == 3 })
		stop(shop.engine)
		if q := shop.queueOf(app); q.LastSequence != 0 || theirs.attempts() != 0 {
			t.Errorf("the app learned by %d deliveries that there is a description", q.LastSequence)
		}
	})
}
