package lease_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

var terms = lease.Terms{Length: 6 * time.Second, Every: 2 * time.Second, Begin: 2500 * time.Millisecond,
	Margin: time.Second}

// in runs f in fake time with a lease that was just taken.
func in(t *testing.T, f func(t *testing.T, h *lease.Held)) {
	synctest.Test(t, func(t *testing.T) {
		h := terms.Take(t.Context(), time.Now())
		defer h.End()
		f(t, h)
	})
}

// after waits in fake time.
func after(d time.Duration) { <-time.After(d) }

func TestHeldGrowsOld(t *testing.T) {
	in(t, func(t *testing.T, h *lease.Held) {
		for _, tc := range []struct {
			after       time.Duration
			begin, lost bool
		}{
			{0, true, false},
			{2499 * time.Millisecond, true, false},
			{time.Millisecond, false, false},
			{2499 * time.Millisecond, false, false},
			{time.Millisecond, false, true},
		} {
			after(tc.after)
			synctest.Wait()
			if ended := h.Context().Err() != nil; h.MayBegin() != tc.begin || h.Lost() != tc.lost || ended != tc.lost {
				t.Errorf("at %s: may begin %t, lost %t, ended %t", h.Age(), h.MayBegin(), h.Lost(), ended)
			}
		}
		if cause := context.Cause(h.Context()); !errors.Is(cause, lease.ErrLost) {
			t.Errorf("the cause is %v", cause)
		}
		h.Renewed(time.Now())
		if !h.Lost() {
			t.Error("a renewal revived the lease")
		}
	})
}

func TestHeldRenewed(t *testing.T) {
	in(t, func(t *testing.T, h *lease.Held) {
		for range 10 {
			asked := time.Now()
			after(2 * time.Second) // the renewal takes long
			h.Renewed(asked)
			h.Renewed(asked.Add(-time.Minute)) // one that was overtaken
			if h.Lost() || h.Age() != 2*time.Second {
				t.Fatalf("lost %t at the age of %s", h.Lost(), h.Age())
			}
		}
		after(3*time.Second - 1)
		synctest.Wait()
		if h.Context().Err() != nil {
			t.Error("it ended too soon")
		}
		after(1)
		synctest.Wait()
		if h.Context().Err() == nil {
			t.Error("it goes on")
		}
	})
}

func TestKeep(t *testing.T) {
	broken := errors.New("the database is away")
	for _, tc := range []struct {
		name   string
		renew  func(ctx context.Context, call int) error
		lost   time.Duration // 0: never
		failed int           // errors that were reported
	}{
		{name: "works", renew: func(context.Context, int) error { return nil }},
		{name: "taken", renew: func(context.Context, int) error { return lease.ErrLost }, lost: 2 * time.Second},
		{name: "taken later", renew: func(_ context.Context, call int) error {
			if call < 3 {
				return nil
			}
			return lease.ErrLost
		}, lost: 6 * time.Second},
		{name: "fails", renew: func(context.Context, int) error { return broken }, lost: 5 * time.Second, failed: 6},
		{name: "fails after a while", renew: func(_ context.Context, call int) error {
			if call < 3 {
				return nil
			}
			return broken
		}, lost: 9 * time.Second, failed: 6},
		{name: "fails sometimes", renew: func(_ context.Context, call int) error {
			if call%4 == 0 {
				return nil
			}
			return broken
		}, failed: 75},
		{name: "hangs", renew: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
			lost: 5 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in(t, func(t *testing.T, h *lease.Held) {
				call, failed, start := 0, 0, time.Now()
				h.Keep(func(ctx context.Context) error { call++; return tc.renew(ctx, call) }, func(error) { failed++ })
				select {
				case <-h.Context().Done():
				case <-time.After(90 * time.Second):
				}
				took := time.Since(start)
				if lost := h.Lost(); lost != (tc.lost > 0) || lost && took != tc.lost {
					t.Errorf("lost: %t, after %s", lost, took)
				}
				h.End()
				if failed < tc.failed || failed > tc.failed+2 {
					t.Errorf("%d errors were reported, want %d", failed, tc.failed)
				}
			})
		})
	}
}

// End waits for a renewal that is under way.
func TestEndWaits(t *testing.T) {
	in(t, func(t *testing.T, h *lease.Held) {
		done := false
		h.Keep(func(context.Context) error { after(time.Second); done = true; return nil }, func(error) {})
		after(2500 * time.Millisecond)
		h.End()
		if !done || h.Lost() {
			t.Errorf("done %t, lost %t", done, h.Lost())
		}
		h.End() // does nothing
	})
}

func TestLose(t *testing.T) {
	in(t, func(t *testing.T, h *lease.Held) {
		gone := errors.New("a person cancelled it")
		h.Lose(gone)
		if cause := context.Cause(h.Context()); !h.Lost() || h.MayBegin() || !errors.Is(cause, lease.ErrLost) ||
			!errors.Is(cause, gone) {
			t.Errorf("the cause is %v", cause)
		}
	})
}

// The machine's clock is set: the age of a lease does not change.
func TestAgeIsMonotonic(t *testing.T) {
	for _, set := range []time.Duration{-time.Hour, time.Hour} {
		h := terms.Take(t.Context(), lookedBack(time.Now(), set))
		if age := h.Age(); age < 0 || age > time.Minute || h.Lost() {
			t.Errorf("the clock was set by %s, and the age is %s, lost %t", set, age, h.Lost())
		}
		h.Renewed(lookedBack(time.Now(), set))
		if age := h.Age(); age < 0 || age > time.Minute || h.Lost() {
			t.Errorf("renewed: the clock was set by %s, and the age is %s, lost %t", set, age, h.Lost())
		}
		h.End()
	}
}

// lookedBack returns a time from before the machine's clock was set by d: its monotonic reading
// stays, and its wall clock is off by d.
func lookedBack(at time.Time, d time.Duration) time.Time {
	*(*int64)(unsafe.Pointer(&at)) -= int64(d.Seconds()) << 30
	return at
}

func TestNow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		before := micros.Now()
		var now, later int64
		c := lease.Now(s.Dialect())
		err := s.Raw().QueryRowContext(t.Context(), "SELECT "+string(c)+", "+c.In(6*time.Second)).Scan(&now, &later)
		if err != nil || micros.Time(now) < before.Add(-time.Minute) || micros.Time(now) > before.Add(time.Minute) ||
			later != now+6e6 {
			t.Errorf("now %d, later %d, %v", now, later, err)
		}
	})
}

func TestStatements(t *testing.T) {
	c := lease.Now(dialect.MySQL)
	if got, want := terms.Renewal("7"), "lease_until = 7 + 6000000, due_at = 7 + 6000000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := terms.Claim(c), "lease_token = lease_token + 1, lease_owner = ?, "+terms.Renewal(c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
