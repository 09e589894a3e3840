package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// ImportedProduct is a product as a file has it. Members that are not given stay as they are.
type ImportedProduct struct {
	// Members has the external reference and the handle by which the product is found.
	Members model.ProductUpdateInput
	// Status is the status that the product gets; nil keeps it, and a new product is a draft.
	Status *state.ProductStatus
	// Options and Variants are nil if the file does not have them. Variants have their ids in the
	// store that the file is from.
	Options  []*document.Option
	Variants []*model.ProductVariantInput
	// VariantFields are the custom fields of the only variant of a product without options; nil keeps
	// them.
	VariantFields document.CustomFields
	// Images are fetched after the import of the product, see [ProductBatch.LeftImages].
	Images []*ImportedImage
}

// ImportOutcome is what an import did to a row.
type ImportOutcome int

// The outcomes of an import.
const (
	ImportUnchanged ImportOutcome = iota
	ImportCreated
	ImportUpdated
)

// ProductBatch writes products of a file in the transaction of its context.
type ProductBatch struct {
	Mutation
	rows []*db.Product
	// unlisted are the products to list by [ProductBatch.Close]: those that were active before, and
	// the others.
	unlisted map[bool][]*db.Product
	// currency is that of the store, whose row is locked then; "" before it is read.
	currency string
}

// ProductBatch finds the products of the store that a file names, with two statements.
func (m Mutation) ProductBatch(ctx context.Context, list []*ImportedProduct) (*ProductBatch, error) {
	b := &ProductBatch{Mutation: m, unlisted: map[bool][]*db.Product{}}
	var references, handles []string
	for _, in := range list {
		core.Opt(in.Members.ExternalReference.Value(), func(s string) { references = append(references, s) })
		core.Opt(in.Members.Handle.Value(), func(s string) { handles = append(handles, s) })
	}
	for _, q := range []struct {
		texts []string
		query *db.ProductQuery
	}{{references, m.Client(ctx).Product.Query().Where(product.ExternalReferenceIn(references...))},
		{handles, m.Client(ctx).Product.Query().Where(product.HandleIn(handles...))}} {
		if len(q.texts) == 0 {
			continue
		}
		rows, err := q.query.Load(ctx)
		if err != nil {
			return nil, core.Explain("product", err)
		}
		for _, p := range rows {
			if !slices.ContainsFunc(b.rows, func(o *db.Product) bool { return o.ID == p.ID }) {
				b.rows = append(b.rows, p)
			}
		}
	}
	err := variants.Load(ctx, m.Client(ctx), b.rows...)
	return b, core.Explain("product", errors.Join(err, m.loadAllImages(ctx, b.rows...)))
}

// find returns the product that has the reference, or else the handle and no other reference.
func (b *ProductBatch) find(in *ImportedProduct) *db.Product {
	reference, handle := in.Members.ExternalReference.Value(), in.Members.Handle.Value()
	at := slices.IndexFunc(b.rows, func(p *db.Product) bool {
		return reference != nil && same(reference, p.ExternalReference)
	})
	if at < 0 && handle != nil {
		at = slices.IndexFunc(b.rows, func(p *db.Product) bool {
			return p.Handle == *handle && (reference == nil || p.ExternalReference == nil)
		})
	}
	if at < 0 {
		return nil
	}
	return b.rows[at]
}

// Apply creates or changes a product. The stock of variants that exist stays as it is: it has changed
// since the file was written.
func (b *ProductBatch) Apply(ctx context.Context, in *ImportedProduct) (ImportOutcome, error) {
	if in.Members.ExternalReference.Value() == nil && in.Members.Handle.Value() == nil {
		return 0, core.Invalid("handle", fault.Required,
			"The product needs an external_reference or a handle, by which it is found again.")
	}
	p := b.find(in)
	if p == nil {
		return ImportCreated, b.create(ctx, in)
	}
	changed, err := b.update(ctx, p, in)
	if changed {
		return ImportUpdated, err
	}
	return ImportUnchanged, err
}

func (b *ProductBatch) create(ctx context.Context, in *ImportedProduct) error {
	members := in.Members
	if len(in.Options) > 0 && len(in.Variants) > 0 {
		members.PriceMinor = model.Some(in.Variants[0].PriceMinor)
	}
	if members.Currency.Value() == nil { // as in files of other systems
		members.Currency = model.Some(viewer.From(ctx).Currency)
	}
	next := newProduct(members)
	next.Options = in.Options
	switch {
	case len(in.Options) > 0:
		for _, v := range in.Variants {
			v.ID = nil
		}
		next.Variants = in.Variants
	case len(in.VariantFields) > len("{}") && members.PriceMinor.Value() != nil:
		next.Variants = []*model.ProductVariantInput{ownVariant(in)}
	}
	if len(next.Variants) > 0 || len(in.Options) > 0 {
		next.CompareAtPriceMinor, next.Sku, next.InventoryQuantity = nil, nil, nil
		next.WeightGrams, next.Barcode, next.CostMinor = nil, nil, nil
	}
	made, err := b.ProductCreate(ctx, next)
	if err != nil {
		return err
	}
	p := made.Product
	p.Images = []*db.ProductImage{}
	b.rows = append(b.rows, p)
	if in.Status == nil || *in.Status == p.Status {
		return nil
	}
	return b.apply(ctx, p, "product."+moves[*in.Status].verb, func(ctx context.Context, e *productEdit) error {
		return b.move(ctx, e, *in.Status)
	})
}

// moves are the events and the verbs of a change to a status.
var moves = map[state.ProductStatus]struct {
	verb  string
	event event.Type
}{
	state.ProductActive:   {"publish", event.ProductPublished},
	state.ProductDraft:    {"unpublish", event.ProductUnpublished},
	state.ProductArchived: {"archive", event.ProductArchived},
}

// move changes the status of a product if it is another one.
func (b *ProductBatch) move(ctx context.Context, e *productEdit, to state.ProductStatus) error {
	if e.Row.Status == to {
		return nil
	}
	m := productMove{special: moves[to].event, to: to}
	if e.Row.Status == state.ProductArchived && to == state.ProductDraft {
		m.special = "" // restored
	}
	moved(e, m)
	return b.sellable(ctx, e.Row)
}

// sellable is [Mutation.sellable] of an active product, and reads the store once for all products.
func (b *ProductBatch) sellable(ctx context.Context, p *db.Product) error {
	if p.Status != state.ProductActive {
		return nil
	}
	if b.currency == "" {
		s, err := b.LockedStore(ctx)
		if err != nil {
			return err
		}
		b.currency = s.Currency
	}
	return pricedIn(b.currency, p)
}

func (b *ProductBatch) apply(
	ctx context.Context, p *db.Product, action string, edit func(context.Context, *productEdit) error,
) error {
	r, err := b.products().Apply(ctx, p, action, func(ctx context.Context, e *productEdit) error {
		return b.indexed(ctx, e, b.list, edit)
	})
	if err != nil || r == nil {
		return core.Explain("product", err)
	}
	return r.Write(ctx, b.Client(ctx))
}

// list leaves a product to [ProductBatch.Close]. All edits of a product in a batch change the same row.
func (b *ProductBatch) list(_ context.Context, p *db.Product, shown bool) error {
	if !slices.Contains(b.unlisted[true], p) && !slices.Contains(b.unlisted[false], p) {
		b.unlisted[shown] = append(b.unlisted[shown], p)
	}
	return nil
}

// Close updates the listing index of the storefront, with few statements for all products.
func (b *ProductBatch) Close(ctx context.Context) error {
	for shown, list := range b.unlisted {
		if err := b.listingWriter(ctx).Put(ctx, shown, list...); err != nil {
			return core.Explain("product", err)
		}
	}
	return nil
}

// update changes a product with one edit.
func (b *ProductBatch) update(ctx context.Context, p *db.Product, in *ImportedProduct) (changed bool, err error) {
	c, members, plan := &core.Check{}, in.Members, (*variantPlan)(nil)
	members.InventoryQuantity = model.GivenIf(false, (*int64)(nil))
	checkProductUpdate(c, &members)
	if in.Options != nil && (len(in.Options) > 0 || p.Options != nil) {
		if len(in.Options) == 0 && members.PriceMinor.Value() == nil {
			c.Add("price_minor", fault.Required, "A product without options requires this member.")
		}
		plan = checkVariants(c, in.Options, matched(p, in))
		dropOwn(&members)
	}
	err = b.checkTaxed(ctx, c,
		append(taxedVariants(in.Variants), taxed{"tax_category", members.TaxCategory.Value()})...)
	if err := errors.Join(err, c.Err()); err != nil {
		return false, err
	}
	version := p.Version
	err = b.apply(ctx, p, "product.update", func(ctx context.Context, e *productEdit) error {
		if err := ownMembers(p, &members); err != nil {
			return err
		}
		setMembers(e, members)
		err := core.ChangeCustomFields(ctx, b.FieldMerge(state.FieldsOfProducts), &e.Changed, members.CustomFields,
			&p.CustomFields, e.Update.SetCustomFields, e.Update.ClearCustomFields)
		if err != nil {
			return err
		}
		if checkDescription(c, p.DescriptionFormat, p.Description); c.Err() != nil {
			return c.Err()
		}
		if plan != nil {
			rows, err := b.plannedRows(ctx, c, plan, p)
			if err != nil {
				return err
			}
			sellAs(e, plan.options, rows)
		} else if err := b.ownFields(ctx, e, in.VariantFields); err != nil {
			return err
		}
		if in.Status != nil {
			if err := b.move(ctx, e, *in.Status); err != nil {
				return err
			}
		}
		if len(e.Changed) == 0 {
			return nil
		}
		return b.sellable(ctx, p)
	})
	return p.Version != version, err
}

// ownFields changes the custom fields of the only variant of a product without options.
func (b *ProductBatch) ownFields(ctx context.Context, e *productEdit, given document.CustomFields) error {
	if given == nil || e.Row.Options != nil {
		return nil
	}
	next, err := b.FieldMerge(state.FieldsOfVariants).Merge(ctx, "variants/0/"+core.CustomFieldsMember,
		e.Row.VariantCustomFields, given)
	if err != nil {
		return err
	}
	core.MemberDoc(&e.Changed, next, true, variantsMember, &e.Row.VariantCustomFields,
		e.Update.SetVariantCustomFields, e.Update.ClearVariantCustomFields)
	return nil
}

// ownVariant returns the only variant of a product without options.
func ownVariant(in *ImportedProduct) *model.ProductVariantInput {
	m := in.Members
	return &model.ProductVariantInput{PriceMinor: core.Deref(m.PriceMinor.Value()),
		CompareAtPriceMinor: m.CompareAtPriceMinor.Value(), Sku: m.Sku.Value(), Barcode: m.Barcode,
		CostMinor: m.CostMinor, InventoryQuantity: m.InventoryQuantity.Value(), WeightGrams: m.WeightGrams.Value(),
		CustomFields: model.GivenIf(in.VariantFields != nil, in.VariantFields)}
}

// matched returns the variants of a file with the ids and the stock of those that the product has: by
// their ids, or else by their options.
func matched(p *db.Product, in *ImportedProduct) []*model.ProductVariantInput {
	list, present := in.Variants, variants.Of(p)
	if len(in.Options) == 0 && len(list) == 0 {
		list = []*model.ProductVariantInput{ownVariant(in)}
	}
	of, by := map[string]*db.Variant{}, map[string]*db.Variant{}
	for _, o := range present {
		of[xid.Variant.Format(o.ID)], by[string(o.Options)] = o, o
	}
	taken := map[*db.Variant]bool{nil: true}
	for _, v := range list {
		at := of[core.Deref(v.ID)]
		if taken[at] {
			at = by[string(document.NewTags(v.Options))]
		}
		if v.ID = nil; !taken[at] {
			taken[at] = true
			v.ID, v.InventoryQuantity = new(xid.Variant.Format(at.ID)), at.InventoryQuantity
		}
	}
	return list
}

// dropOwn removes the members that a product with options has from its variants.
func dropOwn(in *model.ProductUpdateInput) {
	no, none := model.GivenIf(false, (*int64)(nil)), model.GivenIf(false, (*string)(nil))
	in.PriceMinor, in.CompareAtPriceMinor, in.CostMinor, in.WeightGrams = no, no, no, no
	in.Sku, in.Barcode = none, none
}
