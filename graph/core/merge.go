package core

import (
	"cmp"
	"context"
	"slices"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// Bound is a condition on id, the last column of every index of a list.
type Bound struct {
	// Sign is a comparison operator, such as ">=".
	Sign string
	Arg  any
}

// head returns the part of the window to read from each range of an index.
func (w Window) head(engine string, bounds []Bound) ent.Head {
	h := ent.Head{Order: []string{"id"}, Descending: w.Sort != state.ListOldest, Limit: w.Limit}
	and := func(text string, args ...any) { h.Bound, h.Args = h.Bound+" AND "+text, append(h.Args, args...) }
	for _, b := range bounds {
		and("o.id "+b.Sign+" ?", b.Arg)
	}
	switch {
	case w.UpdatedFrom != nil:
		h.Order, h.Descending = []string{"updated_at", "id"}, false
		if w.After == nil {
			and("o.updated_at >= ?", *w.UpdatedFrom)
		} else if at := w.After; engine == dialect.SQLite {
			and("(o.updated_at, o.id) > (?, ?)", at.Time, at.ID)
		} else { // as in [ent.Above]
			and("o.updated_at >= ? AND (o.updated_at > ? OR (o.updated_at = ? AND o.id > ?))",
				at.Time, at.Time, at.Time, at.ID)
		}
		if w.Until != nil {
			and("o.updated_at < ?", *w.Until)
		}
	case w.After != nil && h.Descending:
		and("o.id < ?", w.After.ID)
	case w.After != nil:
		and("o.id > ?", w.After.ID)
	}
	return h
}

// Merge makes a query read the window from several ranges of one index, at most the limit of each.
// The rows come unordered; [InOrder] sorts them. It does not support lists sorted by the newest
// change.
func (w Window) Merge(ctx context.Context, r ent.Ranges, bounds ...Bound) func(*sql.Selector) {
	return func(s *sql.Selector) { r.Rows(viewer.From(ctx).Store, w.head(s.Dialect(), bounds))(s) }
}

// InOrder sorts rows in the order of the window; at returns the position of a row.
func InOrder[T any](w Window, rows []T, at func(T) page.Position) {
	slices.SortFunc(rows, func(a, b T) int {
		p, q := at(a), at(b)
		switch {
		case w.UpdatedFrom != nil && p.Time != q.Time:
			return cmp.Compare(p.Time, q.Time)
		case w.UpdatedFrom != nil || w.Sort == state.ListOldest:
			return p.ID.Compare(q.ID)
		}
		return q.ID.Compare(p.ID)
	})
}
