package webhook_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// write writes n events of a type about a resource, in one transaction.
func (s *shop) write(p *product, n int, kind event.Type, object string) {
	s.t.Helper()
	s.next(p, func(ctx context.Context, p *product) error { return s.writeIn(ctx, p, n, kind, object) })
}

func (s *shop) writeIn(ctx context.Context, p *product, n int, kind event.Type, object string) error {
	const most = outbox.Spread - 1 // of one change
	for entries := range slices.Chunk(slices.Repeat([]outbox.Entry{{Type: kind, Object: []byte(object)}}, n), most) {
		p.sequence += int64(len(entries))
		p.at = outbox.After(p.at)
		err := outbox.Append(ctx, s.s.DB(ctx),
			outbox.Resource{Store: s.store, ID: p.id, Version: p.sequence, Sequence: p.sequence, At: p.at}, entries...)
		if err != nil {
			return err
		}
	}
	return nil
}

// turn sets an endpoint's status beside the engine's change of its queue.
func (s *shop) turn(e *db.WebhookEndpoint, to state.EndpointStatus, act func(context.Context, xid.ID) error) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		if _, err := s.s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetStatus(to).
			Save(ctx); err != nil {
			return err
		}
		return act(ctx, e.ID)
	})
}

// queueOf reads an endpoint's queue.
func (s *shop) queueOf(e *db.WebhookEndpoint) *db.WebhookQueue {
	s.t.Helper()
	return s.s.DB(s.ctx).WebhookQueue.Query().Where(webhookqueue.ID(e.ID)).OnlyX(s.ctx)
}

// waiting reads an endpoint's deliveries that have not ended.
func (s *shop) waiting(e *db.WebhookEndpoint) []*db.Delivery {
	s.t.Helper()
	return s.s.DB(s.ctx).Delivery.Query().Where(delivery.EndpointID(e.ID)).Order(db.Asc(delivery.FieldSequence)).
		AllX(s.ctx)
}

// logged reads an endpoint's deliveries that have ended.
func (s *shop) logged(e *db.WebhookEndpoint) []*db.DeliveryLog {
	s.t.Helper()
	return s.s.DB(s.ctx).DeliveryLog.Query().Where(deliverylog.EndpointID(e.ID)).
		Order(db.Asc(deliverylog.FieldSequence)).AllX(s.ctx)
}

// relayed waits until the outbox is empty.
func (s *shop) relayed() {
	s.t.Helper()
	until(s.t, "the relay", func() bool { return s.s.DB(s.ctx).Outbox.Query().CountX(s.ctx) == 0 })
}

// sequences returns the accepted events of a resource in the order of arrival.
func (r *receiver) sequences(p product) (list []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.got {
		if g.status < 300 && g.Resource.ID == xid.Product.Format(p.id) {
			list = append(list, g.Sequence)
		}
	}
	return list
}

// exactly fails the test unless the receiver accepted n events, none twice, and those of each
// resource in order.
func (r *receiver) exactly(t testing.TB, n int) {
	t.Helper()
	until(t, strconv.Itoa(n)+" events", func() bool { return r.accepted() >= n })
	r.inOrder(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	took := map[string]int{}
	for _, g := range r.got {
		if g.status < 300 {
			took[g.Event]++
		}
	}
	for id, times := range took {
		if times > 1 {
			t.Errorf("%s was delivered %d times", id, times)
		}
	}
	if len(took) != n {
		t.Errorf("%d events were delivered, want %d", len(took), n)
	}
}

func products(n int) []product {
	list := make([]product, n)
	for i := range list {
		list[i].id = xid.New()
	}
	return list
}

// moody answers 500 until it is well.
type moody struct{ well atomic.Bool }

func (m *moody) answer(receipt) int {
	if m.well.Load() {
		return 200
	}
	return 500
}

func TestHold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var began atomic.Int32
		gate := make(chan struct{})
		r := receive(t, func(receipt) int { began.Add(1); <-gate; return 200 })
		e := shop.endpoint(r.URL, event.ProductUpdated)
		p := product{id: xid.New()}
		shop.write(&p, 5, event.ProductUpdated, `{}`)
		shop.engine.Start(t.Context())
		until(t, "an attempt in flight", func() bool { return began.Load() == 1 })
		shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		close(gate)
		until(t, "the attempt in flight", func() bool { return len(shop.logged(e)) == 1 })
		if l := shop.logged(e)[0]; l.State != state.DeliveryDelivered || l.Sequence != 1 {
			t.Errorf("logged: %+v", l)
		}
		// Another endpoint shows that the engine is still running.
		other := receive(t, nil)
		shop.endpoint(other.URL, event.ProductUpdated)
		shop.change(&p)
		first := p.at
		shop.write(&p, 2, event.ProductUpdated, `{}`)
		until(t, "the other endpoint", func() bool { return other.accepted() == 3 })
		until(t, "the held queue at rest", func() bool { return shop.queueOf(e).DueAt == micros.Max })
		stop(shop.engine)
		if began.Load() != 1 {
			t.Errorf("%d attempts, want 1", began.Load())
		}
		if q := shop.queueOf(e); q.MissedFrom == nil || q.MissedFrom.Time() != first || q.LeaseOwner != nil ||
			q.DueAt != micros.Max {
			t.Errorf("missed from %v, want %v; owner %v, due %v", q.MissedFrom, first, q.LeaseOwner, q.DueAt)
		}
		if n := len(shop.waiting(e)); n != 4 {
			t.Errorf("%d deliveries wait, want 4", n)
		}
	})
}

// TestHoldElsewhere: the owner of the queue, another process, starts nothing more. An attempt in
// flight there ends by itself and is logged.
func TestHoldElsewhere(t *testing.T) {
	t.Parallel() // it waits
	t.Run("seen by the loop of changes", func(t *testing.T) {
		testHoldElsewhere(t, func(*webhook.Config) {})
	})
	t.Run("seen by the loop of leases", func(t *testing.T) { // the watch loop polls half as often
		testHoldElsewhere(t, func(c *webhook.Config) { c.Poll = 2 * time.Second })
	})
}

func testHoldElsewhere(t *testing.T, set func(*webhook.Config)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		gate := make(chan struct{})
		var began atomic.Int32
		r := receive(t, func(receipt) int {
			began.Add(1)
			<-gate
			return 200
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		p := product{id: xid.New()}
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		owner := engine(t, s, set)
		owner.Start(t.Context())
		until(t, "an attempt in flight", func() bool { return began.Load() == 1 })
		held := time.Now()
		shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		until(t, "the queue to rest", func() bool {
			q := shop.queueOf(e)
			return q.LeaseOwner == nil && q.DueAt == micros.Max
		})
		if took := time.Since(held); took > time.Second {
			t.Errorf("the queue was released after %v", took)
		}
		close(gate)
		until(t, "the attempt in the log", func() bool { return len(shop.logged(e)) == 1 })
		if n := len(shop.waiting(e)); n != 2 || began.Load() != 1 {
			t.Errorf("%d wait, %d attempts", n, began.Load())
		}
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		r.exactly(t, 3)
	})
}

func TestResume(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var m moody
		r := receive(t, m.answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		ps := products(3)
		for i := range ps {
			shop.write(&ps[i], 10, event.ProductUpdated, `{}`)
		}
		shop.engine.Start(t.Context())
		until(t, "three failures", func() bool { return s.DB(shop.ctx).Attempt.Query().CountX(shop.ctx) == 3 })
		shop.turn(e, state.EndpointSuspended, shop.engine.Hold)
		// A batch of the log, of 500, ends among the second product's events.
		unknown := product{id: xid.New()}
		shop.write(&ps[0], 120, event.ProductUpdated, `{}`)
		shop.write(&unknown, 360, event.ProductCreated, `{}`) // not subscribed to
		shop.write(&ps[1], 120, event.ProductUpdated, `{}`)
		shop.write(&ps[2], 120, event.ProductUpdated, `{}`)
		shop.write(&ps[0], 1, event.ProductUpdated, `{}`)
		shop.relayed()
		if n := len(shop.waiting(e)); n != 30 {
			t.Fatalf("%d deliveries wait, want 30", n)
		}
		m.well.Store(true)
		failed := r.attempts()
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		r.exactly(t, 30+360+1)
		if n := r.attempts() - failed; n != 391 {
			t.Errorf("%d attempts since, want 391", n)
		}
		stop(shop.engine)
		if q := shop.queueOf(e); q.MissedFrom != nil || q.FailingSince != nil || q.Streak != 0 ||
			len(shop.waiting(e)) != 0 {
			t.Errorf("%d wait; queue: %+v", len(shop.waiting(e)), q)
		}
	})
}

// TestResumeBeginsAnew: a delivery that was given up has a new 24 h. The numbers of its attempts
// continue, and earlier probe intervals do not count.
func TestResumeResets(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, (&moody{}).answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		p := product{id: xid.New()}
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
		shop.turn(e, state.EndpointSuspended, func(ctx context.Context, id xid.ID) error {
			// The state after a day of failures.
			c, old := s.DB(ctx), micros.Now().Add(-24*time.Hour)
			_, err := c.Delivery.Update().Where(delivery.EndpointID(id)).SetAttempts(18).SetTries(18).SetFirstAt(old).
				SetDueAt(0).SetFailed(true).Save(ctx)
			if err != nil {
				return err
			}
			_, err = c.WebhookQueue.Update().Where(webhookqueue.ID(id)).SetFailingSince(old).SetWarned(3).
				SetStreak(12).SetProbeAt(micros.Now().Add(4 * time.Hour)).Save(ctx)
			if err != nil {
				return err
			}
			return shop.engine.Hold(ctx, id)
		})
		before := micros.Now()
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		until(t, "the next failure", func() bool { return shop.waiting(e)[0].Attempts == 19 })
		d := shop.waiting(e)[0]
		if d.Tries != 1 || d.FirstAt < before || d.DueAt > d.FirstAt.Add(7*time.Second) ||
			d.DueAt < d.FirstAt.Add(4*time.Second) {
			t.Errorf("tries %d, first %v, due %v", d.Tries, d.FirstAt, d.DueAt)
		}
		if d.Failed {
			t.Error("it waits again, and is still marked as given up")
		}
		q := shop.queueOf(e)
		if q.FailingSince == nil || *q.FailingSince != d.FirstAt || q.Warned != 0 || q.Streak != 1 {
			t.Errorf("failing since %v, warned %d, streak %d", q.FailingSince, q.Warned, q.Streak)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if got := r.got[1].header.Get("X-Service-Attempt"); got != "19" {
			t.Errorf("attempt %s, want 19", got)
		}
	})
}

// stalled returns a shop with five events, the first of which has a failed attempt.
func stalled(t *testing.T, s *ent.Store, m *moody) (*shop, *receiver, *db.WebhookEndpoint, *product, []micros.Time) {
	shop, p := open(t, s), &product{id: xid.New()}
	r := receive(t, m.answer)
	e := shop.endpoint(r.URL, event.ProductUpdated)
	var at []micros.Time
	for range 5 {
		shop.change(p)
		at = append(at, p.at)
	}
	shop.engine.Start(t.Context())
	until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 && len(shop.waiting(e)) == 5 })
	shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
	shop.change(p)
	at = append(at, p.at)
	shop.relayed()
	m.well.Store(true)
	return shop, r, e, p, at
}

func TestResumeFrom(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r, e, p, at := stalled(t, s, new(moody))
		shop.turn(e, state.EndpointActive, func(ctx context.Context, id xid.ID) error {
			return shop.engine.ResumeFrom(ctx, id, at[3])
		})
		shop.change(p)
		until(t, "the events since", func() bool { return r.accepted() == 4 })
		stop(shop.engine)
		if got := r.sequences(*p); !slices.Equal(got, []int64{4, 5, 6, 7}) {
			t.Errorf("got %d", got)
		}
		q := shop.queueOf(e)
		if q.FloorSequence != 5 || q.MissedFrom != nil || q.FailingSince != nil {
			t.Errorf("floor %d, missed %v, failing %v", q.FloorSequence, q.MissedFrom, q.FailingSince)
		}
	})
}

func TestResumeEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r, e, p, _ := stalled(t, s, new(moody))
		shop.turn(e, state.EndpointActive, shop.engine.ResumeEmpty)
		shop.write(p, 2, event.ProductUpdated, `{}`)
		until(t, "the new events", func() bool { return r.accepted() == 2 })
		stop(shop.engine)
		if got := r.sequences(*p); !slices.Equal(got, []int64{7, 8}) {
			t.Errorf("got %d", got)
		}
	})
}

func TestCancel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		ps, gate := products(2), make(chan struct{})
		var began sync.Map
		bad := xid.Product.Format(ps[1].id)
		r := receive(t, func(g receipt) int {
			began.Store(g.Event, true)
			<-gate
			if g.Resource.ID == bad {
				return 500
			}
			return 200
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		for i := range ps {
			shop.write(&ps[i], 100, event.ProductUpdated, `{}`)
		}
		shop.engine.Start(t.Context())
		inFlight := func() (n int) {
			began.Range(func(any, any) bool { n++; return true })
			return n
		}
		until(t, "two attempts in flight", func() bool { return inFlight() == 2 })
		shop.tx(func(ctx context.Context) error {
			_, err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetDeletedAt(micros.Now()).
				Save(ctx)
			if err != nil {
				return err
			}
			return shop.engine.Cancel(ctx, e.ID)
		})
		close(gate)
		until(t, "both to be logged",
			func() bool { return len(shop.logged(e)) == 1 && s.DB(shop.ctx).Attempt.Query().CountX(shop.ctx) == 1 })
		shop.change(&ps[0])
		shop.relayed()
		stop(shop.engine)
		if inFlight() != 2 {
			t.Errorf("%d attempts, want 2", inFlight())
		}
		if q := shop.queueOf(e); q.FloorSequence != 200 || q.LastSequence != 200 || q.FailingSince != nil ||
			q.Streak != 0 || q.MissedFrom != nil {
			t.Errorf("an attempt in flight, or an event since, changed the queue: %+v", q)
		}
		if n := len(shop.waiting(e)); n != 199 {
			t.Errorf("%d rows are left, want 199", n)
		}
		if n, err := shop.engine.Purge(shop.ctx); n != 199 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if n := len(shop.waiting(e)); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestRegisteredLater: an endpoint does not receive events that were committed before its
// registration.
func TestRegisteredLater(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, p := open(t, s), product{id: xid.New()}
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "the event since", func() bool { return r.accepted() > 0 && len(shop.waiting(e)) == 0 })
		stop(shop.engine)
		if got := r.sequences(p); !slices.Equal(got, []int64{4}) {
			t.Errorf("got %d", got)
		}
	})
}

// TestHealthIsOfTheLastOutcome: outcomes saved together leave the health of the last one, whatever
// the order of their deliveries.
func TestHealthOfLastOutcome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, ps := open(t, s), products(2) // as many as a new queue begins with
		var began atomic.Int32
		gates := map[string]chan struct{}{}
		for _, p := range ps {
			gates[xid.Product.Format(p.id)] = make(chan struct{}, 5)
		}
		r := receive(t, func(g receipt) int { began.Add(1); <-gates[g.Resource.ID]; return 500 })
		shop.engine.Start(t.Context())
		for round := range 5 {
			e := shop.endpoint(r.URL, event.ProductUpdated)
			shop.tx(func(ctx context.Context) error {
				for i := range ps {
					if err := shop.changeIn(ctx, &ps[i]); err != nil {
						return err
					}
				}
				return nil
			})
			until(t, "two attempts in flight", func() bool { return int(began.Load()) == 2*(round+1) })
			for _, p := range slices.Backward(ps) {
				gates[xid.Product.Format(p.id)] <- struct{}{}
			}
			until(t, "two failures", func() bool {
				return !slices.ContainsFunc(shop.waiting(e), func(d *db.Delivery) bool { return d.Tries == 0 })
			})
			if q := shop.queueOf(e); q.Streak != 2 {
				t.Errorf("the streak is %d, want 2", q.Streak)
			}
			shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		}
	})
}
