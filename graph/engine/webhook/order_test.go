package webhook_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// hurry makes retries due as soon as they are written, so that tests of order need not wait for the
// schedule.
func (s *shop) hurry(stop <-chan struct{}) (done func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(30 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			rows, err := s.s.DB(s.ctx).Delivery.Query().All(s.ctx)
			if err != nil {
				continue
			}
			for _, d := range rows {
				if d.DueAt == 0 {
					continue
				}
				_ = s.s.InTx(s.ctx, func(ctx context.Context) error {
					_, err := s.engine.RetryNow(ctx, d)
					return err
				})
			}
		}
	})
	return wg.Wait
}

// Three processes relay and send at once, and a third of all attempts fails: every event is
// accepted once, and no event of a resource arrives before the previous one was accepted.
func TestOrderUnderFailures(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var mu sync.Mutex
		refused := map[string]int{}
		r := receive(t, func(got receipt) int {
			mu.Lock()
			defer mu.Unlock()
			if rand.N(3) == 0 && refused[got.Event] < 2 {
				refused[got.Event]++
				return 500
			}
			return 200
		})
		shop.endpoint(r.URL, event.ProductUpdated)
		engines := []*webhook.Engine{shop.engine, engine(t, s), engine(t, s)}
		for _, e := range engines {
			e.Start(t.Context())
		}
		end := make(chan struct{})
		hurried := shop.hurry(end)
		products := make([]product, 8)
		for i := range products {
			products[i].id = xid.New()
		}
		for range 10 {
			for i := range products {
				shop.change(&products[i])
			}
		}
		until(t, "80 events", func() bool { return r.accepted() == 80 })
		close(end)
		hurried()
		r.inOrder(t)
		for _, e := range engines {
			stop(e)
		}
		if n := s.DB(shop.ctx).Delivery.Query().CountX(shop.ctx); n != 0 {
			t.Errorf("%d deliveries are left", n)
		}
		for _, d := range s.DB(shop.ctx).DeliveryLog.Query().AllX(shop.ctx) {
			tries := s.DB(shop.ctx).Attempt.Query().Where(attemptOf(d)...).CountX(shop.ctx)
			if tries != d.Attempts-1 {
				t.Errorf("delivery %d: %d attempts are logged before the last, want %d", d.Sequence, tries,
					d.Attempts-1)
			}
		}
	})
}

// A process that writes events and dies leaves nothing unsent, and a process that takes over a
// leased queue waits for the end of the lease.
func TestTakeOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		p := &product{id: xid.New()}
		for range 20 {
			shop.change(p)
		}
		// Another process had leased the queue and is gone.
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).WebhookQueue.Update().SetLeaseOwner(xid.New()).
				SetLeaseUntil(serverTime(t, s).Add(700 * time.Millisecond)).
				SetDueAt(serverTime(t, s).Add(700 * time.Millisecond)).AddLeaseToken(1).Exec(ctx)
		})
		began := time.Now()
		shop.engine.Start(t.Context())
		until(t, "20 events", func() bool { return r.accepted() == 20 })
		if took := time.Since(began); took < 600*time.Millisecond {
			t.Errorf("sent after %s, while another had the lease", took)
		}
		r.inOrder(t)
	})
}
