package transport

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// checkFree fails the test unless all slots are free and no store is tracked.
func checkFree(t *testing.T, s *slots) {
	t.Helper()
	if len(s.all) != 0 || len(s.stores) != 0 {
		t.Errorf("%d slots are taken, %d stores are tracked", len(s.all), len(s.stores))
	}
}

// enter acquires n slots for a store.
func enter(t *testing.T, s *slots, store xid.ID, n int) (list []*slot) {
	t.Helper()
	for range n {
		one, err := s.enter(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// Two bodies of a store are processed at a time. Another one waits for a bounded time, without
// blocking other stores.
func TestSlotsOfStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, slow, other := newSlots(), xid.New(), xid.New()
		taken := enter(t, s, slow, maxUploads)
		waiting := make(chan error)
		start := time.Now()
		for range 3 * maxAllUploads {
			go func() {
				_, err := s.enter(t.Context(), slow)
				waiting <- err
			}()
		}
		synctest.Wait()
		taken = append(taken, enter(t, s, other, maxUploads)...)
		if d := time.Since(start); d != 0 {
			t.Errorf("another store waited %s", d)
		}
		for range 3 * maxAllUploads {
			err := <-waiting
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Unavailable || f.RetryAfter == 0 || time.Since(start) != uploadWait {
				t.Errorf("after %s: %v", time.Since(start), err)
			}
		}
		time.AfterFunc(time.Second, taken[0].leave)
		taken = append(taken[1:], enter(t, s, slow, 1)...)
		for _, one := range taken {
			one.leave()
		}
		(*slot)(nil).leave()
		checkFree(t, s)
	})
}

// All stores together have a bound, too.
func TestSlotsOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		var taken []*slot
		for range maxAllUploads / maxUploads {
			taken = append(taken, enter(t, s, xid.New(), maxUploads)...)
		}
		late := xid.New()
		if _, err := s.enter(t.Context(), late); err == nil {
			t.Error("acquired a slot beyond the bound")
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.enter(gone, late); err == nil {
			t.Error("acquired a slot for a disconnected client")
		}
		time.AfterFunc(time.Second, taken[0].leave)
		taken = append(taken[1:], enter(t, s, late, 1)...)
		for _, one := range taken {
			one.leave()
		}
		checkFree(t, s)
	})
}
