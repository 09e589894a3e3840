package ent

import (
	"context"
	"time"
)

// crowdTime is how long after the last transaction of a request another one is
// expected.
const crowdTime = 250 * time.Millisecond

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
