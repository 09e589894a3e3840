package webhook_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// losing is a store that loses commit results.
type losing struct {
	*ent.Store
	answer atomic.Pointer[func() bool] // whether the next result is lost
	lost   atomic.Int64
}

// eachLosing runs f on each engine with a store that may lose commit results.
func eachLosing(t *testing.T, f func(t *testing.T, s *losing)) {
	run := func(address func(testing.TB) string) func(*testing.T) {
		return func(t *testing.T) {
			s := new(losing)
			var err error
			s.Store, err = ent.Open(t.Context(), ent.Config{Database: address(t), Committed: s.committed})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			f(t, s)
		}
	}
	t.Run("sqlite", run(storetest.SQLite))
	if storetest.HaveMySQL(t) {
		t.Run("mysql", run(storetest.MySQL))
	}
}

func (s *losing) committed() error {
	if f := s.answer.Load(); f == nil || !(*f)() {
		return nil
	}
	s.lost.Add(1)
	return driver.ErrBadConn
}

// attemptsLogged returns the number of logged attempts of an endpoint, and how many of them differ.
func (s *shop) attemptsLogged() (rows, different int) {
	s.t.Helper()
	c, seen := s.s.DB(s.ctx), map[xid.ID]bool{}
	for _, a := range c.Attempt.Query().AllX(s.ctx) {
		rows++
		seen[a.ID] = true
	}
	for _, l := range c.DeliveryLog.Query().AllX(s.ctx) {
		if l.AttemptID != nil {
			rows++
			seen[*l.AttemptID] = true
		}
	}
	return rows, len(seen)
}

// TestLostAnswers: a third of all commits take effect but report an error. Everything arrives, in
// order, and each request is logged once.
func TestLostAnswers(t *testing.T) {
	eachLosing(t, func(t *testing.T, s *losing) {
		shop := open(t, s.Store)
		r := receive(t, func(receipt) int { return []int{200, 200, 500}[rand.N(3)] })
		e := shop.endpoint(r.URL, event.ProductUpdated)
		ps := products(8)
		for range 5 {
			for i := range ps {
				shop.change(&ps[i])
			}
		}
		s.answer.Store(new(func() bool { return rand.N(3) == 0 }))
		shop.engine.Start(t.Context())
		hurried := shop.hurrying(s)
		until(t, "every event", func() bool { return r.accepted() == 40 && len(shop.waiting(e)) == 0 })
		hurried()
		s.answer.Store(nil)
		stop(shop.engine)
		r.inOrder(t)
		if rows, different := shop.attemptsLogged(); rows != r.attempts() || different != rows {
			t.Errorf("%d rows of %d attempts in the log, want %d", rows, different, r.attempts())
		}
		if s.lost.Load() == 0 {
			t.Error("no answer was lost")
		}
	})
}

// TestLostClaims: a queue whose claim lost its commit result is due again at once, however often
// that happens; waiting for the end of the lease would take seconds.
func TestLostClaims(t *testing.T) {
	eachLosing(t, func(t *testing.T, s *losing) {
		shop := open(t, s.Store)
		r, p := receive(t, nil), product{id: xid.New()}
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.change(&p)
		s.answer.Store(new(func() bool { return s.lost.Load() < 16 }))
		shop.engine.Start(t.Context())
		until(t, "the event", func() bool { return r.accepted() > 0 })
		stop(shop.engine)
	})
}

// hurrying makes waiting deliveries due, again and again, until stop is called or the test ends.
func (s *shop) hurrying(l *losing) (stop func()) {
	var wg sync.WaitGroup
	end := make(chan struct{})
	stop = sync.OnceFunc(func() {
		close(end)
		wg.Wait()
	})
	s.t.Cleanup(stop) // before the store is closed, even if the test fails
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			for _, d := range l.DB(s.ctx).Delivery.Query().Where(delivery.TriesGT(0)).AllX(s.ctx) {
				_ = l.InTx(s.ctx, func(ctx context.Context) error {
					_, err := s.engine.RetryNow(ctx, d)
					return err
				})
			}
		}
	})
	return stop
}

// exhausted makes the next attempt of an endpoint's first delivery its last.
func (s *shop) exhausted(e *db.WebhookEndpoint) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		err := s.s.DB(ctx).Delivery.Update().Where(delivery.Sequence(1)).SetTries(17).SetDueAt(1).
			SetFirstAt(micros.Now().Add(-25 * time.Hour)).Exec(ctx)
		return errors.Join(err, s.engine.SettingsChanged(ctx, e.ID))
	})
}

// TestLostAnswerOfASuspension: an endpoint is suspended, and its owner loses the commit result.
// Nothing more is sent, so that the order holds once the endpoint is resumed.
func TestLostAnswerOfASuspension(t *testing.T) {
	eachLosing(t, func(t *testing.T, s *losing) {
		shop := open(t, s.Store)
		m := new(moody)
		r, p := receive(t, m.answer), product{id: xid.New()}
		e := shop.endpoint(r.URL, event.ProductUpdated)
		healthy := shop.endpoint(receive(t, nil).URL, event.ProductDeleted)
		shop.change(&p)
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
		stop(shop.engine)
		shop.exhausted(e)
		suspended := func() bool {
			return s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, e.ID).Status == state.EndpointSuspended
		}
		s.answer.Store(new(func() bool { return suspended() }))
		shop.engine.Start(t.Context())
		until(t, "the answer to be lost", func() bool { return s.lost.Load() > 0 })
		s.answer.Store(nil)
		for n := range 3 { // outcomes are written in separate batches
			shop.write(&product{id: xid.New()}, 1, event.ProductDeleted, `{}`)
			until(t, "the next event of another endpoint", func() bool { return len(shop.logged(healthy)) == n+1 })
		}
		if n := r.attempts(); n != 2 {
			t.Errorf("%d attempts, want 2", n)
		}
		if rows, different := shop.attemptsLogged(); rows != 5 || different != 5 {
			t.Errorf("%d rows of %d attempts in the log, want 5", rows, different)
		}
		m.well.Store(true)
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		until(t, "both events", func() bool { return r.accepted() == 2 })
		r.inOrder(t)
	})
}
