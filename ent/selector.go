package ent

import (
	"strconv"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/micros"
)

// Primary names the primary key in an index hint.
const Primary = "PRIMARY"

// ForUpdate makes a read wait for writers and keep them out until the commit. On
// MySQL a plain read would see the rows of the transaction's beginning; SQLite
// has one writer at a time.
func ForUpdate(s *sql.Selector) {
	if s.Dialect() == dialect.MySQL {
		s.ForUpdate()
	}
}

// NoLock leaves a read as it is, where [ForUpdate] is the alternative.
func NoLock(*sql.Selector) {}

// ForceIndex makes a read walk an index. MySQL's planner, left to itself,
// sometimes reads the whole store instead; SQLite's needs no hint. Without a name
// the read stays as it is.
func ForceIndex(name string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		if s.Dialect() != dialect.MySQL || name == "" {
			return
		}
		table := s.TableName()
		s.FromExpr(sql.Raw("`" + table + "`" + IndexHint(dialect.MySQL, name)))
		s.As(table) // the raw text has no name for ent to qualify columns with
	}
}

// IndexHint is [ForceIndex] for a statement that is a text: what follows the
// table's name on an engine, with a space in front, or nothing.
func IndexHint(engine, name string) string {
	if engine != dialect.MySQL {
		return ""
	}
	return " FORCE INDEX (`" + name + "`)"
}

// Above bounds a read to the rows behind a place in the ascending order of two
// columns, of which the second is unique.
func Above(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.CompositeGT([]string{first, second}, a, b))
		return
	}
	// MySQL takes a range of the index from the plain bound alone.
	s.Where(sql.GTE(first, a))
	s.Where(sql.Or(sql.GT(first, a), sql.And(sql.EQ(first, a), sql.GT(second, b))))
}

// Below is [Above] in the descending order.
func Below(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.CompositeLT([]string{first, second}, a, b))
		return
	}
	s.Where(sql.LTE(first, a))
	s.Where(sql.Or(sql.LT(first, a), sql.And(sql.EQ(first, a), sql.LT(second, b))))
}

// Clock returns the expression of the time of leases, in microseconds: the
// database's on MySQL, which processes share, and on SQLite ours.
func (s *Store) Clock() string {
	if s.dialect == dialect.SQLite {
		return strconv.FormatInt(int64(micros.Now()), 10)
	}
	return "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"
}
