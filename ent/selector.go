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

// ForceIndex makes a read walk an index. Planners, left to themselves, sometimes
// read the whole store instead: MySQL's by its guesses, SQLite's since it counts no
// rows and takes a span of time for few of them. Without a name the read stays as it is.
func ForceIndex(name string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		if name == "" {
			return
		}
		table := s.TableName()
		s.FromExpr(sql.Raw("`" + table + "`" + IndexHint(s.Dialect(), table, name)))
		s.As(table) // the raw text has no name for ent to qualify columns with
	}
}

// IndexHint is [ForceIndex] for a statement that is a text: what follows the name
// of a table, or the one that stands for it, on an engine, with a space in front.
func IndexHint(engine, table, index string) string {
	if engine == dialect.SQLite {
		if index == Primary {
			index = "sqlite_autoindex_" + table + "_1" // as SQLite calls it
		}
		return " INDEXED BY `" + index + "`"
	}
	return " FORCE INDEX (`" + index + "`)"
}

// DeleteHint is [IndexHint] for a DELETE, or nothing: MySQL has no such hint, and needs
// none; SQLite, which counts no rows, sometimes reads the whole store for a list of keys.
func DeleteHint(engine, table, index string) string {
	if engine != dialect.SQLite {
		return ""
	}
	return IndexHint(engine, table, index)
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

// UpTo bounds a read to the rows up to a place in the ascending order of two columns, with it.
func UpTo(s *sql.Selector, first, second string, a, b any) {
	if s.Dialect() == dialect.SQLite {
		s.Where(sql.ExprP("("+first+", "+second+") <= (?, ?)", a, b))
		return
	}
	s.Where(sql.LTE(first, a))
	s.Where(sql.Or(sql.LT(first, a), sql.And(sql.EQ(first, a), sql.LTE(second, b))))
}

// Clock returns the expression of the time of leases on an engine, in microseconds:
// on MySQL the server's at the start of the statement, which processes share. SQLite
// has no server, and there it is that of the machine, as it is now.
func Clock(engine string) string {
	if engine == dialect.SQLite {
		return strconv.FormatInt(int64(micros.Now()), 10)
	}
	return mysqlClock
}

const mysqlClock = "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"

// Among writes the condition that columns, such as "store_id, id", are one of n tuples,
// for a statement that is a text. One tuple is compared column by column: MariaDB's
// UPDATE and DELETE read the whole table for a list of one.
func Among(engine, columns string, n int) string {
	if n == 1 {
		return strings.ReplaceAll(columns, ", ", " = ? AND ") + " = ?"
	}
	tuple := "(" + strings.Repeat("?, ", strings.Count(columns, ",")) + "?)"
	head := "(" + columns + ") IN ("
	if engine == dialect.SQLite {
		head += "VALUES " // a list of tuples is a table there
	}
	return head + strings.Repeat(tuple+", ", n-1) + tuple + ")"
}

// Part writes what stands around a query with a LIMIT of its own that is part of a UNION ALL.
// SQLite takes such a query in a table of its own alone. MySQL takes it in parentheses, and
// then makes no temporary table of it, which on MariaDB lies in a file wherever a column
// may be long.
func Part(engine string) (before, after string) {
	if engine == dialect.SQLite {
		return "SELECT * FROM (", ") AS part"
	}
	return "(", ")"
}

// Accumulate writes the tail of an insert that adds to the row that is there: key are
// the columns of its key, sums those that are added, and largest the one that keeps
// the larger value.
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
