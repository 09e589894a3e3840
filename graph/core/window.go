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
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// A request for a page of n rows reads at most n + 2 rows of each of 64 index ranges. A merge keeps
// this bound by itself. If no index serves the whole filter, the list scans a window of rows twice:
// for its last row, and for the rows that match.
const (
	// scanFactor is how many rows are scanned per row of the page.
	scanFactor = 31
	// probedScanFactor is scanFactor for a list that first checked whether only few rows match.
	probedScanFactor = 20
)

// ScanLimit returns how many rows to scan for matches; limit is the page size plus one.
func ScanLimit(limit int) int { return scanFactor * (limit + 1) }

// ProbedScanLimit is [ScanLimit] after as many rows were read to check that there are not just a few.
func ProbedScanLimit(limit int) int { return probedScanFactor * (limit + 1) }

// Sift reads up to limit rows by a filter that no index serves as a whole. floor returns the
// position of the n-th of the next rows, or nil if fewer are left. read returns the matching rows
// up to a position, or to the end if it is nil. stopped is where the next page continues if this
// one ended before the limit and before the last row; otherwise it is nil.
func Sift[T any](limit, n int, floor func(n int) (*page.Position, error), read func(to *page.Position) ([]T, error)) (
	rows []T, stopped *page.Position, err error,
) {
	if stopped, err = floor(n); err != nil {
		return nil, nil, err
	}
	if rows, err = read(stopped); err != nil {
		return nil, nil, err
	}
	if len(rows) == limit {
		stopped = nil
	}
	return rows, stopped, nil
}

// Floor returns the position of the n-th of the next rows of the window, or nil if fewer are left.
// query has only conditions that the index serves.
func Floor[S any](ctx context.Context, w Window, n int, query interface {
	Modify(modifiers ...func(*sql.Selector)) S
	IDs(ctx context.Context) ([]xid.ID, error)
},
) (*page.Position, error) {
	w.Limit = n
	query.Modify(w.Apply)
	ids, err := query.IDs(ctx)
	if err != nil || len(ids) < n {
		return nil, err
	}
	return new(ByID(ids[n-1])), nil
}

// To bounds a read to the rows of the window up to and including last; nil is no bound.
func (w Window) To(last *page.Position) func(*sql.Selector) {
	return func(s *sql.Selector) {
		id := s.C("id")
		switch {
		case last == nil:
		case w.UpdatedFrom != nil:
			ent.UpTo(s, s.C("updated_at"), id, last.Time, last.ID)
		case w.Sort == state.ListOldest:
			s.Where(sql.LTE(id, last.ID))
		default:
			s.Where(sql.GTE(id, last.ID))
		}
	}
}

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
