package ent

import (
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/xid"
)

// Ranges are ranges of one index of a store's rows: each has one value for every column between
// store_id and the order columns. Within a range the rows are sorted by the columns that follow, so
// the first rows of all ranges are a merge of the first rows of each.
type Ranges struct {
	Table, Index string
	Columns      []string
	// Values are the values of each range, in the order of the columns; none means one range, all
	// rows of the store.
	Values [][]any
}

// Head selects the first rows of [Ranges]: the rows after a position, up to a limit.
type Head struct {
	// Bound is a condition on the order columns, such as " AND o.id < ?", and Args are its values.
	Bound string
	Args  []any
	// Order are the columns that follow in the index.
	Order      []string
	Descending bool
	Limit      int
}

// Keys returns the text and arguments of a query for the order columns of the first rows of all
// ranges. Each column is named key_ and its name. At most the limit is read of each range, however
// many rows the store has.
func (r Ranges) Keys(engine string, store xid.ID, h Head) (text string, args []any) {
	values := r.Values
	if len(values) == 0 {
		values = [][]any{nil}
	}
	keys, order := make([]string, len(h.Order)), make([]string, len(h.Order))
	for i, c := range h.Order {
		keys[i], order[i] = "o."+c+" AS key_"+c, "key_"+c
		if h.Descending {
			order[i] += " DESC"
		}
	}
	// The limit is not a parameter: SQLite plans a statement again when a LIMIT parameter is bound.
	first := " ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(h.Limit)
	part := "SELECT " + strings.Join(keys, ", ") + r.from(engine) + h.Bound
	// SQLite reads the parts in order, as it needs their rows. MySQL reads each part first, so it
	// gets its own limit.
	each := engine == dialect.MySQL && len(values) > 1
	if each {
		part = "(" + part + first + ")"
	}
	for _, v := range values {
		args = append(append(append(args, store), v...), h.Args...)
	}
	return strings.Repeat(part+" UNION ALL ", len(values)-1) + part + first, args
}

// from returns the FROM and WHERE clauses of one range.
func (r Ranges) from(engine string) string {
	var text strings.Builder
	text.WriteString(" FROM " + r.Table + " o" + IndexHint(engine, r.Table, r.Index) + " WHERE o.store_id = ?")
	for _, c := range r.Columns {
		text.WriteString(" AND o." + c + " = ?")
	}
	return text.String()
}

// Count returns the text and arguments of a query that counts the rows of all ranges within a
// bound.
func (r Ranges) Count(engine string, store xid.ID, bound string, bounds ...any) (text string, args []any) {
	part := "SELECT COUNT(*) AS n" + r.from(engine) + bound
	for _, v := range r.Values {
		args = append(append(append(args, store), v...), bounds...)
	}
	return "SELECT SUM(n) FROM (" + strings.Repeat(part+" UNION ALL ", len(r.Values)-1) + part + ") AS k", args
}

// Product returns all combinations of the values of several columns: the values of their ranges.
func Product(columns ...[]any) [][]any {
	all := [][]any{nil}
	for _, values := range columns {
		next := make([][]any, 0, len(all)*len(values))
		for _, head := range all {
			for _, v := range values {
				next = append(next, append(slices.Clip(head), v))
			}
		}
		all = next
	}
	return all
}

// Rows makes a query of the table read the rows that [Ranges.Keys] selects, in any order.
func (r Ranges) Rows(store xid.ID, h Head) func(*sql.Selector) {
	return func(s *sql.Selector) {
		engine := s.Dialect()
		keys, args := r.Keys(engine, store, h)
		join := " CROSS JOIN " // which SQLite's planner does not reorder
		if engine == dialect.MySQL {
			join = " STRAIGHT_JOIN "
		}
		s.FromExpr(sql.Expr("("+keys+") AS k"+join+"`"+r.Table+"`"+IndexHint(engine, r.Table, Primary), args...))
		s.As(r.Table)
		s.Where(sql.ExprP(s.C("id") + " = k.key_id"))
	}
}
