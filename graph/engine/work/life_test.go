package work_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/work"
)

// slow is a service that takes a second to stop.
type slow struct {
	work.Life
	begun, ended, running, most atomic.Int64
}

func (s *slow) start(ctx context.Context) {
	s.Life.Start(ctx, func(ctx context.Context) func(context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			s.begun.Add(1)
			s.most.Store(max(s.most.Load(), s.running.Add(1)))
			<-ctx.Done()
			<-time.After(time.Second)
			s.running.Add(-1)
			s.ended.Add(1)
		})
		return func(limit context.Context) { cancel(); work.Wait(limit, &wg) }
	})
}

func (s *slow) is(t *testing.T, begun, ended int64) {
	t.Helper()
	synctest.Wait()
	if s.begun.Load() != begun || s.ended.Load() != ended {
		t.Errorf("begun %d times and ended %d times, want %d and %d", s.begun.Load(), s.ended.Load(), begun, ended)
	}
}

func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		s.Stop(t.Context()) // does nothing
		ctx, cancel := context.WithCancel(t.Context())
		s.start(ctx)
		s.start(ctx) // does nothing
		cancel()     // nor does the end of its context
		s.is(t, 1, 0)
		s.Stop(t.Context())
		s.is(t, 1, 1)
		s.Stop(t.Context()) // does nothing
		s.start(t.Context())
		s.is(t, 2, 1)
		s.Stop(t.Context())
		s.is(t, 2, 2)
	})
}

// All concurrent calls of Stop wait, and a Start meanwhile takes effect afterwards.
func TestLifeStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		s.start(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				s.Stop(t.Context())
				if s.ended.Load() != 1 {
					t.Error("Stop did not wait")
				}
			})
		}
		time.Sleep(time.Millisecond)
		wg.Go(func() { s.start(t.Context()) })
		wg.Wait()
		s.is(t, 2, 1)
		s.Stop(t.Context())
	})
}

// Stop waits no longer than its limit, and so does the second call.
func TestLifeStopsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		s.start(t.Context())
		start := time.Now()
		var wg sync.WaitGroup
		for _, allowed := range []time.Duration{500 * time.Millisecond, 100 * time.Millisecond} {
			wg.Go(func() {
				limit, cancel := context.WithTimeout(t.Context(), allowed)
				defer cancel()
				s.Stop(limit)
				if took := time.Since(start); took > 500*time.Millisecond {
					t.Errorf("it took %s", took)
				}
			})
		}
		wg.Wait()
		s.is(t, 1, 0)
		time.Sleep(time.Minute)
	})
}

func TestLifeInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				time.Sleep(rand.N(5 * time.Second))
				if rand.N(2) == 0 {
					s.start(t.Context())
				} else {
					s.Stop(context.Background())
				}
			})
		}
		wg.Wait()
		s.Stop(t.Context())
		synctest.Wait()
		if s.most.Load() > 1 || s.running.Load() != 0 {
			t.Errorf("%d ran at once, and %d run still", s.most.Load(), s.running.Load())
		}
	})
}
