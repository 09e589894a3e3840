package ent

import (
	"context"
	"time"
)

// IdleTime is what the settings of a session say of transactions that stand still.
const IdleTime = idleTime

// Delayed returns how many statements of the transaction of ctx were not sent yet.
func Delayed(ctx context.Context) int {
	return len(ctx.Value(txKey{}).(*tx).later.texts)
}

// Halt stops the rounds of a store's horizon, as a process that stands still does.
func Halt(s *Store) (resume func()) {
	s.horizon.rounds.Lock()
	return s.horizon.rounds.Unlock
}

// Age lets time pass for a store's horizon: since it saw others fall behind, and since its own
// last round.
func Age(s *Store, d time.Duration) {
	h := s.horizon
	for id, l := range h.behind {
		l.since = l.since.Add(-d)
		h.behind[id] = l
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.verified = h.verified.Add(-d)
}

// SetBack lets the clock of a store's process have shown a later time before.
func SetBack(s *Store, d time.Duration) {
	h := s.horizon
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = h.last.Add(d)
}

// Gone is how long a process may stand still before its horizon is removed.
const Gone = goneTime
