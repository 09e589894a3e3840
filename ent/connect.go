package ent

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// The waits between two attempts to reach a server that is down: they double from the first to the
// longest, which is shorter while callers wait.
const (
	minDelay      = 100 * time.Millisecond
	maxDelayEarly = 400 * time.Millisecond
	maxDelay      = time.Second
)

// When an outage begins, callers wait for its end; once it lasts longer than outageWait, they fail
// at once. Waiting callers keep their requests in memory, so their number is limited.
const (
	outageWait = 5 * time.Second
	maxWaiting = 256
)

// breaker is a connector that stops dialing while the server is down: one caller at a time makes
// the next attempt for the whole process, and the others get the last error at once. While the
// server is up it has no effect.
type breaker struct {
	driver.Connector

	mu      sync.Mutex
	down    error         // error of the last attempt; nil if it succeeded
	since   time.Time     // time of the first failed attempt
	back    chan struct{} // closed when an attempt succeeds
	waiting int           // callers waiting for back
	wait    time.Duration
	next    time.Time // earliest time of the next attempt
	trying  bool
}

func (p *breaker) Connect(ctx context.Context) (driver.Conn, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	c, err := p.Connector.Connect(ctx)
	p.leave(err)
	return c, err
}

// enter returns an error if another caller makes the next attempt.
func (p *breaker) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down == nil {
		return nil
	}
	if p.trying || time.Now().Before(p.next) {
		return fmt.Errorf("the server was down a moment ago: %w", p.down)
	}
	p.trying = true
	return nil
}

// leave records the result of an attempt. A timeout of the caller counts only if the server is
// known to be down.
func (p *breaker) leave(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trying = false
	switch late := errors.Is(err, context.DeadlineExceeded) && !isNoWriter(err); {
	case err == nil:
		p.down, p.wait = nil, 0
		if p.back != nil {
			close(p.back)
			p.back = nil
		}
	case classify(err) != linkLost && !isNoWriter(err) && (!late || p.down == nil):
	case time.Now().Before(p.next): // one of many concurrent attempts
	default:
		p.missed(err, late)
	}
}

// missed records a failed attempt. The lock is held.
func (p *breaker) missed(err error, late bool) {
	if p.down == nil {
		p.since, p.back = time.Now(), make(chan struct{})
	}
	if !late {
		p.down = err
	}
	longest := maxDelay
	if time.Since(p.since) < outageWait {
		longest = maxDelayEarly
	}
	p.wait = min(max(2*p.wait, minDelay), longest)
	p.next = time.Now().Add(p.wait/2 + rand.N(p.wait/2))
}

type outage int

const (
	none  outage = iota
	young        // callers wait for its end
	old          // callers fail at once
)

func (p *breaker) state() outage {
	if p == nil {
		return none
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.down == nil:
		return none
	case time.Since(p.since) < outageWait:
		return young
	}
	return old
}

// await waits for the next attempt to reach the server, at most until the outage is old. It reports
// whether the caller may try again, which is false if ctx ended or too many callers wait.
func (p *breaker) await(ctx context.Context) bool {
	p.mu.Lock()
	if p.down == nil {
		p.mu.Unlock()
		return true
	}
	left := time.Until(p.next)
	if p.trying {
		left = minDelay // the running attempt may fail
	}
	left = min(outageWait-time.Since(p.since), left)
	if time.Since(p.since) >= outageWait || p.waiting >= maxWaiting {
		p.mu.Unlock()
		return false
	}
	p.waiting++
	back := p.back
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting--
	}()
	t := time.NewTimer(max(left, time.Millisecond))
	defer t.Stop()
	select {
	case <-back:
		return true
	case <-t.C:
		return p.state() != old
	case <-ctx.Done():
		return false
	}
}

func isNoWriter(err error) bool {
	_, ok := errors.AsType[*noWriterError](err)
	return ok
}
