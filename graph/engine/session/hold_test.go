package session

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// One caller at a time holds a person, and gets the error of its own function.
func TestHold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		own := errors.New("its own")
		var inside, ran atomic.Int64
		var wg sync.WaitGroup
		for range 2 * maxHolds {
			wg.Go(func() {
				err := p.Hold(p.ctx, p.lockAda, func() error {
					if n := inside.Add(1); n > 1 {
						t.Errorf("%d hold a person at once", n)
					}
					for range 100 {
						runtime.Gosched()
					}
					inside.Add(-1)
					ran.Add(1)
					return own
				})
				if !errors.Is(err, own) {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if ran.Load() != 2*maxHolds {
			t.Errorf("%d ran, want %d", ran.Load(), 2*maxHolds)
		}
		for range maxHolds {
			p.holds <- struct{}{}
		}
		ended, end := context.WithCancel(p.ctx)
		end()
		err := p.Hold(ended, p.lockAda, func() error { t.Error("it ran although ctx has ended"); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the error of ctx", err)
		}
	})
}

func (p *place) lockAda(ctx context.Context) error { return p.Lock(ctx, p.ada) }

// The function runs once even if the lock's own transaction is lost at its end.
func TestHoldRunsOnce(t *testing.T) {
	lost := false
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Committed: func() error {
		if lost {
			lost = false
			return storetest.Conflict()
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p := newPlace(t, s)
	ran := 0
	lost = true
	if err := p.Hold(p.ctx, p.lockAda, func() error { ran++; return nil }); err != nil || ran != 1 || lost {
		t.Errorf("%v, ran %d times, lost %t", err, ran, lost)
	}
}
