package ent

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// crowdTime is how long after the last transaction of a request another one is expected.
const crowdTime = 250 * time.Millisecond

// WaitBudget is how long a request waits for a busy database until the error is [IsUnavailable]:
// for connections, for SQLite's one writer and for locks, in all its reads and transactions
// together. Most clients give up after 10 s, and would then get no answer at all.
const WaitBudget = 9 * time.Second

// leastWait is how long a request may still wait once its budget is spent: often only one read is
// missing.
const leastWait = time.Second

type requestKey struct{}

// request is the part of its [WaitBudget] that a request has spent: the time during which at least
// one of its reads or transactions ran.
type request struct {
	mu      sync.Mutex
	running int
	since   time.Time // when the first of those running began
	spent   time.Duration
}

// Request marks ctx as the context of a request, whose client gives up soon, unless it already is
// one.
func Request(ctx context.Context) context.Context {
	if ctx.Value(requestKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, new(request))
}

// enter begins a read or a transaction, and returns its deadline. leave ends it.
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

// withinBudget runs a read, which waits for a connection no longer than its request may.
func withinBudget(ctx context.Context, read func(context.Context) error) error {
	q, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return read(ctx)
	}
	until := q.enter(time.Now())
	defer q.leave()
	// The context is not canceled at the end, because the rows are read under it afterwards.
	bounded, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(time.Until(until), cancel)
	err := read(bounded)
	if !timer.Stop() && ctx.Err() == nil {
		return &unavailableError{cmp.Or(err, context.DeadlineExceeded)}
	}
	return err
}

type backgroundKey struct{}

// Background marks the context of work that no caller waits for. Every service of graph/engine/work
// runs in such a context.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// IsBackground reports whether ctx was marked by [Background].
func IsBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// Contended reports whether requests are writing and would wait for transactions of the background.
// This happens only on SQLite, which has one writer at a time. Many small transactions are then
// better than a large one.
func (s *Store) Contended() bool {
	last := s.requested.Load() // contains a monotonic reading
	return last != nil && time.Since(*last) < crowdTime
}

// noteRequest records a transaction that a caller waits for.
func (s *Store) noteRequest(ctx context.Context) {
	if s.writer != s.readers && !IsBackground(ctx) {
		s.requested.Store(new(time.Now()))
	}
}
