package core

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
)

// NeedsTaxCategories refuses taxes that a program of an earlier release would compute otherwise, as
// long as there may be one.
func NeedsTaxCategories(ctx context.Context) error {
	if ent.Writes(ctx, ent.TaxCategories) {
		return nil
	}
	return fault.State(fault.InvalidTransition, "Tax categories, several taxes of one place, more than two decimals "+
		"and buyers without tax are available once the upgrade is finished (storefront migrate finalize).")
}
