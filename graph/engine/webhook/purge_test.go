package webhook_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// history creates n logged deliveries of an endpoint that ended at a time, each with a failed
// attempt, and n slots of its chart.
func (s *shop) history(e *db.WebhookEndpoint, from, n int, at micros.Time) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		c := s.s.DB(ctx)
		for i := range n {
			sequence, slot := int64(from+i), at.Add(-time.Duration(n-i)*5*time.Minute)
			err := c.DeliveryLog.Create().SetID(webhook.DeliveryID(e.ID, sequence, at)).SetEndpointID(e.ID).
				SetSequence(sequence).SetEventID(xid.New()).SetType(event.ProductUpdated).SetResourceID(xid.New()).
				SetState(state.DeliveryDelivered).SetAttempts(2).SetSettledAt(at).SetOutcome("delivered").Exec(ctx)
			if err != nil {
				return err
			}
			err = c.Attempt.Create().SetID(xid.New()).SetEndpointID(e.ID).SetSequence(sequence).SetNumber(1).
				SetBeganAt(at).SetOutcome("server_error").Exec(ctx)
			if err != nil {
				return err
			}
			if err := c.EndpointStat.Create().SetID(e.ID).SetSlot(slot).SetDelivered(1).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// rows counts the rows of an endpoint's history.
func (s *shop) rows() [3]int {
	c := s.s.DB(s.ctx)
	return [3]int{c.DeliveryLog.Query().CountX(s.ctx), c.Attempt.Query().CountX(s.ctx),
		c.EndpointStat.Query().CountX(s.ctx)}
}

func TestPurge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		e, other := shop.endpoint("https://example.com/1", event.ProductUpdated),
			shop.endpoint("https://example.com/2", event.ProductUpdated)
		old, young := micros.Now().Add(-webhook.Retention-time.Minute), micros.Now()
		shop.history(e, 1, 200, old) // more than two batches
		shop.history(e, 201, 5, young)
		shop.history(other, 1, 5, young)
		purge := func(want int) {
			t.Helper()
			if n, err := shop.engine.Purge(t.Context()); n != want || err != nil {
				t.Errorf("purged %d rows, want %d; %v", n, want, err)
			}
		}
		purge(600)
		if got := shop.rows(); got != [3]int{10, 10, 10} {
			t.Errorf("left: %d", got)
		}
		if first := shop.logged(e)[0]; first.Sequence != 201 {
			t.Errorf("the first is %d", first.Sequence)
		}
		purge(0)
	})
}

// TestPurgeOfDeleted: the rows of a deleted endpoint are purged when its log is past the retention,
// and not before.
func TestPurgeOfDeleted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		e, other := shop.endpoint("https://example.com/1", event.ProductUpdated),
			shop.endpoint("https://example.com/2", event.ProductUpdated)
		for _, c := range []struct {
			age  time.Duration
			left int
		}{{webhook.Retention - time.Hour, 2}, {webhook.Retention + time.Minute, 1}} {
			shop.tx(func(ctx context.Context) error {
				_, err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).
					SetDeletedAt(micros.Now().Add(-c.age)).Save(ctx)
				return err
			})
			if _, err := shop.engine.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			endpoints, queues := s.DB(shop.ctx).WebhookEndpoint.Query().CountX(shop.ctx),
				s.DB(shop.ctx).WebhookQueue.Query().CountX(shop.ctx)
			if endpoints != c.left || queues != c.left {
				t.Errorf("after %v: %d endpoints, %d queues are left, want %d", c.age, endpoints, queues, c.left)
			}
		}
		shop.queueOf(other)
	})
}

// TestPurgeLeavesWhatWaits: only deliveries up to the floor were canceled.
func TestPurgeLeavesWhatWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, p := open(t, s), product{id: xid.New()}
		e := shop.endpoint(receive(t, new(moody).answer).URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.write(&p, 100, event.ProductUpdated, `{}`)
		until(t, "the deliveries", func() bool { return len(shop.waiting(e)) == 100 })
		shop.turn(e, state.EndpointActive, shop.engine.ResumeEmpty)
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		until(t, "the new ones", func() bool { return len(shop.waiting(e)) == 103 })
		if _, err := shop.engine.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w := shop.waiting(e); len(w) != 3 || w[0].Sequence != 101 {
			t.Errorf("%d wait, want 3", len(w))
		}
	})
}
