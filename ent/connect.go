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
// first to the longest.
const (
	firstAway   = 100 * time.Millisecond
	longestAway = time.Second
)

// patient is a connector that does not knock at a closed door: while the server is away
// one caller tries now and then for all of the process, and the others hear at once
// what that one heard. While the server is there it is in nobody's way.
type patient struct {
	driver.Connector

	mu     sync.Mutex
	away   error // what the last try heard; nil when it worked
	wait   time.Duration
	next   time.Time // when the next try may be
	trying bool
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
	switch late := errors.Is(err, context.DeadlineExceeded); {
	case err == nil:
		p.away, p.wait = nil, 0
	case classify(err) != linkLost && (!late || p.away == nil):
	case time.Now().Before(p.next): // one of many that tried at once
	default:
		if !late {
			p.away = err
		}
		p.wait = min(max(2*p.wait, firstAway), longestAway)
		p.next = time.Now().Add(p.wait/2 + rand.N(p.wait/2))
	}
}
