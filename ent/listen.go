package ent

import (
	"context"
	"sync"
)

// listeners are the channels that receive a value after a commit of events.
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
		default: // the last value is still unread
		}
	}
}

// Announce notifies the listeners of [Store.Listen] of new events once the transaction that ctx is
// in has committed.
func Announce(ctx context.Context) {
	t, ok := ctx.Value(txKey{}).(*tx)
	if !ok || t.announced {
		return
	}
	t.announced = true
	OnCommit(ctx, t.store.events.notify)
}

// Listen returns a channel that receives a value after this process committed events; several
// commits may result in one value. cancel ends it.
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
