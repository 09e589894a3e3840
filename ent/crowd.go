package ent

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// crowdTime is how long after the last transaction of a request another one is
// expected.
const crowdTime = 250 * time.Millisecond

// WaitBudget is how long a request waits for a database that is busy until the answer is
// [IsUnavailable]: for connections, for the one writer of SQLite and for locks, all reads and
// transactions together. Most clients give up after 10 s, and learn nothing then.
const WaitBudget = 9 * time.Second

// leastWait is how long a request waits once its budget is spent: what it has done so far may only lack
// its last read.
const leastWait = time.Second

type requestKey struct{}

// request is what a request has spent of its [WaitBudget]: the time during which at least one of its
// reads or transactions ran.
type request struct {
	mu      sync.Mutex
	running int
	since   time.Time // when the first of those running began
	spent   time.Duration
}

// Request returns the context of a request, whose client gives up soon, unless ctx is one already.
func Request(ctx context.Context) context.Context {
	if ctx.Value(requestKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, new(request))
}

// enter begins a read or a transaction, and returns until when it may take. It calls leave at its end.
func (q *request) enter(now time.Time) (until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running++; q.running == 1 {
		q.since = now
	}
	return now.Add(max(WaitBudget-q.spent-now.Sub(q.since), leastWait))
}

func (q *request) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running--; q.running == 0 {
		q.spent += time.Since(q.since)
	}
}

// patiently runs a read, which waits for a connection no longer than its request may.
func patiently(ctx context.Context, read func(context.Context) error) error {
	q, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return read(ctx)
	}
	until := q.enter(time.Now())
	defer q.leave()
	// The context is not canceled at the end: the rows of a read are read under it afterwards.
	bounded, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(time.Until(until), cancel)
	err := read(bounded)
	if !timer.Stop() && ctx.Err() == nil {
		return &unavailableError{cmp.Or(err, context.DeadlineExceeded)}
	}
	return err
}

type backgroundKey struct{}

// Background marks the context of work that no caller waits for. Every service of
// graph/engine/work runs in one.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// IsBackground reports whether ctx is one of [Background].
func IsBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// Crowded reports whether requests write at present and wait for each transaction of
// the background: on SQLite, which has one writer at a time. Then many small ones are
// better than a large one.
func (s *Store) Crowded() bool {
	last := s.requested.Load() // with the reading of the clock that nobody sets
	return last != nil && time.Since(*last) < crowdTime
}

// noteRequest notes a transaction that somebody waits for.
func (s *Store) noteRequest(ctx context.Context) {
	if s.writer != s.readers && !IsBackground(ctx) {
		s.requested.Store(new(time.Now()))
	}
}
