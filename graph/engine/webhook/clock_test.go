package webhook_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// longestGap is the longest pause in sending to an endpoint, whatever a clock does and even if its
// dispatcher dies.
const longestGap = 7 * time.Second

// stepping is a clock that a test sets.
type stepping struct{ ahead atomic.Int64 }

func (c *stepping) now() micros.Time     { return micros.Now().Add(time.Duration(c.ahead.Load())) }
func (c *stepping) step(d time.Duration) { c.ahead.Add(int64(d)) }

// arrivals answers 200 and records the time of the last request and the longest gap between two.
type arrivals struct {
	mu      sync.Mutex
	n       int
	last    time.Time
	longest time.Duration
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); !a.last.IsZero() {
		a.longest = max(a.longest, now.Sub(a.last))
	}
	a.n, a.last = a.n+1, time.Now()
	w.WriteHeader(http.StatusOK)
}

func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}

// quick makes an engine poll at its default interval.
func quick(c *webhook.Config) { c.Poll = 100 * time.Millisecond }

// steps are the amounts by which clocks are set.
var steps = []time.Duration{40 * time.Second, -40 * time.Second, time.Hour, -time.Hour, 5 * time.Minute,
	-5 * time.Minute, -30 * time.Hour}

// The queue clock is set while one or three dispatchers send: no pause is longer than longestGap,
// and an owned queue keeps its owner.
func TestClockStepsWhileSending(t *testing.T) {
	for name, dispatchers := range map[string]int{"one": 1, "three": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock stepping
				s, seen := storetest.OpenWithClock(t, storetest.SQLite(t), clock.now), new(arrivals)
				shop := open(t, s, inMemory(t, seen.ServeHTTP), quick)
				shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
				shop.engine.Start(t.Context())
				for range dispatchers - 1 {
					engine(t, s, inMemory(t, seen.ServeHTTP), quick).Start(t.Context())
				}
				n := 0
				for _, by := range steps {
					for range 40 { // for longer than a lease
						shop.change(&product{id: xid.New()})
						n++
						<-time.After(200 * time.Millisecond)
					}
					clock.step(by)
				}
				<-time.After(longestGap)
				if got := seen.count(); got < n {
					t.Errorf("%d of %d events were sent", got, n)
				}
				if seen.longest > 2*time.Second {
					t.Errorf("nothing was sent for %s", seen.longest)
				}
				if dispatchers == 1 && shop.queue().LeaseToken != 1 {
					t.Errorf("the queue changed owners %d times", shop.queue().LeaseToken-1)
				}
			})
		})
	}
}

// A dispatcher dies as the clock is set. Another one takes over in time, but not before the lease
// has ended by the dead one's own clock.
func TestClockStepsAsOwnerDies(t *testing.T) {
	for _, by := range steps {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock stepping
				s, seen := storetest.OpenWithClock(t, storetest.SQLite(t), clock.now), new(arrivals)
				shop := open(t, s, inMemory(t, seen.ServeHTTP), quick)
				e := shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
				shop.engine.Start(t.Context())
				shop.change(&product{id: xid.New()})
				<-time.After(2 * time.Second)
				stop(shop.engine)
				shop.leaveAs(e, 0, true) // as if it had crashed
				engine(t, s, inMemory(t, seen.ServeHTTP), quick).Start(t.Context())
				<-time.After(100 * time.Millisecond)
				clock.step(by)
				shop.change(&product{id: xid.New()}) // makes the queue due under its lease
				<-time.After(longestGap)
				if got := seen.count(); got != 2 {
					t.Errorf("%d events were sent, want 2", got)
				}
			})
		})
	}
}

// leaveAs writes an endpoint's queue row as left by a dispatcher whose clock was ahead: waiting, or
// leased.
func (s *shop) leaveAs(e *db.WebhookEndpoint, ahead time.Duration, leased bool) {
	s.t.Helper()
	now := serverTime(s.t, s.s).Add(ahead)
	s.tx(func(ctx context.Context) error {
		u := s.s.DB(ctx).WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetSetAt(now)
		if leased {
			u.AddLeaseToken(1).SetLeaseOwner(xid.New()).SetLeaseUntil(now.Add(6 * time.Second))
		}
		return u.SetDueAt(now.Add(6 * time.Second)).Exec(ctx)
	})
}

// Rows written while the clock was ahead, on each engine: waiting queues go on at once, queues of a
// dead owner after the length of a lease and not sooner.
func TestRowsOfClockPutBack(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, m := open(t, s), new(moody)
		waits, leases := receive(t, m.answer), receive(t, m.answer)
		type pair struct{ waits, leased *db.WebhookEndpoint }
		of := map[time.Duration]pair{time.Hour: {}, 5 * time.Minute: {}, 40 * time.Second: {}}
		for ahead := range of {
			of[ahead] = pair{shop.endpoint(waits.URL, event.ProductUpdated),
				shop.endpoint(leases.URL, event.ProductUpdated)}
		}
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "the first attempts", func() bool { return waits.attempts() == 3 && leases.attempts() == 3 })
		stop(shop.engine)
		m.well.Store(true)
		for ahead, p := range of {
			shop.leaveAs(p.waits, ahead, false)
			shop.leaveAs(p.leased, ahead, true)
		}
		shop.tx(func(ctx context.Context) error { return s.DB(ctx).Delivery.Update().SetDueAt(1).Exec(ctx) })
		began := time.Now()
		engine(t, s).Start(t.Context())
		until(t, "what waits", func() bool { return waits.accepted() == 1 && waits.attempts() == 6 })
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the waiting queue was sent after %s", took)
		}
		until(t, "what was leased", func() bool { return leases.attempts() == 6 })
		if took := time.Since(began); took < 6*time.Second || took > longestGap {
			t.Errorf("the leased queue was sent after %s", took)
		}
	})
}

// Queues that have to wait keep waiting.
func TestSearchLeavesWhatWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		right := shop.endpoint("https://receiver.example/right", event.ProductUpdated)
		wrong := shop.endpoint("https://receiver.example/wrong", event.ProductUpdated)
		now := serverTime(t, s)
		shop.tx(func(ctx context.Context) error {
			err := s.DB(ctx).WebhookQueue.Update().Where(webhookqueue.ID(right.ID)).
				SetDueAt(now.Add(time.Hour)).SetSetAt(now).Exec(ctx)
			if err != nil {
				return err
			}
			return s.DB(ctx).WebhookQueue.Update().Where(webhookqueue.ID(wrong.ID)). // by an older version
													SetDueAt(now.Add(time.Hour)).Exec(ctx)
		})
		shop.engine.Start(t.Context())
		until(t, "the other one", func() bool { return shop.queueOf(wrong).LeaseToken == 1 })
		if q := shop.queueOf(right); q.DueAt != now.Add(time.Hour) || q.LeaseToken != 0 {
			t.Errorf("a queue that is due in an hour: %v", q)
		}
	})
}

// The machine restarts, and its clock starts again: rows written before delay nothing.
func TestMachineRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, seen := storetest.SQLite(t), new(arrivals)
		before := open(t, storetest.OpenWithClock(t, address, micros.Now), inMemory(t, seen.ServeHTTP), quick)
		e := before.endpoint("http://receiver.example/hook", event.ProductUpdated)
		before.engine.Start(t.Context())
		before.change(&product{id: xid.New()})
		<-time.After(time.Second)
		stop(before.engine)
		before.leaveAs(e, 0, true) // as if it had crashed
		boot := time.Now()
		uptime := func() micros.Time { return micros.Time(time.Since(boot).Microseconds()) }
		after := storetest.OpenWithClock(t, address, uptime)
		engine(t, after, inMemory(t, seen.ServeHTTP), quick).Start(t.Context())
		before.change(&product{id: xid.New()})
		<-time.After(longestGap)
		if got := seen.count(); got != 2 {
			t.Errorf("%d events were sent, want 2", got)
		}
	})
}

// The wall clock was put back after deliveries failed. From then on each waits as long as it had
// to, for waits shorter and longer than the linger time, and not an hour.
func TestRetryAfterWallClockPutBack(t *testing.T) {
	for _, wait := range []time.Duration{5 * time.Second, 40 * time.Second, 20 * time.Minute} {
		t.Run(wait.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				receiver := new(counting)
				receiver.status.Store(503)
				shop := faked(t, receiver.ServeHTTP, quick)
				shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
				shop.engine.Start(t.Context())
				shop.change(&product{id: xid.New()})
				<-time.After(time.Second)
				stop(shop.engine)
				receiver.status.Store(200)
				tried := micros.Now().Add(time.Hour)
				shop.tx(func(ctx context.Context) error {
					err := shop.s.DB(ctx).WebhookQueue.Update().SetDueAt(0).SetProbeAt(tried.Add(time.Minute)).
						SetStreak(5).Exec(ctx)
					if err != nil {
						return err
					}
					return shop.s.DB(ctx).Delivery.Update().Where(delivery.Tries(1)).SetFirstAt(tried).
						SetTriedAt(tried).SetDueAt(tried.Add(wait)).Exec(ctx)
				})
				engine(t, shop.s, inMemory(t, receiver.ServeHTTP), quick).Start(t.Context())
				<-time.After(wait - 2*time.Second)
				if n := receiver.attempts.Load(); n != 1 {
					t.Errorf("%d attempts before it was due", n)
				}
				<-time.After(4 * time.Second)
				if n := receiver.attempts.Load(); n != 2 {
					t.Errorf("%d attempts after it was due, want 2", n)
				}
			})
		})
	}
}

// The wall clock was put back after a probe was scheduled: the next new delivery is tried after the
// longest probe interval at the latest.
func TestProbeAfterWallClockPutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		receiver := new(counting)
		receiver.status.Store(200)
		shop := faked(t, receiver.ServeHTTP, quick)
		shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
		shop.change(&product{id: xid.New()})
		shop.tx(func(ctx context.Context) error {
			return shop.s.DB(ctx).WebhookQueue.Update().SetStreak(4).SetProbeAt(micros.Now().Add(time.Hour)).Exec(ctx)
		})
		shop.engine.Start(t.Context())
		<-time.After(15 * time.Second)
		if n := receiver.attempts.Load(); n != 1 {
			t.Errorf("%d attempts, want 1", n)
		}
	})
}

// The wall clock is set while a delivery waits: it waits as long as it had to, and its row has the
// due time by the new clock.
func TestWallClockSetWhileWaiting(t *testing.T) {
	for _, by := range steps {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var day stepping
				receiver := new(counting)
				receiver.status.Store(503)
				shop := faked(t, receiver.ServeHTTP, quick)
				shop.engine.SetDay(day.now)
				e := shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
				shop.engine.Start(t.Context())
				shop.change(&product{id: xid.New()})
				<-time.After(time.Second)
				day.step(by)
				<-time.After(40 * time.Second) // after 5, 10 and 20 seconds, ±10 %
				if n := receiver.attempts.Load(); n != 4 {
					t.Errorf("%d attempts, want 4", n)
				}
				d := shop.waiting(e)[0]
				if off := day.now().Sub(d.TriedAt); off < 0 || off > 10*time.Second {
					t.Errorf("the last attempt was %s ago", off)
				}
				if wait := d.DueAt.Sub(d.TriedAt); wait < 36*time.Second || wait > 44*time.Second {
					t.Errorf("the next one is due after %s", wait)
				}
			})
		})
	}
}

// Each of three dispatchers has a wall clock of its own. All are set repeatedly, and the
// dispatchers take over queues from each other. Nothing is delayed or out of order, and a
// failed delivery waits no longer than it has to, whichever dispatcher recorded the failure. A
// dispatcher whose clock is ahead may retry sooner: to it, the time seems to have passed.
func TestWallClocksApart(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { wallClocksApart(t, storetest.Open(t)) })
	})
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) {
			t.Parallel()
			wallClocksApart(t, storetest.OpenWithClock(t, storetest.MySQL(t), nil))
		})
	}
}

func wallClocksApart(t *testing.T, s *ent.Store) {
	seen := &receiver{answer: func(r receipt) int {
		if r.Sequence == 1 && r.header.Get("X-Service-Attempt") == "1" {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}}
	shop := open(t, s, inMemory(t, seen.ServeHTTP), quick)
	shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
	var running []*webhook.Engine
	var days []*stepping
	begin := func(ahead time.Duration) {
		day := new(stepping)
		day.step(ahead)
		e := engine(t, s, inMemory(t, seen.ServeHTTP), quick)
		e.SetDay(day.now)
		e.Start(t.Context())
		running, days = append(running, e), append(days, day)
	}
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		begin(ahead)
	}
	n := 0
	for i, by := range steps {
		p := &product{id: xid.New()}
		for range 8 {
			shop.change(p)
			n++
			<-time.After(100 * time.Millisecond)
		}
		days[len(days)-1-i%3].step(by)
		begin(by)
		stop(running[i])
	}
	until(t, "all events", func() bool { return seen.accepted() == n })
	seen.inOrder(t)
	seen.waited(t, 30*time.Second) // every step is longer, and a busy machine needs a part of it
}

// waited checks the longest time between the first and the second attempt of an event.
func (r *receiver) waited(t *testing.T, most time.Duration) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	first, n := map[string]time.Time{}, 0
	for _, g := range r.got {
		if g.header.Get("X-Service-Attempt") == "1" {
			first[g.Event] = g.at
			continue
		}
		n++
		if wait := g.at.Sub(first[g.Event]); wait > most {
			t.Errorf("sequence %d of %s was tried again after %s", g.Sequence, g.Resource.ID, wait)
		}
	}
	if n == 0 {
		t.Error("nothing was tried again")
	}
}
