package ent

import (
	"context"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/micros"
)

// QueueClock returns an expression and its arguments for the time, in microseconds, by which queues
// are leased and due. On MySQL it is the server's time at the start of the statement. On SQLite it
// is a monotonic clock that the machine's processes share; it restarts with the machine, and is not
// a time of day.
func (s *Store) QueueClock() (string, []any) {
	if s.dialect == dialect.SQLite {
		return "?", []any{int64(s.clock())}
	}
	return mysqlClock, nil
}

// QueueTime returns the current time of [Store.QueueClock].
func (s *Store) QueueTime(ctx context.Context) (micros.Time, error) {
	if s.dialect == dialect.SQLite {
		return s.clock(), nil
	}
	now, err := s.ServerTime(ctx)
	return micros.Of(now), err
}
