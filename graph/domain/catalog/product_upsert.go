package catalog

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// ProductUpsert changes the product with an external reference, or creates a draft with it. Of two
// concurrent calls for a new reference, the unique key lets one create the product; the other runs
// again and changes it.
func (m Mutation) ProductUpsert(
	ctx context.Context, reference string, in model.ProductUpdateInput,
) (*model.ProductPayload, error) {
	c := &core.Check{}
	c.Line(referenceMember, reference, limit.Line)
	if in.ExternalReference.IsSet() {
		c.Add(referenceMember, fault.UnknownMember, "The reference cannot be changed here.")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	var done *model.ProductPayload
	err := m.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		p, err := core.Only(m.Client(ctx).Product.Query().Where(product.ExternalReference(reference)).Load(ctx))
		switch {
		case errors.Is(err, core.ErrNoRow):
			done, err = m.createReferenced(ctx, reference, in)
			if isReferenceTaken(err) {
				return nil, ent.Again(err)
			}
		case err == nil:
			done, err = m.ProductUpdate(ctx, xid.Product.Format(p.ID), p.Version, in)
			if fault.IsState(err, fault.VersionMismatch) {
				return nil, ent.Again(err)
			}
		}
		return nil, err // the mutations have recorded the change
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// createReferenced creates a product from the members of an update.
func (m Mutation) createReferenced(
	ctx context.Context, reference string, in model.ProductUpdateInput,
) (*model.ProductPayload, error) {
	next := newProduct(in)
	next.ExternalReference = &reference
	return m.ProductCreate(ctx, next)
}

// newProduct returns the input that creates a product with the members of an update.
func newProduct(in model.ProductUpdateInput) model.ProductCreateInput {
	c := &core.Check{}
	for _, m := range []struct {
		name    string
		missing bool
	}{{"title", in.Title.Value() == nil}, {"price_minor", in.PriceMinor.Value() == nil && !in.Variants.IsSet()},
		{"currency", in.Currency.Value() == nil}} {
		if m.missing {
			c.Add(m.name, fault.Required, "A new product requires this member.")
		}
	}
	list := NewVariants(c, in.Variants.Value(), in.PriceMinor.Value())
	return model.ProductCreateInput{
		Decoded: model.NewDecoded(c.Fields()), Options: in.Options.Value(), Variants: list,
		Title: core.Deref(in.Title.Value()), PriceMinor: core.Deref(in.PriceMinor.Value()),
		Currency: core.Deref(in.Currency.Value()), Handle: in.Handle.Value(), Description: in.Description.Value(),
		CompareAtPriceMinor: in.CompareAtPriceMinor.Value(), Sku: in.Sku.Value(), Vendor: in.Vendor.Value(),
		ProductType: in.ProductType.Value(), Tags: in.Tags.Value(), InventoryQuantity: in.InventoryQuantity.Value(),
		ImageURL: in.ImageURL.Value(), WeightGrams: in.WeightGrams.Value(),
		RequiresShipping: in.RequiresShipping.Value(), TaxCategory: in.TaxCategory.Value(),
		DescriptionFormat: in.DescriptionFormat.Value(), Barcode: in.Barcode.Value(), CostMinor: in.CostMinor.Value(),
		Maker: in.Maker.Value(), Videos: in.Videos.Value(), SizeChartID: in.SizeChartID.Value(),
		CustomFields: in.CustomFields.Value(), ExternalReference: in.ExternalReference.Value(),
	}
}

// checkReference refuses an external reference that another product has. It waits for a product
// that is being written.
func (m Mutation) checkReference(ctx context.Context, reference string) error {
	query := m.Client(ctx).Product.Query().Where(product.ExternalReference(reference))
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err == nil && len(rows) > 0 {
		return core.Invalid(referenceMember, fault.Taken, "Another product has this external reference.")
	}
	return err
}

func isReferenceTaken(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && len(f.Fields) == 1 && f.Fields[0].Pointer == "#/"+referenceMember && f.Fields[0].Code == fault.Taken
}
