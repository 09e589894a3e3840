package ent

import (
	"context"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/micros"
)

// QueueClock returns the time by which queues are leased and due, in microseconds: an
// expression and its arguments. On MySQL it is the server's at the start of the
// statement. On SQLite it is one of the machine, which its processes share and nobody
// sets; it begins anew when the machine does, and is no time of day.
func (s *Store) QueueClock() (string, []any) {
	if s.dialect == dialect.SQLite {
		return "?", []any{int64(s.clock())}
	}
	return mysqlClock, nil
}

// QueueTime returns what [Store.QueueClock] says now.
func (s *Store) QueueTime(ctx context.Context) (micros.Time, error) {
	if s.dialect == dialect.SQLite {
		return s.clock(), nil
	}
	now, err := s.ServerTime(ctx)
	return micros.Of(now), err
}
