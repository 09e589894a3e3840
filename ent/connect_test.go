package ent_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestDatabaseDown checks that while the database is down, the process as a whole makes a few
// connection attempts per second, and notices within about a second that it is back.
func TestDatabaseDown(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return // SQLite has no server
	}
	p := storetest.NewProxy(t, storetest.MySQL(t))
	s, err := ent.Open(t.Context(), ent.Config{Database: p.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, end := context.WithCancel(t.Context())
	var answered atomic.Int64
	var loops sync.WaitGroup
	defer loops.Wait()
	defer end()
	for range 16 {
		loops.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				if _, err := s.ServerTime(ctx); err == nil {
					answered.Add(1)
				}
				<-tick.C
			}
		})
	}
	await(t, func() bool { return answered.Load() > 50 })
	p.Refuse.Store(true)
	p.Cut()
	shut := time.Now()
	await(t, func() bool { return time.Since(shut) > time.Second }) // the loops notice it
	before := p.Accepted.Load()
	const seconds = 3
	await(t, func() bool { return time.Since(shut) > (1+seconds)*time.Second })
	if n := p.Accepted.Load() - before; n < 1 || n > 5*seconds {
		t.Errorf("%d connections were tried in %d s, want a few a second", n, seconds)
	}
	had := answered.Load()
	p.Refuse.Store(false)
	back := time.Now()
	await(t, func() bool { return answered.Load() >= had+50 })
	if took := time.Since(back); took > 1500*time.Millisecond {
		t.Errorf("it took %s to notice that the database is back", took)
	}
}

func await(t *testing.T, so func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !so() {
		select {
		case <-limit:
			t.Fatal("waited too long")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
