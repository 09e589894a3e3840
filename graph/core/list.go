package core

import (
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// List describes one list of the API: the scope of its cursors and how to read its rows.
type List[T any] struct {
	Name    string
	Filters []string // name, value, …
	// At returns the position of a row, which a cursor holds.
	At func(T) page.Position
	// Until is the end of a list of changes: later changes may be incomplete while transactions are
	// open. It is set before each read; nil for other lists.
	Until *micros.Time
	// Read returns up to limit rows after the position, or the first ones if it is nil.
	Read func(ctx context.Context, after *page.Position, limit int) ([]T, error)
}

// Connect reads one page. It reads one extra row to know whether another page follows, so a
// following page is never empty.
func Connect[T any](ctx context.Context, r *Core, l List[T], first *int, after *string) (*model.Connection[T], error) {
	v, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	limit, err := PageSize(first)
	if err != nil {
		return nil, err
	}
	of := page.List{Name: l.Name, Store: v.Store, Filters: page.Canonical(l.Filters...)}
	var from *page.Position
	if after != nil {
		if p, ok := r.Pages.Open(of, *after); ok {
			from = &p
		} else {
			r.rejected.Add(1)
		}
	}
	rows, limit, err := l.fitting(ctx, r, from, limit)
	if err != nil {
		return nil, Explain(l.Name, err)
	}
	c := &model.Connection[T]{Nodes: rows, Sign: func(row T) string { return r.Pages.Sign(of, l.At(row)) }}
	if len(rows) > limit {
		c.Nodes = rows[:limit]
		c.Next = c.Sign(rows[limit-1])
	}
	return c, nil
}

// fitting reads the rows of a page and one more. If they do not fit into an answer that may end
// early, it halves the page size until they do. It returns the rows and the page size.
func (l List[T]) fitting(ctx context.Context, r *Core, from *page.Position, limit int) ([]T, int, error) {
	for a := budget.Of(ctx); ; limit /= 2 {
		rows, err := l.read(ctx, r, from, limit+1)
		f, is := errors.AsType[*fault.Error](err)
		if !is || f.Kind != fault.AnswerTooLarge || !a.MayEndEarly() || limit == 1 {
			return rows, limit, err
		}
		a.Forget()
	}
}

// read reads one page. For a list of changes it first sets Until to the horizon, and renews the
// horizon if this process knows of a change above it.
func (l List[T]) read(ctx context.Context, r *Core, from *page.Position, limit int) (rows []T, err error) {
	if l.Until == nil {
		return l.Read(ctx, from, limit)
	}
	*l.Until, err = r.Store.Horizon(ctx)
	if err == nil && !r.Store.Settled(*l.Until) {
		*l.Until, err = r.Store.RenewHorizon(ctx)
	}
	if err != nil {
		return nil, err
	}
	return l.Read(ctx, from, limit)
}

// PageSize applies the rules of contract section 1: above 100 is capped, below 1 is an error.
func PageSize(first *int) (int, error) {
	switch {
	case first == nil:
		return page.DefaultLimit, nil
	case *first < 1:
		return 0, &fault.Error{Kind: fault.InvalidParameter, Detail: "The page size is below 1.",
			Fields: []fault.Field{{Parameter: "first", Code: fault.OutOfRange, Detail: "At least 1."}}}
	}
	return min(*first, page.MaxLimit), nil
}

// ByID returns the position in a list that runs newest first by id. The id contains created_at, so
// ids sort like (created_at, id).
func ByID(id xid.ID) page.Position { return page.Position{Time: id.Time(), ID: id} }

// ByUpdate returns the position in a list that runs by (updated_at, id).
func ByUpdate(updated micros.Time, id xid.ID) page.Position {
	return page.Position{Time: updated, ID: id}
}

// Window is a keyset page of a table with the primary key (store_id, id).
type Window struct {
	After *page.Position
	Limit int
	// Index is the index to use; without it MySQL's planner sometimes reads the whole store.
	Index string
	// UpdatedFrom turns the list into a list of changes, oldest first.
	UpdatedFrom *micros.Time
	// Until bounds a list of changes from above; nil does not.
	Until *micros.Time
	// Sort is the order of other lists; "" is newest first.
	Sort state.ListSort
}

// Apply adds the bounds, the order, the limit and the index to a query.
func (w Window) Apply(s *sql.Selector) {
	ent.ForceIndex(w.Index)(s)
	id := s.C("id")
	s.Limit(w.Limit)
	if w.UpdatedFrom != nil {
		w.changes(s, id)
		return
	}
	switch w.Sort {
	case state.ListUpdated:
		updated := s.C("updated_at")
		if w.After != nil {
			ent.Below(s, updated, id, w.After.Time, w.After.ID)
		}
		s.OrderExpr(sql.Raw(updated+" DESC"), sql.Raw(id+" DESC"))
		return
	case state.ListOldest:
		if w.After != nil {
			s.Where(sql.GT(id, w.After.ID))
		}
		s.OrderExpr(sql.Raw(id))
		return
	}
	if w.After != nil {
		s.Where(sql.LT(id, w.After.ID))
	}
	s.OrderExpr(sql.Raw(id + " DESC"))
}

func (w Window) changes(s *sql.Selector, id string) {
	updated := s.C("updated_at")
	if w.After == nil {
		s.Where(sql.GTE(updated, *w.UpdatedFrom))
	} else {
		ent.Above(s, updated, id, w.After.Time, w.After.ID)
	}
	if w.Until != nil {
		s.Where(sql.LT(updated, *w.Until))
	}
	s.OrderExpr(sql.Raw(updated), sql.Raw(id))
}

// Rows is a generated query of rows of type R; S is its selection.
type Rows[R, S any] interface {
	Modify(modifiers ...func(*sql.Selector)) S
	Load(ctx context.Context) ([]R, error)
}

// ReadNewest returns the Read of a list that runs newest first by id along an index. query begins
// its query, and show returns a row as the list shows it.
func ReadNewest[R, T, S any, Q Rows[R, S]](index string, query func() Q, show func(R) T,
) func(context.Context, *page.Position, int) ([]T, error) {
	return func(ctx context.Context, after *page.Position, limit int) ([]T, error) {
		q := query()
		q.Modify(Window{After: after, Limit: limit, Index: index}.Apply)
		rows, err := q.Load(ctx)
		return Map(rows, show), err
	}
}

// Self returns the row, for lists that show their rows as they are.
func Self[R any](row R) R { return row }

// Map returns f of each element.
func Map[A, B any](list []A, f func(A) B) []B {
	all := make([]B, len(list))
	for i, v := range list {
		all[i] = f(v)
	}
	return all
}

// Row returns the single row of a query by key with the modifiers, such as [ent.ForUpdate], or
// [ErrNoRow].
func Row[T, S any](ctx context.Context, q Rows[*T, S], modifiers ...func(*sql.Selector)) (*T, error) {
	q.Modify(modifiers...)
	return Only(q.Load(ctx))
}

// Only returns the single row of a query by key, or [ErrNoRow].
func Only[T any](rows []*T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrNoRow
	}
	return rows[0], nil
}
