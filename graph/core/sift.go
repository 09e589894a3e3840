package core

import (
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
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
