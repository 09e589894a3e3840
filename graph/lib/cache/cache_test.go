package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/lib/cache"
)

func TestCacheEvictsLeastRecentlyUsed(t *testing.T) {
	c := cache.NewCache[string, int](100)
	for i, key := range []string{"a", "b", "c", "d"} {
		c.Put(key, i, 25)
	}
	c.Get("a") // b is the least recently used now
	c.Put("e", 4, 20)
	if _, ok := c.Get("b"); ok {
		t.Error("b is still there")
	}
	for key, want := range map[string]int{"a": 0, "c": 2, "d": 3, "e": 4} {
		if got, ok := c.Get(key); !ok || got != want {
			t.Errorf("%s is %d, %t", key, got, ok)
		}
	}
	if got := c.Used(); got != 95 {
		t.Errorf("%d bytes used, want 95", got)
	}
}

func TestCacheReplacesAndDeletes(t *testing.T) {
	c := cache.NewCache[string, int](100)
	c.Put("a", 1, 10)
	c.Put("a", 2, 20)
	if got, _ := c.Get("a"); got != 2 || c.Used() != 20 {
		t.Errorf("a is %d, %d bytes used", got, c.Used())
	}
	c.Put("a", 3, 26) // more than a quarter: not stored, but the old value is gone
	if _, ok := c.Get("a"); ok || c.Used() != 0 {
		t.Errorf("too large a value is kept: %d bytes", c.Used())
	}
	c.Put("b", 1, 10)
	c.Delete("b")
	c.Delete("never")
	if _, ok := c.Get("b"); ok || c.Used() != 0 {
		t.Errorf("b is still there: %d bytes", c.Used())
	}
}

func TestGroupComputesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g cache.Group[string, int]
		var made atomic.Int64
		var wait sync.WaitGroup
		for range 50 {
			wait.Go(func() {
				got, err := g.Do(t.Context(), "key", time.Minute, func(context.Context) (int, error) {
					time.Sleep(time.Second)
					return int(made.Add(1)), nil
				})
				if got != 1 || err != nil {
					t.Errorf("got %d, %v", got, err)
				}
			})
		}
		wait.Wait()
		if got, _ := g.Do(t.Context(), "key", time.Minute,
			func(context.Context) (int, error) { return int(made.Add(1)), nil }); got != 2 {
			t.Errorf("later: got %d", got)
		}
	})
}

// TestGroupOutlivesItsFirstCaller: the second caller gets the value although the first one's
// context has ended.
func TestGroupOutlivesItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g cache.Group[string, int]
		slow := func(ctx context.Context) (int, error) {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(10 * time.Second):
				return 7, nil
			}
		}
		first, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wait sync.WaitGroup
		wait.Go(func() {
			if _, err := g.Do(first, "key", time.Minute, slow); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("first: %v", err)
			}
		})
		synctest.Wait()
		if got, err := g.Do(t.Context(), "key", time.Minute, slow); got != 7 || err != nil {
			t.Errorf("second: %d, %v", got, err)
		}
		wait.Wait()
		if _, err := g.Do(t.Context(), "key", time.Second, slow); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("past the limit: %v", err)
		}
	})
}

func TestGroupTurnsPanicsIntoErrors(t *testing.T) {
	var g cache.Group[int, int]
	_, err := g.Do(t.Context(), 1, time.Minute, func(context.Context) (int, error) { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v", err)
	}
	if got, err := g.Do(t.Context(), 1, time.Minute, func(context.Context) (int, error) { return 3, nil }); got != 3 ||
		err != nil {
		t.Errorf("afterwards: %d, %v", got, err)
	}
}
