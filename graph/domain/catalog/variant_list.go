package catalog

import (
	"context"
	"errors"
	"strconv"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// setVariants changes the options and variants of the product of an edit, if they are given. The price
// is then theirs. Without them, it refuses members that the product gets from its variants.
func (m Mutation) setVariants(ctx context.Context, e *productEdit, in *model.ProductUpdateInput) error {
	c := &core.Check{}
	plan, err := givenVariants(c, e.Row, in)
	if err != nil {
		return err
	}
	if plan == nil {
		return errors.Join(c.Err(), ownMembers(e.Row, in))
	}
	rows, err := m.plannedRows(ctx, c, plan, e.Row)
	if err != nil {
		return err
	}
	in.PriceMinor = model.GivenIf(false, (*int64)(nil))
	sellAs(e, plan.options, rows)
	return nil
}

// checkGivenVariants adds the faults of given variants to those of other members.
func (m Mutation) checkGivenVariants(
	ctx context.Context, c *core.Check, id string, in *model.ProductUpdateInput,
) error {
	if !in.Variants.IsSet() && !in.Options.IsSet() {
		return nil
	}
	uid, _ := core.ParseID(xid.Product, id) // an unknown product has no variants to check
	p, err := m.ProductRow(ctx, uid)
	if errors.Is(err, core.ErrNoRow) {
		return nil
	}
	if err != nil {
		return core.Explain("product", err)
	}
	plan, err := givenVariants(c, p, in)
	if err != nil || plan == nil {
		return err
	}
	_, err = m.plannedRows(ctx, c, plan, p)
	return err
}

// givenVariants returns the plan of the given options and variants, nil if they stay as they are.
// Absent options are the present ones.
func givenVariants(c *core.Check, p *db.Product, in *model.ProductUpdateInput) (*variantPlan, error) {
	options, list := in.Options.Value(), in.Variants.Value()
	switch {
	case !in.Options.IsSet() && !in.Variants.IsSet():
		return nil, nil
	case !in.Options.IsSet():
		present, err := p.Options.List()
		if err != nil {
			return nil, err
		}
		for _, o := range present {
			options = append(options, &o)
		}
	case !in.Variants.IsSet():
		if checkOptions(c, options); string(optionsOf(options)) != string(p.Options) {
			c.Add(variantsMember, fault.Required, "Other options require the variants, too.")
		}
		return nil, nil
	}
	return checkVariants(c, options, mergedVariants(c, variants.Of(p), list, in.PriceMinor.Value())), nil
}

func optionsOf(options []*document.Option) document.Options {
	list := make([]document.Option, len(options))
	for i, o := range options {
		list[i] = *o
	}
	return document.NewOptions(list)
}

// NewVariants returns the variants of a new product. The price is that of variants without one.
func NewVariants(
	c *core.Check, list []*model.ProductVariantListInput, price *int64,
) []*model.ProductVariantInput {
	return mergedVariants(c, nil, list, price)
}

// mergedVariants merges a list of variants into the present ones. The price, if there is one, is that
// of entries without their own.
func mergedVariants(
	c *core.Check, present []*db.Variant, list []*model.ProductVariantListInput, price *int64,
) []*model.ProductVariantInput {
	if price != nil && (*price < 0 || *price > currency.MaxMinor) {
		price = new(int64) // has its own fault
	}
	merged := make([]*model.ProductVariantInput, len(list))
	for i, stays := range identified(present, list) {
		merged[i] = mergedVariant(stays, list[i])
		switch own, given := list[i].PriceMinor.ValueOK(); {
		case own != nil:
			merged[i].PriceMinor = *own
		case !given && price != nil:
			merged[i].PriceMinor = *price
		case given:
			c.Add("variants/"+strconv.Itoa(i)+"/price_minor", fault.Required, "This member cannot be null.")
		case stays == nil && list[i].ID.Value() == nil:
			c.Add("variants/"+strconv.Itoa(i)+"/price_minor", fault.Required, "A new variant requires this member.")
		}
	}
	return merged
}

func mergedVariant(stays *db.Variant, in *model.ProductVariantListInput) *model.ProductVariantInput {
	next := &model.ProductVariantInput{ID: in.ID.Value(), Options: in.Options.Value(), Barcode: in.Barcode,
		CostMinor: in.CostMinor, CustomFields: in.CustomFields}
	if stays != nil {
		if next.ID = new(stays.PublicID()); next.Options == nil {
			next.Options, _ = stays.Options.List() // written by this program
		}
		next.PriceMinor, next.CompareAtPriceMinor = stays.PriceMinor, stays.CompareAtPriceMinor
		next.Sku, next.InventoryQuantity = stays.Sku, stays.InventoryQuantity
		next.WeightGrams, next.TaxCategory = stays.WeightGrams, stays.TaxCategory
	}
	set(&next.CompareAtPriceMinor, in.CompareAtPriceMinor)
	set(&next.Sku, in.Sku)
	set(&next.InventoryQuantity, in.InventoryQuantity)
	set(&next.WeightGrams, in.WeightGrams)
	set(&next.TaxCategory, in.TaxCategory)
	return next
}

// identified returns the present variant of each entry of a list, nil for a new one: all by their
// ids, then the others by their SKUs, and the rest by their options. A SKU that several present
// variants have identifies none.
func identified(present []*db.Variant, list []*model.ProductVariantListInput) []*db.Variant {
	found, taken := make([]*db.Variant, len(list)), map[*db.Variant]bool{nil: true}
	bySku, ids, texts := map[string]*db.Variant{}, byID(present), map[string]*db.Variant{}
	for _, v := range present {
		texts[string(v.Options)] = v
		core.Opt(v.Sku, func(sku string) {
			if _, twice := bySku[sku]; twice {
				v = nil
			}
			bySku[sku] = v
		})
	}
	for _, look := range []func(in *model.ProductVariantListInput) *db.Variant{
		func(in *model.ProductVariantListInput) *db.Variant {
			id, err := xid.Variant.Parse(core.Deref(in.ID.Value()))
			if err != nil {
				return nil
			}
			return ids[id]
		},
		func(in *model.ProductVariantListInput) *db.Variant { return bySku[core.Deref(in.Sku.Value())] },
		func(in *model.ProductVariantListInput) *db.Variant {
			return texts[string(document.NewTags(in.Options.Value()))]
		},
	} {
		for i, in := range list {
			id := in.ID.Value()
			if v := look(in); found[i] == nil && !taken[v] && (id == nil || v.PublicID() == *id) {
				found[i], taken[v] = v, true
			}
		}
	}
	return found
}
