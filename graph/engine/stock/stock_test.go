package stock_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/stock"
)

// Several changes of a variant are one, from the first stock to the last. graph/domain/catalog tests the
// package with all kinds of changes.
func TestMerged(t *testing.T) {
	a, b := xid.New(), xid.New()
	change := func(of xid.ID, before, after int64) stock.Change {
		return stock.Change{Product: of, Variant: of, Before: &before, After: &after}
	}
	got := stock.Merged([]stock.Change{change(a, 5, 9), change(b, 1, 2), change(a, 9, 3), change(a, 3, 4)})
	if d := cmp.Diff([]stock.Change{change(a, 5, 4), change(b, 1, 2)}, got); d != "" {
		t.Error(d)
	}
	moved := change(a, 4, 5)
	moved.Moved = true
	want := change(a, 5, 5) // a transfer
	want.Moved = true
	got = stock.Merged([]stock.Change{change(a, 5, 4), moved, change(b, 1, 1)})
	if d := cmp.Diff([]stock.Change{want}, got); d != "" {
		t.Error(d)
	}
}
