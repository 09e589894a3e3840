package catalog

import (
	"context"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// taxed is a member that names a tax category, nil for none.
type taxed struct {
	member   string
	category *string
}

// taxedVariants returns the members of variants.
func taxedVariants(list []*model.ProductVariantInput) []taxed {
	all := make([]taxed, len(list))
	for i, v := range list {
		all[i] = taxed{"variants/" + strconv.Itoa(i) + "/tax_category", v.TaxCategory}
	}
	return all
}

// taxedUpdate returns the members of changes of a product.
func taxedUpdate(in *model.ProductUpdateInput) []taxed {
	all := []taxed{{"tax_category", in.TaxCategory.Value()}}
	for i, v := range in.Variants.Value() {
		all = append(all, taxed{"variants/" + strconv.Itoa(i) + "/tax_category", v.TaxCategory.Value()})
	}
	return all
}

// checkTaxed checks that the store has the named categories. Only those of its own are queried; a
// category is never removed, so the answer stays true.
func (m Mutation) checkTaxed(ctx context.Context, c *core.Check, all ...taxed) error {
	own := slices.DeleteFunc(all, func(t taxed) bool {
		return t.category == nil || slices.Contains(state.TaxCategories, *t.category)
	})
	if len(own) == 0 {
		return nil
	}
	rows, err := m.Client(ctx).TaxSettings.Query().Where(taxsettings.ID(viewer.From(ctx).Store)).Load(ctx)
	if err != nil {
		return core.Explain("tax settings", err)
	}
	var known []document.TaxCategory
	for _, row := range rows {
		if known, err = row.Categories.List(); err != nil {
			return err
		}
	}
	for _, t := range own {
		if !slices.ContainsFunc(known, func(k document.TaxCategory) bool { return k.Key == *t.category }) {
			c.Add(t.member, fault.UnknownValue, "The store has no such tax category.")
		}
	}
	return nil
}

// mayBeTaxed refuses categories in the row of a product, or in those of its variants, as long as a
// program of an earlier release would tax them otherwise.
func mayBeTaxed(ctx context.Context, p *db.Product) error {
	if p.TaxCategory == state.TaxStandard &&
		!slices.ContainsFunc(p.Variants, func(v *db.Variant) bool { return v.TaxCategory != nil }) {
		return nil
	}
	return core.NeedsTaxCategories(ctx)
}
