package webhook_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// TestWrittenWhileCatchingUp: catching up goes on while new events of the same resources arrive,
// and both processes relay.
func TestWrittenWhileCatchingUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		ps := products(6)
		for i := range ps {
			shop.write(&ps[i], 100, event.ProductUpdated, `{}`)
		}
		shop.engine.Start(t.Context())
		other := engine(t, s)
		other.Start(t.Context())
		shop.relayed()
		before := s.Statements()
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		for range 20 {
			for i := range ps {
				shop.change(&ps[i])
			}
		}
		r.exactly(t, 6*120)
		if n := s.Statements() - before; n > 4000 {
			t.Errorf("%d statements for 720 deliveries", n)
		}
		stop(shop.engine)
		stop(other)
		if n := len(shop.waiting(e)); n != 0 {
			t.Errorf("%d deliveries wait", n)
		}
	})
}

// eachWatched is [storetest.Each] with a hook on every statement.
func eachWatched(t *testing.T, f func(t *testing.T, open func(func(ent.Statement)) *ent.Store)) {
	t.Helper()
	run := func(address func(testing.TB) string) func(*testing.T) {
		return func(t *testing.T) {
			f(t, func(see func(ent.Statement)) *ent.Store {
				s, err := ent.Open(t.Context(), ent.Config{Database: address(t), Inspect: func(q ent.Statement) error {
					see(q)
					return storetest.Lint(q)
				}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				return s
			})
		}
	}
	t.Run("sqlite", run(storetest.SQLite))
	if storetest.HaveMySQL(t) {
		t.Run("mysql", run(storetest.MySQL))
	}
}

// TestPassedOverEventIsNotLost: the relay leaves an event to the reading of the log, which had left
// it to the relay because it was in the outbox.
func TestPassedOverEventIsNotLost(t *testing.T) {
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		relayed, caughtUp := make(chan struct{}), make(chan struct{})
		var once sync.Once
		s := opened(func(q ent.Statement) {
			switch {
			case q.InTx && strings.HasPrefix(q.Query, "SELECT id FROM outbox"):
				<-relayed // the relay has read the subscribers
			case !q.InTx && strings.HasPrefix(q.Query, "SELECT body FROM events"):
				once.Do(func() { close(relayed) })
				<-caughtUp
			}
		})
		shop := open(t, s)
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		p, grant := product{id: xid.New()}, product{id: xid.New()}
		shop.change(&p)
		shop.turn(e, state.EndpointActive, func(ctx context.Context, id xid.ID) error {
			return shop.engine.ResumeFrom(ctx, id, p.at)
		})
		shop.change(&p)
		// The body of this event is not read with the outbox, so that the relay stops there.
		shop.write(&grant, 1, event.AppGrantRevoked,
			`{"app":{"id":"`+xid.App.Format(xid.New())+`"},"long":"`+strings.Repeat("x", 20<<10)+`"}`)
		shop.engine.Start(t.Context())
		until(t, "the end of the log", func() bool { return shop.queueOf(e).MissedFrom == nil })
		close(caughtUp)
		shop.relayed()
		until(t, "both events", func() bool { return r.accepted() == 2 })
		r.inOrder(t)
	})
}

// TestPlaceTakenMeanwhile: a test of the endpoint takes a sequence right before catching up takes
// the next ones without knowing of it.
func TestPlaceTakenMeanwhile(t *testing.T) {
	t.Parallel() // it waits
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var armed atomic.Bool
		reads, taken := make(chan struct{}), make(chan struct{})
		s := opened(func(q ent.Statement) {
			if !q.InTx && strings.Contains(q.Query, "SELECT d.store_id") &&
				armed.CompareAndSwap(true, false) {
				close(reads)
				<-taken
			}
		})
		shop, p, from := open(t, s), product{id: xid.New()}, micros.Now()
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "the delivery", func() bool { return len(shop.logged(e)) == 1 })
		stop(shop.engine)
		shop.tx(func(ctx context.Context) error { return shop.engine.Replay(ctx, e.ID, from, micros.Now().Add(1)) })
		armed.Store(true)
		shop.engine.Start(t.Context())
		<-reads
		if log, err := shop.engine.Test(shop.ctx, e); err != nil || log.Sequence != 2 {
			t.Errorf("got %+v, %v", log, err)
		}
		close(taken)
		until(t, "the replay", func() bool { return len(shop.logged(e)) == 3 })
		if l := shop.logged(e)[2]; l.Sequence != 3 || r.attempts() != 3 {
			t.Errorf("%d attempts; logged: %+v", r.attempts(), l)
		}
	})
}

func TestReplay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, p := open(t, s), product{id: xid.New()}
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		var at []micros.Time
		for range 5 {
			shop.change(&p)
			at = append(at, p.at)
		}
		unknown := product{id: xid.New(), at: at[1]}
		shop.write(&unknown, 1, event.ProductCreated, `{}`)
		shop.engine.Start(t.Context())
		r.exactly(t, 5)
		stop(shop.engine)
		replay := func(ctx context.Context) error { return shop.engine.Replay(ctx, e.ID, at[1], at[3]) }
		shop.tx(replay)
		if err := s.InTx(shop.ctx, replay); !errors.Is(err, webhook.ErrReplaying) {
			t.Errorf("a second replay: %v", err)
		}
		shop.engine.Start(t.Context())
		shop.change(&p)
		until(t, "the replay and a new event", func() bool { return r.attempts() == 8 })
		stop(shop.engine)
		got := r.sequences(p)
		if slices.Sort(got[5:]); !slices.Equal(got, []int64{1, 2, 3, 4, 5, 2, 3, 6}) {
			t.Errorf("got %d", got)
		}
		if q := shop.queueOf(e); q.ReplayFrom != nil || q.ReplayTo != nil || q.LastSequence != 8 {
			t.Errorf("queue: %+v", q)
		}
		shop.tx(replay) // it has ended
	})
}

// TestReplayGoesLast: waiting deliveries go before a replay, and the end of a batch does not end
// it.
func TestReplayGoesLast(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		p, unknown := product{id: xid.New()}, product{id: xid.New()}
		from := micros.Now()
		shop.write(&p, 10, event.ProductUpdated, `{}`)
		shop.write(&unknown, 600, event.ProductCreated, `{}`)
		shop.write(&p, 10, event.ProductUpdated, `{}`)
		shop.engine.Start(t.Context())
		r.exactly(t, 20)
		stop(shop.engine)
		shop.tx(func(ctx context.Context) error { return shop.engine.Replay(ctx, e.ID, from, micros.Now().Add(1)) })
		shop.engine.Start(t.Context())
		until(t, "the replay", func() bool { return r.attempts() == 40 })
		got := r.sequences(p)
		if !slices.Equal(got[:20], got[20:]) || !slices.IsSorted(got[:20]) {
			t.Errorf("got %d", got)
		}
	})
}

// TestMissedByAnApp: events read from the log are subject to the same rules as relayed ones.
func TestMissedByAnApp(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s, granting(func() scope.Set { return scope.Of(scope.ProductsRead, scope.WebhooksRead) }))
		r, own := receive(t, nil), xid.New()
		e := shop.endpointOf(own, r.URL, event.ProductUpdated, event.AppGrantRevoked)
		shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		shop.revoked(own)
		shop.revoked(xid.New())
		shop.change(&product{id: xid.New()})
		shop.engine.Start(t.Context())
		shop.relayed()
		shop.turn(e, state.EndpointActive, shop.engine.Resume)
		r.exactly(t, 2)
		stop(shop.engine)
		if q := shop.queueOf(e); q.LastSequence != 2 {
			t.Errorf("%d deliveries, want 2", q.LastSequence)
		}
	})
}

// revoked writes the event of the end of an app's access.
func (s *shop) revoked(app xid.ID) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		return outbox.Append(ctx, s.s.DB(ctx),
			outbox.Resource{Store: s.store, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()},
			outbox.Entry{Type: event.AppGrantRevoked, Object: []byte(`{"app":{"id":"` + xid.App.Format(app) + `"}}`)})
	})
}
