package sales

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// item identifies what a line sells: a product, and its variant if the product has options. Both
// are nil for a line without a product.
type item struct{ product, variant xid.ID }

// compare orders items by key.
func (w item) compare(o item) int {
	if c := w.product.Compare(o.product); c != 0 {
		return c
	}
	return w.variant.Compare(o.variant)
}

// itemOf returns what a line sold.
func itemOf(l *db.OrderLine) (w item) {
	core.Opt(l.ProductID, func(id xid.ID) { w.product = id })
	core.Opt(l.VariantID, func(id xid.ID) { w.variant = id })
	return w
}

// loadItems reads the products of the lines and, for products with options, the requested variants.
func (m Mutation) loadItems(ctx context.Context, d *orderDraft) error {
	given := func(id xid.ID) *xid.ID {
		if id.IsNil() {
			return nil
		}
		return &id
	}
	rows, err := m.productsOf(ctx, core.IDs(d.items, func(w item) *xid.ID { return given(w.product) }))
	if err != nil {
		return err
	}
	d.items = slices.Clone(d.items) // the items are completed later, and the transaction may run again
	d.products, d.variants = map[xid.ID]*db.Product{}, map[item]*db.Variant{}
	for _, p := range rows {
		d.products[p.ID] = p
		if p.Options == nil {
			own := variants.Own(p)
			d.variants[item{product: p.ID}] = &own
		}
	}
	chosen := func(id func(item) xid.ID) []xid.ID {
		return core.IDs(d.items, func(w item) *xid.ID {
			if p := d.products[w.product]; p == nil || p.Options == nil {
				return nil
			}
			return given(id(w))
		})
	}
	ids := chosen(func(w item) xid.ID { return w.variant })
	if len(ids) == 0 {
		return nil
	}
	products := chosen(func(w item) xid.ID { return w.product })
	q := m.Client(ctx).Variant.Query().Where(variant.ProductIDIn(products...), variant.IDIn(ids...))
	q.Modify(ent.ForceIndex(ent.Primary))
	variants, err := q.Load(ctx)
	for _, v := range variants {
		d.variants[item{v.ProductID, v.ID}] = v
	}
	return err
}

// variant returns what a line sells, nil if it is unknown.
func (d *orderDraft) variant(w item) *db.Variant { return d.variants[w] }

// checkItem validates what a line sells and reports whether the rest of the line can be validated.
// A product without options is its own variant, whichever id names it.
func (d *orderDraft) checkItem(c *core.Check, at string, w *item, l *model.OrderLineInput) bool {
	p := d.products[w.product]
	switch {
	case l.ProductID == nil || w.product.IsNil():
		return true // no product, or an error that is already reported
	case p == nil:
		checkUnknown(c, at+"product_id", xid.Product)
		return false
	case p.Options == nil && w.variant == p.ID:
		w.variant = xid.Nil
	case l.VariantID == nil && p.Options != nil:
		c.Add(at+"variant_id", fault.Required, "The product has options. Choose a variant.")
		return false
	}
	if l.VariantID != nil && d.variants[*w] == nil {
		c.Add(at+"variant_id", fault.UnknownValue, "The product does not have this variant.")
		return false
	}
	return true
}
