package ent

import (
	"context"
	"sync"
)

// bell tells those who wait that something was committed.
type bell struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.listeners {
		select {
		case c <- struct{}{}:
		default: // it has not heard the last one yet
		}
	}
}

// Announce tells the listeners of [Store.Listen] that events were written, once
// the transaction that ctx is in has committed.
func Announce(ctx context.Context) {
	t, ok := ctx.Value(txKey{}).(*tx)
	if !ok || t.announced {
		return
	}
	t.announced = true
	OnCommit(ctx, t.store.events.ring)
}

// Listen returns a channel that gets a value after events were committed by
// this process; many commits may make one value. Cancel ends it.
func (s *Store) Listen() (rung <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	if s.events.listeners == nil {
		s.events.listeners = map[chan struct{}]struct{}{}
	}
	s.events.listeners[c] = struct{}{}
	return c, func() {
		s.events.mu.Lock()
		defer s.events.mu.Unlock()
		delete(s.events.listeners, c)
	}
}
