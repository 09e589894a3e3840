package catalog

import (
	"context"
	"errors"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
)

// plannedRows returns the planned variants of a product. The error has the faults of c as well.
func (m Mutation) plannedRows(
	ctx context.Context, c *core.Check, plan *variantPlan, of *db.Product,
) ([]*db.Variant, error) {
	if len(plan.variants) == 0 {
		return nil, c.Err()
	}
	rows := plan.rows(c, of)
	return rows, m.mergeVariants(ctx, c, rows, plan)
}

// mergeVariants merges the given custom fields into those of variants.
func (m Mutation) mergeVariants(ctx context.Context, c *core.Check, rows []*db.Variant, plan *variantPlan) error {
	merge := m.FieldMerge(state.FieldsOfVariants)
	for i, in := range plan.variants {
		given, ok := in.CustomFields.ValueOK()
		if !ok {
			continue
		}
		at := "variants/" + strconv.Itoa(i) + "/" + core.CustomFieldsMember
		next, err := merge.Merge(ctx, at, rows[i].CustomFields, given)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.ValidationFailed {
			c.Include(f)
			continue
		}
		if err != nil {
			return err
		}
		rows[i].CustomFields = next
	}
	return c.Err()
}
