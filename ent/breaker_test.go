package ent

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// gate is a server that is down while open is false.
type gate struct {
	open  atomic.Bool
	tried atomic.Int64
}

func (g *gate) Driver() driver.Driver { return nil }

func (g *gate) Connect(context.Context) (driver.Conn, error) {
	g.tried.Add(1)
	if g.open.Load() {
		return nil, nil
	}
	return nil, driver.ErrBadConn
}

// callers connect until they succeed or have to give up.
func callers(p *breaker, n int) (served, gaveUp *atomic.Int64) {
	served, gaveUp = new(atomic.Int64), new(atomic.Int64)
	for range n {
		go func() {
			for {
				if _, err := p.Connect(context.Background()); err == nil {
					served.Add(1)
					return
				}
				if !p.await(context.Background()) {
					gaveUp.Add(1)
					return
				}
			}
		}()
	}
	return served, gaveUp
}

// TestOutage checks that callers at the start of an outage are served when it ends, that only a
// limited number waits, and that in a long outage all fail at once.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		p := &breaker{Connector: g}
		served, gaveUp := callers(p, maxWaiting+50)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if gaveUp.Load() != 50 || served.Load() != 0 || p.state() != young {
			t.Errorf("%d gave up, %d were served, want the 50 beyond the limit to give up", gaveUp.Load(), served.Load())
		}
		if n := g.tried.Load(); n > 30 {
			t.Errorf("%d connections were tried in 3 s", n)
		}
		g.open.Store(true)
		time.Sleep(maxDelayEarly)
		synctest.Wait()
		if served.Load() != maxWaiting || p.state() != none || p.waiting != 0 {
			t.Errorf("%d were served, %d wait, want all waiting callers", served.Load(), p.waiting)
		}

		g.open.Store(false)
		began := time.Now()
		served, gaveUp = callers(p, 20)
		synctest.Wait()
		time.Sleep(outageWait)
		synctest.Wait()
		if gaveUp.Load() != 20 || served.Load() != 0 || p.state() != old {
			t.Errorf("%d of 20 gave up after %v", gaveUp.Load(), time.Since(began))
		}
		if began = time.Now(); p.await(t.Context()) || time.Since(began) != 0 {
			t.Error("a caller waits in a long outage")
		}
	})
}

// A caller waits no longer than its own deadline.
func TestOutageWaitEndsWithCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &breaker{Connector: &gate{}}
		if _, err := p.Connect(t.Context()); err == nil {
			t.Fatal("there is no server")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began := time.Now()
		if p.await(ctx) || !errors.Is(ctx.Err(), context.DeadlineExceeded) || time.Since(began) > 20*time.Millisecond {
			t.Errorf("waited for %v", time.Since(began))
		}
	})
}
