package webhook_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// The engine writes webhook_endpoint.suspended once per suspension, about the endpoint, for the
// store's other endpoints only.
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
		if row.Status != state.EndpointSuspended || row.EventSequence != 4 || len(got) != 1 ||
			got[0].ResourceID != broken.ID || got[0].ResourceType != xid.WebhookEndpoint.Resource() ||
			got[0].Sequence != 4 { // three warnings came before
			t.Errorf("the %s endpoint counts %d events, the log has %v", row.Status, row.EventSequence, got)
		}
		if n := shop.s.DB(shop.ctx).Event.Query().CountX(shop.ctx); n != 7 || notified.Load() != 1 {
			t.Errorf("%d events in all, want the product's three and four; the other endpoint was notified %d times", n,
				notified.Load())
		}
	})
}

// suspensions returns the webhook_endpoint.suspended events in the log.
func suspensions(s *shop) (list []*db.Event) {
	for _, e := range s.s.DB(s.ctx).Event.Query().AllX(s.ctx) {
		if e.Type == event.WebhookEndpointSuspended {
			list = append(list, e)
		}
	}
	return list
}

// webhook_endpoint.failing is written with each warning, and webhook_endpoint.recovered after the
// recovery if people were warned. The endpoint in question does not receive them, and its version
// does not change.
func TestFailureAndRecoveryAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sick atomic.Bool
		sick.Store(true)
		var notified, own atomic.Int64
		shop := faked(t, func(w http.ResponseWriter, r *http.Request) {
			notification := r.Header.Get("x-service-event") != string(event.ProductUpdated)
			switch {
			case r.URL.Path == "/broken" && notification:
				own.Add(1)
			case r.URL.Path == "/broken" && sick.Load():
				w.WriteHeader(http.StatusServiceUnavailable)
			case notification:
				notified.Add(1)
			}
		})
		types := []event.Type{event.ProductUpdated, event.WebhookEndpointFailing, event.WebhookEndpointRecovered}
		broken := shop.endpoint("http://receiver.example/broken", types...)
		shop.endpoint("http://receiver.example/other", types[1:]...)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		<-time.After(7 * time.Hour)
		if got := about(shop, event.WebhookEndpointFailing); len(got) != 2 || !strings.Contains(string(got[1].Body),
			`"failing_since":"`) {
			t.Errorf("%d events after two warnings: %v", len(got), got)
		}
		sick.Store(false)
		<-time.After(5 * time.Hour)
		got := about(shop, event.WebhookEndpointRecovered)
		if len(got) != 1 || got[0].Sequence != 3 || got[0].ResourceID != broken.ID ||
			!strings.Contains(string(got[0].Body), `"failing_since":null`) {
			t.Errorf("events of the recovery: %v", got)
		}
		if notified.Load() != 3 || own.Load() != 0 {
			t.Errorf("notified: the other endpoint %d times, the endpoint itself %d times", notified.Load(), own.Load())
		}
		row := shop.s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, broken.ID)
		if row.Version != broken.Version || row.EventSequence != 3 {
			t.Errorf("it has version %d and %d events", row.Version, row.EventSequence)
		}
	})
}

// about returns the events of a type in the log.
func about(s *shop, t event.Type) []*db.Event {
	return s.s.DB(s.ctx).Event.Query().Where(dbevent.TypeEQ(t)).Order(dbevent.ByID()).AllX(s.ctx)
}
