package ent

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// phase is how far a try of a transaction came.
type phase int

const (
	beginning  phase = iota
	running          // nothing is committed: a lost link undoes it all
	committing       // the outcome of a lost link is unknown
)

const (
	maxTries     = 10
	maxLockWaits = 1 // retries after a lock wait: each has cost seconds
)

// retry decides whether a transaction is tried once more.
type retry struct {
	deadline  time.Time
	answer    time.Time // until when it runs, but for its commit: sooner than deadline for a request
	keyed     bool
	tries     int
	lockWaits int
	spent     bool // it would have been tried again, had there been tries left
	alone     bool // it was evicted from a group and joins none
}

// wait bounds a wait for a turn or a connection. A request keeps the time of one wait for a lock; the try
// after a lost link, which may begin late, has a second at least.
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

// lastWait is until when it may begin to wait for a lock.
func (r *retry) lastWait() time.Time { return r.answer.Add(-lockTime) }

// next counts a failed try and returns how long to wait before the next one. While the
// server is away, tries do not count; of an outage that lasts, the caller hears at once.
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

// explain marks an error that outlived its tries, so that the caller hears
// "later" and not "never".
func (r *retry) explain(err error) error {
	if r.spent || !time.Now().Before(r.answer) {
		return &unavailableError{err}
	}
	return err
}

// finalError is an error that f does not want tried again.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }
func (e *finalError) Unwrap() error { return e.err }

func isFinal(err error) bool {
	_, ok := errors.AsType[*finalError](err)
	return ok
}

// Final marks err as the answer of a transaction's closure: it is returned,
// never tried again, whatever error of the database it wraps.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return &finalError{err}
}

// String names the class for logs.
func (c class) String() string {
	return [...]string{"fatal", "duplicate", "conflict", "lock_wait", "refused", "link_lost", "broken"}[c]
}

// rest waits before the next try: while the server is away, for what comes of trying to
// reach it. It reports whether there is to be one.
func (s *Store) rest(ctx context.Context, wait time.Duration) bool {
	if s.server.state() != none {
		return s.server.await(ctx)
	}
	return sleep(ctx, wait)
}

// maxReads is how often a read is tried: its first connections may all be to a server that
// has ended, of which the pool tries two itself.
const maxReads = 4

// readAgain reports, after a wait, whether a read outside of transactions that met err is
// tried once more.
func (s *Store) readAgain(ctx context.Context, err error, tries int) bool {
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

// sleep waits and reports whether ctx outlived the wait.
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
