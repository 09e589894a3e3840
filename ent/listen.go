package ent

import (
	"context"
	"sync"
)

// listeners are the channels that get a value when something was committed.
type listeners struct {
	mu       sync.Mutex
	channels map[chan struct{}]struct{}
}

func (l *listeners) notify() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.channels {
		select {
		case c <- struct{}{}:
		default: // it has not read the last value yet
		}
	}
}

// Announce notifies the listeners of [Store.Listen] that events were written,
// once the transaction that ctx is in has committed.
func Announce(ctx context.Context) {
	t, ok := ctx.Value(txKey{}).(*tx)
	if !ok || t.announced {
		return
	}
	t.announced = true
	OnCommit(ctx, t.store.events.notify)
}

// Listen returns a channel that gets a value after events were committed by
// this process; many commits may make one value. Cancel ends it.
func (s *Store) Listen() (committed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	if s.events.channels == nil {
		s.events.channels = map[chan struct{}]struct{}{}
	}
	s.events.channels[c] = struct{}{}
	return c, func() {
		s.events.mu.Lock()
		defer s.events.mu.Unlock()
		delete(s.events.channels, c)
	}
}
