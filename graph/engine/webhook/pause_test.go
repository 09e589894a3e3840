package webhook_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// paused pauses an endpoint, in its row and in its queue.
func (s *shop) paused(e *db.WebhookEndpoint, until micros.Time) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		err := s.s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetPausedUntil(until).Exec(ctx)
		if err != nil {
			return err
		}
		return s.engine.Pause(ctx, e.ID, until)
	})
}

// An endpoint that failed for 20 hours is paused for 26 more: nothing is sent and no warning
// written, new events collect, and failed deliveries have 24 hours of their own afterwards.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var came atomic.Int64
		shop := faked(t, func(w http.ResponseWriter, _ *http.Request) {
			came.Add(1)
			<-time.After(2 * time.Second) // an attempt is under way when the pause begins
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		e := shop.endpoint("http://receiver.example/", event.ProductUpdated)
		shop.engine.Start(t.Context())
		ps := products(4)
		for i := range ps {
			shop.change(&ps[i])
		}
		<-time.After(20 * time.Hour)
		fresh := product{id: xid.New()}
		shop.change(&fresh)
		for i := range ps { // so that all are tried at the same time
			d := shop.waiting(e)[i]
			shop.tx(func(ctx context.Context) error { _, err := shop.engine.RetryNow(ctx, d); return err })
		}
		before := came.Load()
		for came.Load() == before { // until an attempt is under way
			<-time.After(100 * time.Millisecond)
		}
		end := micros.Now().Add(26 * time.Hour)
		shop.paused(e, end)
		<-time.After(10 * time.Second)
		before = came.Load()
		for range 3 {
			<-time.After(8 * time.Hour)
			shop.change(&ps[0])
		}
		n, q := came.Load()-before, shop.queueOf(e)
		if n != 0 || q.FailingSince != nil || q.Streak != 0 || q.Warned != 0 {
			t.Errorf("%d attempts during the pause; queue: %v", n, q)
		}
		if row := shop.s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, e.ID); row.Status != "active" {
			t.Errorf("it is %s", row.Status)
		}
		<-time.After(time.Until(end.Time()) + 30*time.Second)
		if n := came.Load() - before; n < 5 {
			t.Errorf("%d attempts after the pause, want one of each resource and more", n)
		}
		<-time.After(5 * time.Hour) // 25 after the first attempt, without the pause
		if row := shop.s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, e.ID); row.Status != "active" {
			t.Errorf("it is %s within its 24 hours", row.Status)
		}
	})
}

// A pause that a person ends is over at once, and the circuit that was open before it is closed.
func TestUnpause(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var sick atomic.Bool
		sick.Store(true)
		r := receive(t, func(receipt) int {
			if sick.Load() {
				return http.StatusBadGateway
			}
			return http.StatusOK
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		ps := products(6)
		for i := range ps {
			shop.change(&ps[i])
		}
		until(t, "the circuit to open", func() bool { return shop.queueOf(e).Streak >= 3 })
		sick.Store(false)
		shop.paused(e, micros.Now().Add(time.Hour))
		shop.tx(func(ctx context.Context) error {
			err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).ClearPausedUntil().Exec(ctx)
			if err != nil {
				return err
			}
			return shop.engine.Resume(ctx, e.ID)
		})
		until(t, "all of them", func() bool { return r.accepted() == 6 })
	})
}

// An endpoint's custom headers are sent with deliveries and pings. An endpoint whose headers cannot
// be decrypted waits.
func TestOwnHeaders(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		e, lost := shop.endpoint(r.URL, event.ProductUpdated), shop.endpoint(r.URL, event.ProductUpdated)
		shop.tx(func(ctx context.Context) error {
			for _, to := range []*db.WebhookEndpoint{e, lost} {
				sealed := vault.SealHeaders(e.ID, []webhook.Header{{"authorization", "Bearer 1"}, {"X-Shop", "7"}})
				err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(to.ID)).SetHeaders(sealed).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		p := product{id: xid.New()}
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "the delivery", func() bool { return r.accepted() == 1 })
		if _, err := shop.engine.Test(shop.ctx, s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, e.ID)); err != nil {
			t.Fatal(err)
		}
		if _, err := shop.engine.Test(shop.ctx, s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, lost.ID)); err == nil {
			t.Error("a ping went out without its headers")
		}
		stop(shop.engine)
		if len(r.got) != 2 {
			t.Fatalf("%d requests, want one delivery and one ping", len(r.got))
		}
		for _, g := range r.got {
			if g.header.Get("Authorization") != "Bearer 1" || g.header.Get("X-Shop") != "7" {
				t.Errorf("sent %v", g.header)
			}
		}
	})
}
