package catalog

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

func (m Mutation) productRow(
	ctx context.Context, id xid.ID, handle string, in model.ProductCreateInput,
) *db.ProductCreate {
	return m.Client(ctx).Product.Create().
		SetID(id).SetTitle(in.Title).SetHandle(handle).SetNillableDescription(in.Description).
		SetNillableDescriptionFormat(in.DescriptionFormat).SetNillableBarcode(in.Barcode).
		SetNillableCostMinor(in.CostMinor).SetMaker(document.NewMaker(in.Maker)).SetVideos(videos(in.Videos)).
		SetNillableSizeChartID(sizeChart(in.SizeChartID)).SetNillableExternalReference(in.ExternalReference).
		SetCustomFields(in.CustomFields).
		SetStatus(state.ProductDraft).SetPriceMinor(in.PriceMinor).
		SetNillableCompareAtPriceMinor(in.CompareAtPriceMinor).SetCurrency(in.Currency).
		SetNillableSku(in.Sku).SetNillableVendor(in.Vendor).SetNillableProductType(in.ProductType).
		SetTags(document.NewTags(in.Tags)).SetNillableInventoryQuantity(in.InventoryQuantity).
		SetNillableImageURL(in.ImageURL).SetNillableWeightGrams(in.WeightGrams).
		SetNillableRequiresShipping(in.RequiresShipping).SetNillableTaxCategory(in.TaxCategory).
		SetVersion(1).SetEventSequence(1).SetUpdatedAt(core.ChangeTime(ctx, id, in.CreatedAt))
}

// checkProduct checks a new product and converts its currency to upper case. The plan is nil
// without options.
func (m Mutation) checkProduct(ctx context.Context, in *model.ProductCreateInput) (*variantPlan, error) {
	c := core.NewCheck(in)
	c.Line("title", in.Title, limit.Line)
	c.Amount("price_minor", in.PriceMinor)
	in.Currency = c.Currency("currency", in.Currency)
	checkProductTexts(c, in.Handle, in.Description, in.Sku, in.Vendor, in.ProductType, in.ImageURL)
	checkDescription(c, core.Deref(in.DescriptionFormat), in.Description)
	checkUnit(c, "", in.Barcode, in.CostMinor)
	core.Opt(in.Maker, func(m document.MakerFields) { checkMaker(c, &m) })
	checkVideos(c, in.Videos)
	core.Opt(in.ExternalReference, func(s string) { c.Line(referenceMember, s, limit.Line) })
	core.Opt(in.CompareAtPriceMinor, func(v int64) { c.Amount("compare_at_price_minor", v) })
	core.Opt(in.InventoryQuantity, func(v int64) { c.Within("inventory_quantity", v, 0, limit.Inventory) })
	c.Tags("tags", in.Tags)
	c.CreatedAt(ctx, "created_at", in.CreatedAt)
	core.Opt(in.WeightGrams, func(v int64) { c.Within("weight_grams", v, 0, limit.Weight) })
	plan := checkNewVariants(c, in)
	err := m.checkTaxed(ctx, c, append(taxedVariants(in.Variants), taxed{"tax_category", in.TaxCategory})...)
	err = errors.Join(err, m.checkSizeChart(ctx, c, in.SizeChartID))
	return plan, errors.Join(err, c.Err())
}

func checkProductTexts(c *core.Check, handle, description, sku, vendor, productType, imageURL *string) {
	core.Opt(handle, func(s string) { c.Handle("handle", s, limit.Handle) })
	core.Opt(description, func(s string) { c.Long("description", s, limit.Description) })
	core.Opt(sku, func(s string) { c.Line("sku", s, limit.Line) })
	core.Opt(vendor, func(s string) { c.Line("vendor", s, limit.Line) })
	core.Opt(productType, func(s string) { c.Line("product_type", s, limit.Line) })
	core.Opt(imageURL, func(s string) { c.HTTPS("image_url", s) })
}

func setMembers(e *productEdit, in model.ProductUpdateInput) {
	p, u := e.Row, e.Update
	core.MemberOf(&e.Changed, in.Title, "title", &p.Title, u.SetTitle)
	core.MemberOf(&e.Changed, in.PriceMinor, "price_minor", &p.PriceMinor, u.SetPriceMinor)
	core.MemberOf(&e.Changed, in.Currency, "currency", &p.Currency, u.SetCurrency)
	core.MemberOf(&e.Changed, in.Handle, "handle", &p.Handle, u.SetHandle)
	core.MemberOpt(&e.Changed, in.Description, "description", &p.Description, u.SetDescription, u.ClearDescription)
	core.MemberOf(&e.Changed, in.DescriptionFormat, "description_format", &p.DescriptionFormat, u.SetDescriptionFormat)
	core.MemberOpt(&e.Changed, in.Barcode, "barcode", &p.Barcode, u.SetBarcode, u.ClearBarcode)
	core.MemberOpt(&e.Changed, in.CostMinor, costMember, &p.CostMinor, u.SetCostMinor, u.ClearCostMinor)
	core.MemberDoc(&e.Changed, document.NewMaker(in.Maker.Value()), in.Maker.IsSet(), "maker", &p.Maker, u.SetMaker,
		u.ClearMaker)
	core.MemberDoc(&e.Changed, videos(in.Videos.Value()), in.Videos.IsSet(), "videos", &p.Videos, u.SetVideos,
		u.ClearVideos)
	if in.SizeChartID.IsSet() {
		core.MemberOpt(&e.Changed, core.Given(sizeChart(in.SizeChartID.Value())), sizeChartMember, &p.SizeChartID,
			u.SetSizeChartID, u.ClearSizeChartID)
	}
	core.MemberOpt(&e.Changed, in.ExternalReference, referenceMember, &p.ExternalReference,
		u.SetExternalReference, u.ClearExternalReference)
	core.MemberOpt(&e.Changed, in.CompareAtPriceMinor, "compare_at_price_minor", &p.CompareAtPriceMinor,
		u.SetCompareAtPriceMinor, u.ClearCompareAtPriceMinor)
	core.MemberOpt(&e.Changed, in.Sku, "sku", &p.Sku, u.SetSku, u.ClearSku)
	core.MemberOpt(&e.Changed, in.Vendor, "vendor", &p.Vendor, u.SetVendor, u.ClearVendor)
	core.MemberOpt(&e.Changed, in.ProductType, "product_type", &p.ProductType, u.SetProductType, u.ClearProductType)
	core.MemberOpt(&e.Changed, in.InventoryQuantity, "inventory_quantity", &p.InventoryQuantity,
		u.SetInventoryQuantity, u.ClearInventoryQuantity)
	core.MemberOpt(&e.Changed, in.ImageURL, "image_url", &p.ImageURL, u.SetImageURL, u.ClearImageURL)
	core.MemberOpt(&e.Changed, in.WeightGrams, variantsMember, &p.WeightGrams, u.SetWeightGrams, u.ClearWeightGrams)
	core.MemberOf(&e.Changed, in.RequiresShipping, "requires_shipping", &p.RequiresShipping, u.SetRequiresShipping)
	core.MemberOf(&e.Changed, in.TaxCategory, "tax_category", &p.TaxCategory, u.SetTaxCategory)
	core.MemberDoc(&e.Changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &p.Tags, u.SetTags, nil)
}

func checkProductUpdate(c *core.Check, in *model.ProductUpdateInput) {
	if in.Variants.IsSet() {
		setOnVariants(c, "compare_at_price_minor", in.CompareAtPriceMinor.IsSet())
		setOnVariants(c, "sku", in.Sku.IsSet())
		setOnVariants(c, "inventory_quantity", in.InventoryQuantity.IsSet())
		setOnVariants(c, "weight_grams", in.WeightGrams.IsSet())
		setOnVariants(c, "barcode", in.Barcode.IsSet())
		setOnVariants(c, costMember, in.CostMinor.IsSet())
	}
	if in.Description.IsSet() && !in.DescriptionFormat.IsSet() { // of a client that does not know formats
		in.DescriptionFormat = model.Some(state.PlainText)
	}
	core.NotNull(c, "title", in.Title, func(s string) { c.Line("title", s, limit.Line) })
	core.NotNull(c, "price_minor", in.PriceMinor, func(v int64) { c.Amount("price_minor", v) })
	core.NotNull(c, "currency", in.Currency, func(s string) {
		in.Currency = model.Some(c.Currency("currency", s))
	})
	core.NotNull(c, "handle", in.Handle, func(string) {})
	core.NotNull(c, "description_format", in.DescriptionFormat, func(state.TextFormat) {})
	core.NotNull(c, "requires_shipping", in.RequiresShipping, func(bool) {})
	core.NotNull(c, "tax_category", in.TaxCategory, func(string) {})
	checkProductTexts(c, in.Handle.Value(), in.Description.Value(), in.Sku.Value(), in.Vendor.Value(),
		in.ProductType.Value(), in.ImageURL.Value())
	core.Opt(in.CompareAtPriceMinor.Value(), func(v int64) { c.Amount("compare_at_price_minor", v) })
	core.Opt(in.InventoryQuantity.Value(), func(v int64) { c.Within("inventory_quantity", v, 0, limit.Inventory) })
	core.Opt(in.WeightGrams.Value(), func(v int64) { c.Within("weight_grams", v, 0, limit.Weight) })
	c.Tags("tags", in.Tags.Value())
	checkUnit(c, "", in.Barcode.Value(), in.CostMinor.Value())
	core.Opt(in.Maker.Value(), func(m document.MakerFields) { checkMaker(c, &m) })
	checkVideos(c, in.Videos.Value())
	core.Opt(in.ExternalReference.Value(), func(s string) { c.Line(referenceMember, s, limit.Line) })
}
