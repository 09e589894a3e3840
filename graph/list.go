package graph

import (
	"context"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// list is one list of the API: what its cursors belong to and how rows are read.
type list[T any] struct {
	name    string
	filters []string // name, value, …
	// at is the position of a row: what a cursor to it holds.
	at func(T) page.Position
	// read returns up to limit rows behind the position, or the first ones.
	read func(ctx context.Context, after *page.Position, limit int) ([]T, error)
}

// connect reads one page: one row more than asked tells whether another follows,
// so no page that follows is ever empty.
func connect[T any](ctx context.Context, r *Resolver, l list[T], first *int, after *string) (*model.Connection[T], error) {
	v, err := asker(ctx)
	if err != nil {
		return nil, err
	}
	limit, err := pageSize(first)
	if err != nil {
		return nil, err
	}
	of := page.List{Name: l.name, Store: v.Store, Filters: page.Canonical(l.filters...)}
	var from *page.Position
	if after != nil {
		if p, ok := r.Pages.Open(of, *after); ok {
			from = &p
		} else {
			r.rejected.Add(1)
		}
	}
	rows, err := l.read(ctx, from, limit+1)
	if err != nil {
		return nil, explain(l.name, err)
	}
	c := &model.Connection[T]{Nodes: rows, Sign: func(row T) string { return r.Pages.Sign(of, l.at(row)) }}
	if len(rows) > limit {
		c.Nodes = rows[:limit]
		c.Next = c.Sign(rows[limit-1])
	}
	return c, nil
}

// pageSize applies the rules of contract section 1: above 100 is capped, below 1
// is an error.
func pageSize(first *int) (int, error) {
	switch {
	case first == nil:
		return page.DefaultLimit, nil
	case *first < 1:
		return 0, &fault.Error{Kind: fault.InvalidParameter, Detail: "The page size is below 1.",
			Fields: []fault.Field{{Parameter: "first", Code: fault.OutOfRange, Detail: "At least 1."}}}
	}
	return min(*first, page.MaxLimit), nil
}

// byID is the position in a list that runs newest first by id: the id carries
// created_at, so its order is that of (created_at, id).
func byID(id xid.ID) page.Position { return page.Position{Time: id.Time(), ID: id} }

// byUpdate is the position in a list that runs oldest change first.
func byUpdate(updated micros.Time, id xid.ID) page.Position {
	return page.Position{Time: updated, ID: id}
}

// window is a keyset page of a table whose primary key is (store_id, id).
type window struct {
	after *page.Position
	limit int
	// index is the one to walk; MySQL's planner, left to itself, sometimes reads
	// the whole store instead.
	index string
	// updatedFrom turns the list into one of changes, oldest first.
	updatedFrom *micros.Time
}

// primary names MySQL's primary key in an index hint.
const primary = "PRIMARY"

// force names the index to walk, on MySQL.
func force(s *sql.Selector, index string) {
	if s.Dialect() != dialect.MySQL || index == "" {
		return
	}
	table := s.TableName()
	s.FromExpr(sql.Raw("`" + table + "` FORCE INDEX (`" + index + "`)"))
	s.As(table) // the raw text has no name for ent to qualify columns with
}

// apply adds the window to a query: bounds, order, limit and, on MySQL, the
// index by name.
func (w window) apply(s *sql.Selector) {
	force(s, w.index)
	id := s.C("id")
	s.Limit(w.limit)
	if w.updatedFrom != nil {
		w.changes(s, id)
		return
	}
	if w.after != nil {
		s.Where(sql.LT(id, w.after.ID))
	}
	s.OrderExpr(sql.Raw(id + " DESC"))
}

// changes walks (updated_at, id) upwards.
func (w window) changes(s *sql.Selector, id string) {
	updated := s.C("updated_at")
	switch {
	case w.after == nil:
		s.Where(sql.GTE(updated, *w.updatedFrom))
	case s.Dialect() == dialect.SQLite:
		s.Where(sql.CompositeGT([]string{updated, id}, w.after.Time, w.after.ID))
	default:
		s.Where(sql.GTE(updated, w.after.Time))
		s.Where(sql.Or(sql.GT(updated, w.after.Time), sql.And(sql.EQ(updated, w.after.Time), sql.GT(id, w.after.ID))))
	}
	s.OrderExpr(sql.Raw(updated), sql.Raw(id))
}

// only returns the one row of a query by key.
func only[T any](rows []*T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoRow
	}
	return rows[0], nil
}
