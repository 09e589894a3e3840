package webhook_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// Hosts whose clocks differ register an endpoint and write changes: exactly the events committed
// after the registration are delivered.
func TestOrderOfRegistration(t *testing.T) {
	for name, ahead := range map[string]time.Duration{
		"50 s ahead": 50 * time.Second, "1 h ahead": time.Hour, "50 s behind": -50 * time.Second,
		"1 h behind": -time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *ent.Store) {
				shop := open(t, s)
				early, late := receive(t, nil), receive(t, nil)
				shop.endpoint(early.URL, event.ProductUpdated)
				before, after := product{id: xid.New()}, product{id: xid.New()}
				before.at = micros.Now().Add(-ahead)
				for range 3 {
					shop.change(&before)
				}
				shop.register(xid.At(micros.Now().Add(ahead)), late.URL, event.ProductUpdated)
				for range 3 {
					shop.change(&after)
				}
				shop.engine.Start(t.Context())
				until(t, "the events", func() bool { return early.accepted() == 6 && late.accepted() == 3 })
				stop(shop.engine)
				for _, got := range late.got {
					if got.Resource.ID != xid.Product.Format(after.id) {
						t.Error("an event from before the registration was sent")
					}
				}
				early.inOrder(t)
				late.inOrder(t)
			})
		})
	}
}

// A backlog that takes several statements to mark is not delivered to a new endpoint either.
func TestRegistrationBesideBacklog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		p := product{id: xid.New()}
		shop.write(&p, 1200, event.ProductUpdated, `{}`)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 30, event.ProductUpdated, `{}`)
		shop.engine.Start(t.Context())
		until(t, "30 events", func() bool { return r.accepted() == 30 })
		until(t, "an empty outbox", func() bool { return s.DB(shop.ctx).Outbox.Query().CountX(shop.ctx) == 0 })
		stop(shop.engine)
		if n := r.accepted(); n != 30 {
			t.Errorf("%d events, want 30", n)
		}
	})
}

// No number is given twice, even if the queues that had them are gone.
func TestRegistrationNumbersRise(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var last int64
		for range 5 {
			e := shop.endpoint("https://receiver.example/", event.ProductUpdated)
			number := shop.queueOf(e).Generation
			if number <= last {
				t.Errorf("number %d follows %d", number, last)
			}
			last = number
			shop.tx(func(ctx context.Context) error {
				_, err := s.DB(ctx).WebhookQueue.Delete().Where(webhookqueue.ID(e.ID)).Exec(ctx)
				return err
			})
		}
	})
}
