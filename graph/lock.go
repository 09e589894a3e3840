package graph

import (
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
)

// locked makes a read wait for writers and keep them out until the commit. On
// MySQL a plain read would see the rows of the transaction's beginning; SQLite
// has one writer at a time.
func locked(s *sql.Selector) {
	if s.Dialect() == dialect.MySQL {
		s.ForUpdate()
	}
}

// plain leaves a read as it is.
func plain(*sql.Selector) {}
