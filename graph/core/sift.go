package core

import (
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// A request for a page of n rows reads no more than n + 2 rows of each of 64 ranges of an index.
// A merge keeps to that by itself. A list of which no index serves the whole filter looks through
// a window of rows, twice: for its last row, and for those that fit.
const (
	// looked is how many times as many rows as it shows a page looks through.
	looked = 31
	// lookedBeside is that of a list that has looked before whether there are only few rows.
	lookedBeside = 20
)

// Looked is how many rows a page looks through for those that fit, where one row more than it
// shows is limit.
func Looked(limit int) int { return looked * (limit + 1) }

// LookedBeside is [Looked] where as many rows were looked at before, to see that they are not few.
func LookedBeside(limit int) int { return lookedBeside * (limit + 1) }

// Sift reads up to limit rows of which no index serves the whole filter. floor reads the position
// of the last of the next n rows, nil where fewer are left; read reads what fits, up to a
// position or to the end. stopped is where the page ended before the limit and before the last
// row, and the next one goes on; nil where it did not.
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

// To bounds a read to the rows of the window up to a position; nil is no bound.
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
