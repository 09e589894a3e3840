package ent

import (
	"context"
	"time"
)

// IdleTime is the session setting for idle transactions.
const IdleTime = idleTime

// Delayed returns the number of statements of the transaction of ctx that were not sent yet.
func Delayed(ctx context.Context) int {
	return len(ctx.Value(txKey{}).(*tx).later.texts)
}

// Halt stops the rounds of a store's horizon, as in a process that stalls.
func Halt(s *Store) (resume func()) {
	s.horizon.rounds.Lock()
	return s.horizon.rounds.Unlock
}

// Age moves a store's horizon forward in time: since it saw others fall behind, and since its own
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

// SetBack simulates a clock that had shown a time later by d before.
func SetBack(s *Store, d time.Duration) {
	h := s.horizon
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = h.last.Add(d)
}

// Gone is how long a process may stall before its horizon is removed.
const Gone = goneTime
