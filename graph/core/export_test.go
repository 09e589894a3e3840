package core

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
)

// What the tests, which stand outside of the package, see of its inside.

// Fields returns what a check found wrong.
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

// CountStored sums up what the viewer's store keeps, as happens in the background.
func (c *Core) CountStored(ctx context.Context) {
	c.count(rowsOf{viewer.From(ctx).Store, limit.StoredBytes}, c.Limits.Of(limit.StoredBytes), c.storedBytes)
}
