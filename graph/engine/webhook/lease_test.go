package webhook_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// queue returns the row of the shop's only queue.
func (s *shop) queue() *db.WebhookQueue {
	s.t.Helper()
	return s.s.DB(s.ctx).WebhookQueue.Query().OnlyX(s.ctx)
}

// A failure that is saved late, after another owner has delivered, undoes nothing: neither the
// delivery nor the queue's health.
func TestLateFailureUndoesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		came, answer := make(chan struct{}), make(chan struct{})
		r := receive(t, func(receipt) int {
			close(came)
			<-answer
			return 500
		})
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		<-came
		shop.tx(func(ctx context.Context) error {
			c := s.DB(ctx)
			d := c.Delivery.Query().OnlyX(ctx)
			if _, err := c.Delivery.Delete().Exec(ctx); err != nil {
				return err
			}
			err := c.DeliveryLog.Create().SetID(d.ID).SetEndpointID(d.EndpointID).SetSequence(d.Sequence).
				SetEventID(d.EventID).SetType(event.ProductUpdated).SetResourceID(d.ResourceID).
				SetState(state.DeliveryDelivered).SetAttempts(1).SetSettledAt(micros.Now()).SetOutcome("delivered").
				SetStatus(200).Exec(ctx)
			if err != nil {
				return err
			}
			return c.WebhookQueue.Update().AddLeaseToken(1).SetLeaseOwner(xid.New()).Exec(ctx)
		})
		close(answer)
		stop(shop.engine)
		c := s.DB(shop.ctx)
		if n := c.Delivery.Query().CountX(shop.ctx); n != 0 {
			t.Errorf("%d deliveries are back", n)
		}
		if d := c.DeliveryLog.Query().OnlyX(shop.ctx); d.State != state.DeliveryDelivered || d.Status != 200 {
			t.Errorf("the log says %s %d", d.State, d.Status)
		}
		if q := shop.queue(); q.FailingSince != nil || q.Streak != 0 || q.LeaseOwner == nil {
			t.Errorf("the queue was touched: %v", q)
		}
	})
}

// A lease whose token was raised is not renewed, even if the row still names this process, and
// nothing is sent under it.
func TestLeaseNeedsItsToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "the first event", func() bool { return r.accepted() == 1 })
		before := shop.queue()
		var taken *db.WebhookQueue
		shop.tx(func(ctx context.Context) (err error) {
			c := s.DB(ctx).WebhookQueue
			if err = c.Update().AddLeaseToken(1).SetDueAt(0).AddWake(1).Exec(ctx); err == nil {
				taken, err = c.Query().Only(ctx) // before the engine sees it
			}
			return err
		})
		until(t, "the lease to be given up", func() bool { return shop.queue().LeaseToken > taken.LeaseToken })
		if now := shop.queue(); now.LeaseUntil < taken.LeaseUntil || taken.LeaseToken != before.LeaseToken+1 {
			t.Errorf("renewed under an old token: %v, then %v", taken, now)
		}
		shop.change(&product{id: xid.New()})
		until(t, "the second event", func() bool { return r.accepted() == 2 })
	})
}

// A queue is released again and again while events arrive: none stays behind until the next one
// arrives.
func TestNoWakeUpIsLost(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		short := func(c *webhook.Config) { c.Linger, c.Poll = time.Microsecond, time.Millisecond }
		shop := open(t, s, short)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		other := engine(t, s, short)
		shop.engine.Start(t.Context())
		other.Start(t.Context())
		p := &product{id: xid.New()}
		for i := range 100 {
			shop.change(p)
			if rand.N(3) == 0 {
				until(t, "the last event", func() bool { return r.accepted() == i+1 })
				<-time.After(rand.N(3 * time.Millisecond))
			}
		}
		until(t, "all events", func() bool { return r.accepted() == 100 })
		r.inOrder(t)
	})
}

// An endpoint that never answers holds few slots and delays no other.
func TestHangingEndpointSlowsNoOther(t *testing.T) {
	s := storetest.Open(t)
	shop := open(t, s)
	release := make(chan struct{})
	var asked atomic.Int64
	hanging := receive(t, func(receipt) int {
		asked.Add(1)
		<-release
		return 200
	})
	defer close(release)
	healthy := receive(t, nil)
	shop.endpoint(hanging.URL, event.ProductUpdated)
	shop.endpoint(healthy.URL, event.ProductUpdated)
	shop.engine.Start(t.Context())
	for range 300 {
		shop.change(&product{id: xid.New()})
	}
	until(t, "300 events at the healthy one", func() bool { return healthy.accepted() == 300 })
	// Four at first; then one probe after the other.
	if n := asked.Load(); n < 1 || n > 12 {
		t.Errorf("%d attempts to the hanging endpoint", n)
	}
}

// The receiver closes a connection, answers late and reads bodies of 100 KB: a retry carries the
// whole body with a valid signature.
func TestRetriesCarryTheBody(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		seen := map[string]int{}
		r := receive(t, func(got receipt) int {
			seen[got.Event]++ // one resource: never two at once
			if seen[got.Event] < 3 {
				return 502
			}
			return 204
		})
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		end := make(chan struct{})
		hurried := shop.hurry(end)
		p := &product{id: xid.New()}
		for range 3 {
			shop.change(p)
		}
		until(t, "three events", func() bool { return r.accepted() == 3 })
		close(end)
		hurried()
		if n := r.attempts(); n != 9 {
			t.Errorf("%d attempts, want 9", n)
		}
		first := map[string]string{}
		for _, got := range r.got {
			if first[got.Event] == "" {
				first[got.Event] = string(got.body)
			}
			if len(got.body) == 0 || string(got.body) != first[got.Event] {
				t.Errorf("attempt %s carried %q, the first one %q", got.header.Get("X-Service-Attempt"), got.body,
					first[got.Event])
			}
		}
	})
}
