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

// checkFree fails the test unless every slot is free and nothing is kept of any store.
func checkFree(t *testing.T, s *slots) {
	t.Helper()
	if len(s.all) != 0 || len(s.stores) != 0 {
		t.Errorf("%d slots are taken, %d stores are kept", len(s.all), len(s.stores))
	}
}

// enter takes n slots for a store.
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

// Two bodies of a store are worked on at a time; another one waits, but not for
// ever, and keeps out nobody else's.
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
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unavailable || f.RetryAfter == 0 || time.Since(start) != uploadWait {
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
			t.Error("one more than all")
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.enter(gone, late); err == nil {
			t.Error("a slot for a caller who has gone")
		}
		time.AfterFunc(time.Second, taken[0].leave)
		taken = append(taken[1:], enter(t, s, late, 1)...)
		for _, one := range taken {
			one.leave()
		}
		checkFree(t, s)
	})
}
