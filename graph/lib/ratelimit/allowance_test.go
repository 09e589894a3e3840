package ratelimit_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

var rate = ratelimit.Rate{Burst: 3, Every: time.Minute}

// A burst, then one per interval; a returned use can be taken again.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		take := func(key digest.Sum) time.Duration {
			t.Helper()
			wait, err := ratelimit.Take(t.Context(), s, key, rate)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		a, b := ratelimit.Key("guess", "a"), ratelimit.Key("guess", "b")
		for range rate.Burst {
			if wait := take(a); wait != 0 {
				t.Fatalf("wait %v within the burst", wait)
			}
		}
		if wait := take(a); wait != time.Minute {
			t.Errorf("wait %v, want a minute", wait)
		}
		if wait := take(b); wait != 0 {
			t.Errorf("another key waits %v", wait)
		}
		if err := ratelimit.Return(t.Context(), s, a, rate); err != nil {
			t.Fatal(err)
		}
		if wait := take(a); wait != 0 {
			t.Errorf("what came back waits %v", wait)
		}
		time.Sleep(time.Minute)
		if first, second := take(a), take(a); first != 0 || second != time.Minute {
			t.Errorf("after a minute: %v, %v", first, second)
		}
		time.Sleep(10 * time.Minute)
		if n, err := ratelimit.Purge(t.Context(), s); n != 2 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		for range rate.Burst {
			if wait := take(a); wait != 0 {
				t.Errorf("a rested key waits %v", wait)
			}
		}
	})
}

// Either all charges are counted, or none; Wait counts nothing.
func TestTakeAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		charge := func(of string, burst int) ratelimit.Charge {
			return ratelimit.Charge{Key: ratelimit.Key("guess", of),
				Rate: ratelimit.Rate{Burst: burst, Every: time.Hour}}
		}
		small, middle, large := charge("a", 1), charge("b", 2), charge("c", 3)
		counts := func(want bool, charges ...ratelimit.Charge) {
			t.Helper()
			look, err := ratelimit.Wait(t.Context(), s, charges...)
			if err != nil || (look == 0) != want {
				t.Errorf("look: %v, %v", look, err)
			}
			took, err := ratelimit.TakeAll(t.Context(), s, charges...)
			if err != nil || (took == 0) != want || took > time.Hour || took > look {
				t.Errorf("take: %v after %v, %v", took, look, err)
			}
		}
		counts(true, large, small, middle)
		for range 3 {
			counts(false, large, small, middle)
		}
		counts(true, middle, large)
		counts(false, middle)
		counts(true, large) // refused calls took nothing
		counts(false, large)
		counts(true)
	})
}

// Concurrent uses are counted one after the other, and the first uses of a key do not deadlock.
func TestTakeAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		const keys = 10
		var let atomic.Int32
		for i := range keys {
			take := func() {
				wait, err := ratelimit.Take(t.Context(), s, ratelimit.Key("guess", strconv.Itoa(i)),
					ratelimit.Rate{Burst: 3, Every: time.Hour})
				if err != nil {
					t.Error(err)
				} else if wait == 0 {
					let.Add(1)
				}
			}
			var wg sync.WaitGroup
			for range 12 {
				wg.Go(take)
			}
			wg.Wait()
			take() // if the use that was counted first read the clock last, the others came too early
		}
		if let.Load() != 3*keys {
			t.Errorf("%d let through, want %d", let.Load(), 3*keys)
		}
		if n := s.Retries()["conflict"]; n > 0 && s.Dialect() == dialect.MySQL {
			t.Errorf("%d deadlocks", n)
		}
	})
}
