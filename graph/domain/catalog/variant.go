package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// ProductFields resolves the fields of a product that need queries.
type ProductFields struct{ *Resolver }

// Variants returns the variants of the product.
func (f ProductFields) Variants(ctx context.Context, p *db.Product) ([]*db.Variant, error) {
	if p.Options != nil && p.Variants == nil { // not loaded with the product
		if err := variants.Load(ctx, f.Client(ctx), p); err != nil {
			return nil, core.Explain("product", err)
		}
	}
	list := variants.Of(p)
	if !core.Selects(ctx, "image") || !slices.ContainsFunc(list, lacksImage) {
		return list, nil
	}
	own := &db.Product{ID: p.ID, ImagesCount: p.ImagesCount, Variants: list}
	return list, core.Explain("product", f.loadAllImages(ctx, own))
}

func lacksImage(v *db.Variant) bool { return v.ImageID != nil && v.Image == nil }

// ProductVariantsSet replaces the options and all variants of a product.
func (m Mutation) ProductVariantsSet(
	ctx context.Context, id string, expectedVersion int64, options []*document.Option,
	variants []*model.ProductVariantInput,
) (*model.ProductPayload, error) {
	c := &core.Check{}
	plan := checkVariants(c, options, variants)
	if err := errors.Join(m.checkTaxed(ctx, c, taxedVariants(variants)...), c.Err()); err != nil {
		return nil, err
	}
	return m.changeProduct(ctx, id, expectedVersion, "product.variants_set",
		func(ctx context.Context, e *productEdit) error {
			rows, err := m.plannedRows(ctx, &core.Check{}, plan, e.Row)
			if err != nil {
				return err
			}
			sellAs(e, plan.options, rows)
			return nil
		})
}

// ProductVariantUpdate changes one variant. The variant of a product without options is the product
// itself.
func (m Mutation) ProductVariantUpdate(
	ctx context.Context, id string, expectedVersion int64, variantID string, in model.ProductVariantUpdateInput,
) (*model.ProductPayload, error) {
	uid, err := core.ParseID(xid.Variant, variantID)
	if err != nil {
		return nil, err
	}
	c := &core.Check{}
	checkVariantUpdate(c, &in)
	err = m.checkTaxed(ctx, c, taxed{"tax_category", in.TaxCategory.Value()})
	if err := errors.Join(err, c.Err()); err != nil {
		return nil, err
	}
	return m.changeProduct(ctx, id, expectedVersion, "product.variant_update",
		func(ctx context.Context, e *productEdit) error {
			rows := slices.Clone(variants.Of(e.Row))
			i := slices.IndexFunc(rows, func(v *db.Variant) bool { return v.ID == uid })
			if i < 0 {
				return fault.Missing("variant")
			}
			rows[i] = edited(rows[i], &in)
			err := stockFits(rows)
			if given, ok := in.CustomFields.ValueOK(); ok && err == nil {
				rows[i].CustomFields, err = m.FieldMerge(state.FieldsOfVariants).
					Merge(ctx, core.CustomFieldsMember, rows[i].CustomFields, given)
			}
			if err != nil {
				return err
			}
			sellAs(e, e.Row.Options, rows)
			return nil
		})
}

func edited(v *db.Variant, in *model.ProductVariantUpdateInput) *db.Variant {
	next := *v
	core.Opt(in.PriceMinor.Value(), func(price int64) { next.PriceMinor = price })
	set(&next.CompareAtPriceMinor, in.CompareAtPriceMinor)
	set(&next.Sku, in.Sku)
	set(&next.InventoryQuantity, in.InventoryQuantity)
	set(&next.WeightGrams, in.WeightGrams)
	set(&next.TaxCategory, in.TaxCategory)
	set(&next.Barcode, in.Barcode)
	set(&next.CostMinor, in.CostMinor)
	return &next
}

func set[T any](dst **T, given interface{ ValueOK() (*T, bool) }) {
	if v, ok := given.ValueOK(); ok {
		*dst = v
	}
}

// sellAs replaces the variants of a product in its row, which aggregates them. Their rows are written
// after it, as stock changes do, so that the two cannot deadlock.
func sellAs(e *productEdit, options document.Options, rows []*db.Variant) {
	p, u := e.Row, e.Update
	before := variants.Of(p)
	own := p.Options == nil && options == nil
	if own {
		before[0].TaxCategory = rows[0].TaxCategory // its own is the product's
	}
	core.MemberDoc(&e.Changed, options, true, "options", &p.Options, u.SetOptions, u.ClearOptions)
	if !own && !slices.EqualFunc(before, rows, alike) {
		e.Changed = append(e.Changed, variantsMember)
	}
	sumUp(e, rows)
	p.Variants = nil
	if options != nil {
		p.Variants = rows
	}
	if len(e.Changed) == 0 && !slices.EqualFunc(before, rows, equal) {
		e.Changed = []string{"inventory_quantity"} // moved from one variant to another, or only costs changed
	}
}

// sumUp sets the aggregates of a product with options that lists and filters read; a product
// without options has the members of its only variant.
func sumUp(e *productEdit, rows []*db.Variant) {
	p, u, sum, own := e.Row, e.Update, variants.Total(rows), db.Variant{}
	if p.Options == nil {
		own = *rows[0]
	}
	core.MemberOf(&e.Changed, core.Given(&sum.Price), "price_minor", &p.PriceMinor, u.SetPriceMinor)
	core.MemberOpt(&e.Changed, core.Given(sum.Compared), "compare_at_price_minor", &p.CompareAtPriceMinor,
		u.SetCompareAtPriceMinor, u.ClearCompareAtPriceMinor)
	if own.TaxCategory != nil { // nil is that of the product
		core.MemberOf(&e.Changed, core.Given(own.TaxCategory), "tax_category", &p.TaxCategory, u.SetTaxCategory)
	}
	core.MemberOpt(&e.Changed, core.Given(own.Sku), "sku", &p.Sku, u.SetSku, u.ClearSku)
	core.MemberOpt(&e.Changed, core.Given(own.Barcode), "barcode", &p.Barcode, u.SetBarcode, u.ClearBarcode)
	core.MemberOpt(&e.Changed, core.Given(own.CostMinor), costMember, &p.CostMinor, u.SetCostMinor, u.ClearCostMinor)
	core.MemberOpt(&e.Changed, core.Given(sum.Inventory), "inventory_quantity", &p.InventoryQuantity,
		u.SetInventoryQuantity, u.ClearInventoryQuantity)
	var beside []string // members that only the variants show
	core.MemberOpt(&beside, core.Given(own.WeightGrams), variantsMember, &p.WeightGrams, u.SetWeightGrams,
		u.ClearWeightGrams)
	core.MemberOpt(&beside, core.Given(sum.Highest), variantsMember, &p.MaxPriceMinor, u.SetMaxPriceMinor,
		u.ClearMaxPriceMinor)
	core.MemberOpt(&beside, core.Given(own.SalePriceMinor), variantsMember, &p.SalePriceMinor, u.SetSalePriceMinor,
		u.ClearSalePriceMinor)
	core.MemberDoc(&beside, own.CustomFields, true, variantsMember, &p.VariantCustomFields,
		u.SetVariantCustomFields, u.ClearVariantCustomFields)
	if len(beside) > 0 && !slices.Contains(e.Changed, variantsMember) {
		e.Changed = append(e.Changed, variantsMember)
	}
}

// alike compares variants except for their stock and cost; equal compares everything that staff see.
func alike(a, b *db.Variant) bool {
	return a.ID == b.ID && a.Position == b.Position && string(a.Options) == string(b.Options) && a.Title == b.Title &&
		a.PriceMinor == b.PriceMinor && same(a.CompareAtPriceMinor, b.CompareAtPriceMinor) && same(a.Sku, b.Sku) &&
		same(a.WeightGrams, b.WeightGrams) && same(a.TaxCategory, b.TaxCategory) && same(a.ImageID, b.ImageID) &&
		same(a.Barcode, b.Barcode) && same(a.SalePriceMinor, b.SalePriceMinor) &&
		string(a.Prices) == string(b.Prices) && string(a.CustomFields) == string(b.CustomFields)
}

func equal(a, b *db.Variant) bool {
	return alike(a, b) && same(a.InventoryQuantity, b.InventoryQuantity) && same(a.CostMinor, b.CostMinor)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// variantsAtOnce bounds the rows of one INSERT: SQLite takes 32,766 parameters, and a row has 20.
const variantsAtOnce = 500

// storeVariants writes the rows that differ: it deletes removed and changed rows with one statement,
// then inserts new and changed ones. So two variants can swap their options without a duplicate key.
func (m Mutation) storeVariants(ctx context.Context, id xid.ID, stored, next []*db.Variant) error {
	without := func(list, other []*db.Variant) []*db.Variant {
		of := byID(other)
		return slices.DeleteFunc(slices.Clone(list), func(v *db.Variant) bool {
			o := of[v.ID]
			return o != nil && equal(v, o)
		})
	}
	if gone := without(stored, next); len(gone) > 0 {
		ids := core.IDs(gone, func(v *db.Variant) *xid.ID { return &v.ID })
		n, err := m.Client(ctx).Variant.Delete().Where(variant.ProductID(id), variant.IDIn(ids...)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove variants: %w", err)
		}
		if n != len(ids) { // the product's version guards its variants, so all must exist
			return fmt.Errorf("remove variants: %d of %d are there", n, len(ids))
		}
	}
	added := without(next, stored)
	if len(added) == 0 {
		return nil
	}
	if more := len(next) - len(stored); more > 0 {
		err := m.RowsLeft(ctx, countedVariants, more, core.FindIn(ctx, m.Client(ctx).Variant.Query()))
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(added, variantsAtOnce) {
		rows := core.Map(some, func(v *db.Variant) *db.VariantCreate { return m.variantRow(ctx, id, v) })
		if err := m.Client(ctx).Variant.CreateBulk(rows...).Exec(ctx); err != nil {
			return fmt.Errorf("add variants: %w", err)
		}
	}
	return nil
}

func byID(list []*db.Variant) map[xid.ID]*db.Variant {
	of := make(map[xid.ID]*db.Variant, len(list))
	for _, v := range list {
		of[v.ID] = v
	}
	return of
}

func (m Mutation) variantRow(ctx context.Context, product xid.ID, v *db.Variant) *db.VariantCreate {
	return m.Client(ctx).Variant.Create().SetID(v.ID).SetProductID(product).SetPosition(v.Position).
		SetOptions(v.Options).SetCombination(variants.Combination(v.Options)).SetTitle(v.Title).
		SetPriceMinor(v.PriceMinor).SetNillableCompareAtPriceMinor(v.CompareAtPriceMinor).SetNillableSku(v.Sku).
		SetNillableInventoryQuantity(v.InventoryQuantity).SetNillableWeightGrams(v.WeightGrams).
		SetNillableTaxCategory(v.TaxCategory).SetNillableImageID(v.ImageID).SetNillableBarcode(v.Barcode).
		SetNillableCostMinor(v.CostMinor).SetNillableSalePriceMinor(v.SalePriceMinor).SetPrices(v.Prices).
		SetCustomFields(v.CustomFields)
}

func (m Mutation) dropVariants(ctx context.Context, p *db.Product) error {
	if p.Options == nil {
		return nil
	}
	_, err := m.Client(ctx).Variant.Delete().Where(variant.ProductID(p.ID)).Exec(ctx)
	return fault.Wrap("remove variants", err)
}
