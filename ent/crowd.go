package ent

import (
	"context"
	"time"
)

// crowdTime is how long after the last transaction of a request another one is
// expected.
const crowdTime = 250 * time.Millisecond

// WaitBudget is how long a request waits for a database that is busy until the answer is
// [IsUnavailable]: for a connection or for the one writer of SQLite, and then for locks. Most clients
// give up after 10 s, and learn nothing then.
const WaitBudget = 9 * time.Second

type requestKey struct{}

// Request marks the context of a request, whose client gives up soon.
func Request(ctx context.Context) context.Context { return context.WithValue(ctx, requestKey{}, true) }

// wait bounds a wait for a turn or a connection, which other work may wait for until the deadline. The
// try after a lost link, which may begin late, has a second at least.
func wait(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if ctx.Value(requestKey{}) != nil {
		late, soon := latestWait(deadline), time.Now().Add(time.Second)
		if late.Before(soon) {
			late = soon
		}
		if late.Before(deadline) {
			deadline = late
		}
	}
	return context.WithDeadline(ctx, deadline)
}

// latestWait is until when a transaction with a deadline may begin to wait for a lock within its
// [WaitBudget].
func latestWait(deadline time.Time) time.Time { return deadline.Add(WaitBudget - lockTime - TxBudget) }

type backgroundKey struct{}

// Background marks the context of work that no caller waits for. Every service of
// graph/work runs in one.
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
