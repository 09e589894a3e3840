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

// The waits between two tries to reach a server that is away: they double from the
// first to the longest, which is shorter while callers wait.
const (
	firstAway    = 100 * time.Millisecond
	longestAwait = 400 * time.Millisecond
	longestAway  = time.Second
)

// Of an outage that begins, callers wait for its end; of one that lasts, they hear at
// once. Those who wait hold their requests in memory, so there are only so many.
const (
	patience   = 5 * time.Second
	maxWaiting = 256
)

// patient is a connector that does not knock at a closed door: while the server is away
// one caller tries now and then for all of the process, and the others hear at once
// what that one heard. While the server is there it is in nobody's way.
type patient struct {
	driver.Connector

	mu      sync.Mutex
	away    error         // what the last try heard; nil when it worked
	since   time.Time     // when the first try failed
	back    chan struct{} // closed when a try works
	waiting int           // for that
	wait    time.Duration
	next    time.Time // when the next try may be
	trying  bool
}

// Connect implements driver.Connector.
func (p *patient) Connect(ctx context.Context) (driver.Conn, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	c, err := p.Connector.Connect(ctx)
	p.leave(err)
	return c, err
}

// enter returns an error where the next try is somebody else's.
func (p *patient) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away == nil {
		return nil
	}
	if p.trying || time.Now().Before(p.next) {
		return fmt.Errorf("the server was away a moment ago: %w", p.away)
	}
	p.trying = true
	return nil
}

// leave takes what came of a try. One whose caller ran out of time counts only where
// the server is known to be away.
func (p *patient) leave(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trying = false
	switch late := errors.Is(err, context.DeadlineExceeded) && !isNoWriter(err); {
	case err == nil:
		p.away, p.wait = nil, 0
		if p.back != nil {
			close(p.back)
			p.back = nil
		}
	case classify(err) != linkLost && !isNoWriter(err) && (!late || p.away == nil):
	case time.Now().Before(p.next): // one of many that tried at once
	default:
		p.missed(err, late)
	}
}

// missed notes a try that failed. The lock is held.
func (p *patient) missed(err error, late bool) {
	if p.away == nil {
		p.since, p.back = time.Now(), make(chan struct{})
	}
	if !late {
		p.away = err
	}
	longest := longestAway
	if time.Since(p.since) < patience {
		longest = longestAwait
	}
	p.wait = min(max(2*p.wait, firstAway), longest)
	p.next = time.Now().Add(p.wait/2 + rand.N(p.wait/2))
}

// outage is what callers have to know of one.
type outage int

const (
	none  outage = iota
	young        // its end may be waited for
	old          // callers are told at once
)

// state says what is known of the server. There is none of SQLite.
func (p *patient) state() outage {
	if p == nil {
		return none
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.away == nil:
		return none
	case time.Since(p.since) < patience:
		return young
	}
	return old
}

// await waits for the next try at reaching the server, at most until the outage is old. It
// reports whether the caller may try again: not when its time is over, nor when too many
// wait already.
func (p *patient) await(ctx context.Context) bool {
	p.mu.Lock()
	if p.away == nil {
		p.mu.Unlock()
		return true
	}
	left := time.Until(p.next)
	if p.trying {
		left = firstAway // it may fail
	}
	left = min(patience-time.Since(p.since), left)
	if time.Since(p.since) >= patience || p.waiting >= maxWaiting {
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
