package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/endpointstat"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// granting makes f the source of every app's scopes.
func granting(f func() scope.Set) func(*webhook.Config) {
	return func(c *webhook.Config) {
		c.AppScopes = func(context.Context, xid.ID, xid.ID, xid.ID) (scope.Set, error) { return f(), nil }
	}
}

// endpointOf registers an app's endpoint.
func (s *shop) endpointOf(app xid.ID, url string, types ...event.Type) *db.WebhookEndpoint {
	s.t.Helper()
	e := s.endpoint(url, types...)
	s.tx(func(ctx context.Context) error {
		u := s.s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID))
		u.Modify(func(b *sql.UpdateBuilder) {
			b.Set(webhookendpoint.FieldAppStoreID, s.store).Set(webhookendpoint.FieldAppID, app)
		})
		return u.Exec(ctx)
	})
	return e
}

func TestAppNeedsTheScope(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var has atomic.Pointer[scope.Set]
		grant := func(scopes ...string) { has.Store(new(scope.Of(scopes...))) }
		grant(scope.OrdersRead)
		set := granting(func() scope.Set { return *has.Load() })
		shop := open(t, s, set)
		r, p := receive(t, nil), product{id: xid.New()}
		e := shop.endpointOf(xid.New(), r.URL, event.ProductUpdated)
		mine := receive(t, nil)
		shop.endpoint(mine.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.write(&p, 2, event.ProductUpdated, `{}`)
		until(t, "two to be refused", func() bool { return len(shop.logged(e)) == 2 })
		for _, l := range shop.logged(e) {
			if l.State != state.DeliveryCancelled || l.Outcome != "not_permitted" || l.Attempts != 0 ||
				l.BeganAt != nil || l.Type != event.ProductUpdated {
				t.Errorf("logged: %+v", l)
			}
		}
		until(t, "the store's own endpoint", func() bool { return mine.accepted() == 2 })
		stop(shop.engine)
		// The scopes are cached for some seconds, so another process takes over.
		grant(scope.ProductsRead)
		other := engine(t, s, set)
		other.Start(t.Context())
		shop.change(&p)
		until(t, "the event that it may have", func() bool { return r.accepted() == 1 })
		if got := r.sequences(p); !slices.Equal(got, []int64{3}) || r.attempts() != 1 {
			t.Errorf("got %d in %d attempts", got, r.attempts())
		}
		if q := shop.queueOf(e); q.FailingSince != nil || q.Streak != 0 {
			t.Errorf("a delivery that was not permitted counts as a failure: %+v", q)
		}
		stop(other)
		for _, slot := range s.DB(shop.ctx).EndpointStat.Query().Where(endpointstat.ID(e.ID)).AllX(shop.ctx) {
			if slot.Failed != 0 {
				t.Errorf("the chart shows %d failures", slot.Failed)
			}
		}
	})
}

// TestRevokedIsOver: ten seconds after an app lost access, its endpoint receives nothing.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		receiver := new(counting)
		receiver.status.Store(200)
		shop := faked(t, receiver.ServeHTTP, granting(func() scope.Set {
			if revoked.Load() {
				return scope.Of()
			}
			return scope.Of(scope.ProductsRead)
		}))
		e := shop.endpointOf(xid.New(), "http://receiver.example/hook", event.ProductUpdated)
		shop.engine.Start(t.Context())
		for _, want := range []string{"delivered", "not_permitted"} {
			shop.change(&product{id: xid.New()})
			<-time.After(10 * time.Second)
			if rows := shop.logged(e); len(rows) == 0 || rows[len(rows)-1].Outcome != want {
				t.Errorf("logged: %v, want %s", rows, want)
			}
			revoked.Store(true)
			<-time.After(10 * time.Second)
		}
		if n := receiver.attempts.Load(); n != 1 {
			t.Errorf("%d attempts, want 1", n)
		}
		stop(shop.engine)
	})
}

// TestCancelledEndsTheIncident: a delivery that failed and then ended without the receiver no
// longer counts as failing, even if nothing was delivered since.
func TestCancelledEndsTheIncident(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		e := shop.endpoint(receive(t, new(moody).answer).URL, event.ProductUpdated)
		shop.change(&product{id: xid.New()})
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).FailingSince != nil })
		stop(shop.engine)
		shop.tx(func(ctx context.Context) error {
			if _, err := s.DB(ctx).Event.Delete().Exec(ctx); err != nil {
				return err
			}
			_, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0])
			return err
		})
		shop.engine.Start(t.Context())
		until(t, "the end", func() bool { return len(shop.logged(e)) == 1 })
		stop(shop.engine)
		if since := shop.queueOf(e).FailingSince; since != nil {
			t.Errorf("failing since %v, and nothing fails", since)
		}
	})
}

// TestAppsGetNothingByDefault: an engine without a source of app scopes sends nothing to apps.
func TestAppsGetNothingByDefault(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r := open(t, s), receive(t, nil)
		e := shop.endpointOf(xid.New(), r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "the refusal", func() bool { return len(shop.logged(e)) == 1 })
		if r.attempts() != 0 {
			t.Error("an app's endpoint got an event")
		}
	})
}

// TestWhoIsNotNotified: an app is not notified of the end of its own access, nor an endpoint of its
// own suspension. All others are.
func TestWhoIsNotNotified(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s, granting(func() scope.Set { return scope.Of(scope.WebhooksRead) }))
		own := xid.New()
		types := []event.Type{event.AppGrantRevoked, event.WebhookEndpointSuspended}
		its, others, stores := receive(t, nil), receive(t, nil), receive(t, nil)
		e := shop.endpointOf(own, its.URL, types...)
		shop.endpointOf(xid.New(), others.URL, types...)
		shop.endpoint(stores.URL, types...)
		shop.revoked(own)
		shop.tx(func(ctx context.Context) error {
			return outbox.Append(ctx, s.DB(ctx),
				outbox.Resource{Store: shop.store, ID: e.ID, Version: 2, Sequence: 1, At: micros.Now()},
				outbox.Entry{Type: event.WebhookEndpointSuspended, Object: []byte(`{}`)})
		})
		shop.revoked(xid.New())
		shop.engine.Start(t.Context())
		stores.exactly(t, 3)
		others.exactly(t, 3)
		its.exactly(t, 1)
		stop(shop.engine)
		if q := shop.queueOf(e); q.LastSequence != 1 {
			t.Errorf("%d deliveries to the endpoint it is about, want 1", q.LastSequence)
		}
	})
}

// exportedBy writes the event of a completed export that somebody requested.
func (s *shop) exportedBy(kind state.ExportKind, who, id string) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		return outbox.Append(ctx, s.s.DB(ctx),
			outbox.Resource{Store: s.store, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()},
			outbox.Entry{Type: event.ExportCompleted,
				Object: fmt.Appendf(nil, `{"kind":%q,"requested_by":{"type":%q,"id":%q}}`, kind, who, id)})
	})
}

// TestWhoseExports: an app is notified of its own exports only, while it has the scope of their
// content; the store's endpoints are notified of all.
func TestWhoseExports(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for _, tc := range []struct {
			name string
			kind state.ExportKind
			has  scope.Set
			want int
		}{
			{"with the kind's scope", state.ExportOrders,
				scope.Of(scope.WebhooksRead, scope.ExportsRead, scope.OrdersRead), 1},
			{"without", state.ExportOrders, scope.Of(scope.WebhooksRead, scope.ExportsRead, scope.ProductsRead), 0},
			{"attempts", state.ExportWebhookAttempts, scope.Of(scope.WebhooksRead, scope.ExportsRead), 1},
			{"attempts without", state.ExportWebhookAttempts, scope.Of(scope.OrdersRead, scope.ExportsRead), 0},
		} {
			t.Run(tc.name, func(t *testing.T) {
				shop := open(t, s, granting(func() scope.Set { return tc.has }))
				own := xid.New()
				its, stores := receive(t, nil), receive(t, nil)
				e := shop.endpointOf(own, its.URL, event.ExportCompleted)
				shop.endpoint(stores.URL, event.ExportCompleted)
				shop.exportedBy(tc.kind, "staff", xid.User.Format(xid.New()))
				shop.exportedBy(tc.kind, "oauth_app", xid.App.Format(xid.New()))
				shop.exportedBy(tc.kind, "oauth_app", xid.App.Format(own))
				shop.engine.Start(t.Context())
				stores.exactly(t, 3)
				until(t, "the app's delivery", func() bool { return len(shop.logged(e)) == 1 })
				stop(shop.engine)
				if its.attempts() != tc.want {
					t.Errorf("%d attempts to the app's endpoint, want %d", its.attempts(), tc.want)
				}
			})
		}
	})
}

// TestEventAgedOut: a delivery that waits for longer than the log's retention ends, and its lane
// goes on.
func TestEventAgedOut(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, p := open(t, s), product{id: xid.New()}
		m := new(moody)
		r := receive(t, m.answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
		stop(shop.engine)
		m.well.Store(true)
		first := shop.waiting(e)[0]
		shop.tx(func(ctx context.Context) error {
			if _, err := s.DB(ctx).Event.Delete().Where(dbevent.ID(first.EventID)).Exec(ctx); err != nil {
				return err
			}
			_, err := shop.engine.RetryNow(ctx, first)
			return err
		})
		shop.engine.Start(t.Context())
		until(t, "the rest of the lane", func() bool { return len(shop.logged(e)) == 3 })
		if l := shop.logged(e)[0]; l.State != state.DeliveryCancelled || l.Outcome != "expired" || l.Attempts != 1 ||
			l.ResourceID != p.id {
			t.Errorf("logged: %+v", l)
		}
		if got := r.sequences(p); !slices.Equal(got, []int64{2, 3}) {
			t.Errorf("got %d", got)
		}
	})
}
