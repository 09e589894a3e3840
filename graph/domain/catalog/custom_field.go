package catalog

import (
	"context"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
)

// mergeVariants merges the given custom fields into those of variants.
func (m Mutation) mergeVariants(ctx context.Context, rows []*db.Variant, plan *variantPlan) error {
	merge := m.FieldMerge(state.FieldsOfVariants)
	for i, in := range plan.variants {
		given, ok := in.CustomFields.ValueOK()
		if !ok {
			continue
		}
		at := "variants/" + strconv.Itoa(i) + "/" + core.CustomFieldsMember
		next, err := merge.Merge(ctx, at, rows[i].CustomFields, given)
		if err != nil {
			return err
		}
		rows[i].CustomFields = next
	}
	return nil
}
