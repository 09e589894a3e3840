package core

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
)

// Exported for the tests, which are in another package.

// Fields returns the faults of a check.
func Fields(c *Check) []fault.Field { return c.fields }

// Stored reports whether the bytes of a column count for [limit.StoredBytes].
func Stored(table, column string) bool {
	for _, of := range stored {
		if of.table == table && slices.Contains(of.columns, column) {
			return true
		}
	}
	return false
}

// CountStored sums the stored bytes of the viewer's store, as the background count does.
func (c *Core) CountStored(ctx context.Context) {
	c.count(rowsOf{viewer.From(ctx).Store, limit.StoredBytes}, c.Limits.Of(limit.StoredBytes), c.storedBytes)
}
