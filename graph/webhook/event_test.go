package webhook_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// webhook_endpoint.suspended is the one event that the engine makes: once per
// suspension, about the endpoint, for the store's other endpoints alone.
func TestSuspensionIsAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notified atomic.Int64
		shop := faked(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/broken":
				w.WriteHeader(http.StatusServiceUnavailable)
			case r.Header.Get("x-service-event") == string(event.WebhookEndpointSuspended):
				notified.Add(1)
			}
		})
		broken := shop.endpoint("http://receiver.example/broken", event.ProductUpdated, event.WebhookEndpointSuspended)
		shop.endpoint("http://receiver.example/other", event.ProductUpdated, event.WebhookEndpointSuspended)
		shop.engine.Start(t.Context())
		p := &product{id: xid.New()}
		for range 3 {
			shop.change(p)
		}
		<-time.After(23 * time.Hour)
		if got := suspensions(shop); len(got) != 0 || notified.Load() != 0 {
			t.Errorf("notified before the day was over: %v", got)
		}
		<-time.After(90 * time.Minute)
		row := shop.s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, broken.ID)
		got := suspensions(shop)
		if row.Status != state.EndpointSuspended || row.EventSequence != 1 || len(got) != 1 ||
			got[0].ResourceID != broken.ID || got[0].ResourceType != xid.WebhookEndpoint.Resource() ||
			got[0].Sequence != 1 {
			t.Errorf("the %s endpoint counts %d events, the log has %v", row.Status, row.EventSequence, got)
		}
		if n := shop.s.DB(shop.ctx).Event.Query().CountX(shop.ctx); n != 4 || notified.Load() != 1 {
			t.Errorf("%d events in all, want the product's three and one; the other endpoint was notified %d times", n,
				notified.Load())
		}
	})
}

// suspensions are the events webhook_endpoint.suspended of the log.
func suspensions(s *shop) (list []*db.Event) {
	for _, e := range s.s.DB(s.ctx).Event.Query().AllX(s.ctx) {
		if e.Type == event.WebhookEndpointSuspended {
			list = append(list, e)
		}
	}
	return list
}
