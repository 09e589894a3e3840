package ent

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// phase is how far an attempt at a transaction got.
type phase int

const (
	beginning  phase = iota
	running          // nothing is committed: a lost link rolls back
	committing       // the outcome of a lost link is unknown
)

const (
	maxTries     = 10
	maxLockWaits = 1 // retries after a lock wait: each has cost seconds
)

// retry decides whether a transaction is retried.
type retry struct {
	deadline  time.Time
	answer    time.Time // until when it runs, except for its commit: before deadline in a request
	keyed     bool
	tries     int
	lockWaits int
	spent     bool // it would have been retried if tries or time were left
	alone     bool // it was evicted from a group and does not join another
}

// wait bounds a wait for a turn or a connection. A request reserves the time of one lock wait; the
// retry after a lost link, which may begin late, has at least a second.
func (r *retry) wait(ctx context.Context) (context.Context, context.CancelFunc) {
	until := r.deadline
	if r.answer.Before(until) {
		until = r.lastWait()
		if soon := time.Now().Add(leastWait); until.Before(soon) {
			until = soon
		}
	}
	return context.WithDeadline(ctx, until)
}

// lastWait returns the latest time at which a statement may start waiting for a lock.
func (r *retry) lastWait() time.Time { return r.answer.Add(-lockTime) }

// next counts a failed try and returns how long to wait before the next one. While the server is
// down, tries do not count; once an outage lasts, it fails at once.
func (r *retry) next(err error, p phase, now outage) (wait time.Duration, again bool) {
	if isFinal(err) {
		return 0, false
	}
	r.tries++
	if c := classify(err); now != none && (c == refused || c == linkLost) {
		if r.spent = now == old; r.spent {
			return 0, false
		}
		r.tries = 1
	}
	base, limit := 2*time.Millisecond, 200*time.Millisecond
	switch classify(err) {
	case conflict:
		if IsLockTimeout(err) && time.Now().After(r.lastWait()) { // another process holds the file
			r.spent = true
			return 0, false
		}
	case lockWait:
		r.lockWaits++
		if r.lockWaits > maxLockWaits {
			r.spent = true
			return 0, false
		}
	case refused:
		base, limit = 20*time.Millisecond, 640*time.Millisecond
	case linkLost:
		if p == committing && !r.keyed {
			return 0, false
		}
		base, limit = 20*time.Millisecond, 640*time.Millisecond
	default:
		return 0, false
	}
	wait = rand.N(min(base<<r.tries, limit)) + 1
	if r.tries >= maxTries || time.Now().Add(wait).After(r.answer) {
		r.spent = true
		return 0, false
	}
	return wait, true
}

// explain marks an error that remains after all tries as unavailable: the caller may try again
// later.
func (r *retry) explain(err error) error {
	if r.spent || !time.Now().Before(r.answer) {
		return &unavailableError{err}
	}
	return err
}

// finalError is an error that must not be retried.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }
func (e *finalError) Unwrap() error { return e.err }

func isFinal(err error) bool {
	_, ok := errors.AsType[*finalError](err)
	return ok
}

// Final marks err as the result of a transaction's function: it is returned and never retried,
// whatever database error it wraps.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return &finalError{err}
}

func (c class) String() string {
	return [...]string{"fatal", "duplicate", "conflict", "lock_wait", "refused", "link_lost", "broken"}[c]
}

// awaitRetry waits before the next try; while the server is down, for the result of reconnecting.
// It reports whether to try again.
func (s *Store) awaitRetry(ctx context.Context, wait time.Duration) bool {
	if s.server.state() != none {
		return s.server.await(ctx)
	}
	return sleep(ctx, wait)
}

// maxReads is how often a read is tried: its first connections may all be to a server that has
// stopped, and the pool itself tries only two of them.
const maxReads = 4

// retryRead waits and reports whether to retry a read outside transactions that failed with err.
func (s *Store) retryRead(ctx context.Context, err error, tries int) bool {
	if c := classify(err); s.server == nil || s.closed.Load() || c != refused && c != linkLost {
		return false
	}
	switch s.server.state() {
	case young:
		return s.server.await(ctx)
	case none:
		return tries < maxReads && sleep(ctx, rand.N(20*time.Millisecond<<tries))
	}
	return false
}

// sleep waits for d and reports whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// againError hides its cause: a caller that finds a fault would answer with it.
type againError struct{ cause string }

func (e *againError) Error() string { return e.cause }

// Again returns an error of a transaction's function after which the transaction runs again from the
// start, because another one has changed what it read.
func Again(cause error) error { return &againError{cause.Error()} }
