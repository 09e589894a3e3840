package graphtest

import (
	"context"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
)

// Bounded is what a page may read: as many rows of 64 ranges of an index as it shows, and two.
func Bounded(first int) int64 { return 64 * (int64(first) + 2) }

// BoundRows returns how many rows the smaller and the larger store have of which tests count what
// a page reads: more than two pages of one row look through.
func BoundRows() (small, large int) { return 800, 2400 }

// WithinBound holds the cost of a page of a large store against that of the same page of a small
// one, and against [Bounded].
func WithinBound(t *testing.T, r *graph.Resolver, name string, first int, small, large int64) {
	t.Helper()
	if r.Store.Dialect() == dialect.MySQL && large > Bounded(first) {
		t.Errorf("%s: a page of %d reads %d rows", name, first, large)
	}
	if large > small+small/4+50 { // an index is a little deeper there
		t.Errorf("%s: a page costs %d, and %d in a larger store", name, small, large)
	}
}

// Cost returns what f reads outside of transactions: rows on MySQL and MariaDB, pages of the file
// on SQLite.
func Cost(t *testing.T, ctx context.Context, r *graph.Resolver, f func(context.Context)) int64 {
	t.Helper()
	if r.Store.Dialect() == dialect.MySQL {
		return Reads(t, ctx, r, f)
	}
	before := storetest.Pages(t, r.Store)
	f(ctx)
	return storetest.Pages(t, r.Store) - before
}
