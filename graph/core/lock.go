package core

import (
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
)

// Locked makes a read wait for writers and keep them out until the commit. On
// MySQL a plain read would see the rows of the transaction's beginning; SQLite
// has one writer at a time.
func Locked(s *sql.Selector) {
	if s.Dialect() == dialect.MySQL {
		s.ForUpdate()
	}
}

// Plain leaves a read as it is.
func Plain(*sql.Selector) {}
