package ent

import (
	"fmt"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/micros"
)

// Primary names the primary key in an index hint.
const Primary = "PRIMARY"

// ForUpdate makes a read wait for writers and lock its rows until the commit. On MySQL a plain read
// would return the rows as of the start of the transaction; SQLite has one writer at a time.
func ForUpdate(s *sql.Selector) {
	if s.Dialect() == dialect.MySQL {
		s.ForUpdate()
	}
}

// NoLock is the alternative to [ForUpdate] that does nothing.
func NoLock(*sql.Selector) {}

// ForceIndex makes a read use an index. Planners sometimes read the whole store otherwise: MySQL's
// because of its estimates, SQLite's because it has no row counts and assumes that a time range has
// few rows. An empty name changes nothing.
func ForceIndex(name string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		if name == "" {
			return
		}
		table := s.TableName()
		s.FromExpr(sql.Raw("`" + table + "`" + IndexHint(s.Dialect(), table, name)))
		s.As(table) // ent cannot qualify columns with the raw text
	}
}

// IndexHint is [ForceIndex] for a statement in text form: it returns the hint to append to the name
// or alias of a table, with a leading space.
func IndexHint(engine, table, index string) string {
	if engine == dialect.SQLite {
		if index == Primary {
			index = "sqlite_autoindex_" + table + "_1" // SQLite's name
		}
		return " INDEXED BY `" + index + "`"
	}
	return " FORCE INDEX (`" + index + "`)"
}

// DeleteHint is [IndexHint] for a DELETE. It is empty on MySQL, which has no such hint and needs
// none. SQLite, which has no row counts, sometimes reads the whole store for a list of keys.
func DeleteHint(engine, table, index string) string {
	if engine != dialect.SQLite {
		return ""
	}
	return IndexHint(engine, table, index)
}

// Above restricts a read to the rows after (a, b) in the ascending order of two columns, the second
// of which is unique.
func Above(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.CompositeGT([]string{first, second}, a, b))
		return
	}
	// MySQL derives an index range only from the plain bound.
	s.Where(sql.GTE(first, a))
	s.Where(sql.Or(sql.GT(first, a), sql.And(sql.EQ(first, a), sql.GT(second, b))))
}

// Below is [Above] in descending order.
func Below(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.CompositeLT([]string{first, second}, a, b))
		return
	}
	s.Where(sql.LTE(first, a))
	s.Where(sql.Or(sql.LT(first, a), sql.And(sql.EQ(first, a), sql.LT(second, b))))
}

// UpTo restricts a read to the rows up to and including (a, b) in the ascending order of two
// columns.
func UpTo(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.ExprP("("+first+", "+second+") <= (?, ?)", a, b))
		return
	}
	s.Where(sql.LTE(first, a))
	s.Where(sql.Or(sql.LT(first, a), sql.And(sql.EQ(first, a), sql.LTE(second, b))))
}

// Clock returns an expression for the time of leases, in microseconds. On MySQL it is the server's
// time at the start of the statement, which processes share; on SQLite it is the current time of
// the machine.
func Clock(engine string) string {
	if engine == dialect.SQLite {
		return strconv.FormatInt(int64(micros.Now()), 10)
	}
	return mysqlClock
}

const mysqlClock = "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"

// Among returns the condition that columns, such as "store_id, id", are one of n tuples, for a
// statement in text form. One tuple is compared column by column: MariaDB's UPDATE and DELETE read
// the whole table for a list of one.
func Among(engine, columns string, n int) string {
	if n == 1 {
		return strings.ReplaceAll(columns, ", ", " = ? AND ") + " = ?"
	}
	tuple := "(" + strings.Repeat("?, ", strings.Count(columns, ",")) + "?)"
	head := "(" + columns + ") IN ("
	if engine == dialect.SQLite {
		head += "VALUES " // SQLite needs VALUES for a list of tuples
	}
	return head + strings.Repeat(tuple+", ", n-1) + tuple + ")"
}

// Part returns the text around a query with its own LIMIT that is part of a UNION ALL. SQLite
// accepts such a query only as a subquery. MySQL accepts it in parentheses, and then creates no
// temporary table for it, which on MariaDB would be a file if a column may be long.
func Part(engine string) (before, after string) {
	if engine == dialect.SQLite {
		return "SELECT * FROM (", ") AS part"
	}
	return "(", ")"
}

// Accumulate returns the tail of an INSERT that adds to an existing row: key are the columns of its
// key, sums the columns that are added, and largest the column that keeps the larger value.
func Accumulate(engine, key string, sums []string, largest string) string {
	head, given, greatest := " ON DUPLICATE KEY UPDATE ", "VALUES(%s)", "GREATEST"
	if engine == dialect.SQLite {
		head, given, greatest = " ON CONFLICT ("+key+") DO UPDATE SET ", "excluded.%s", "MAX"
	}
	var b strings.Builder
	b.WriteString(head)
	for _, c := range sums {
		fmt.Fprintf(&b, "%s = %s + "+given+", ", c, c, c)
	}
	fmt.Fprintf(&b, "%s = %s(%s, "+given+")", largest, greatest, largest, largest)
	return b.String()
}
