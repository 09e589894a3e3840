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

// ware is what a line is of: a product, and its variant if the product has options; of
// neither where both are nil.
type ware struct{ product, variant xid.ID }

// compare orders wares by their keys.
func (w ware) compare(o ware) int {
	if c := w.product.Compare(o.product); c != 0 {
		return c
	}
	return w.variant.Compare(o.variant)
}

// wareOf is what a line was of.
func wareOf(l *db.OrderLine) (w ware) {
	core.Opt(l.ProductID, func(id xid.ID) { w.product = id })
	core.Opt(l.VariantID, func(id xid.ID) { w.variant = id })
	return w
}

// referGoods reads the products of the lines and, where one of them has options, the
// variants that are asked for.
func (m Mutation) referGoods(ctx context.Context, d *orderDraft) error {
	given := func(id xid.ID) *xid.ID {
		if id.IsNil() {
			return nil
		}
		return &id
	}
	rows, err := m.productsOf(ctx, core.IDs(d.wares, func(w ware) *xid.ID { return given(w.product) }))
	if err != nil {
		return err
	}
	d.wares = slices.Clone(d.wares) // which are completed, and the transaction may run again
	d.products, d.variants = map[xid.ID]*db.Product{}, map[ware]*db.Variant{}
	for _, p := range rows {
		d.products[p.ID] = p
		if p.Options == nil {
			own := variants.Own(p)
			d.variants[ware{product: p.ID}] = &own
		}
	}
	chosen := func(id func(ware) xid.ID) []xid.ID {
		return core.IDs(d.wares, func(w ware) *xid.ID {
			if p := d.products[w.product]; p == nil || p.Options == nil {
				return nil
			}
			return given(id(w))
		})
	}
	ids := chosen(func(w ware) xid.ID { return w.variant })
	if len(ids) == 0 {
		return nil
	}
	products := chosen(func(w ware) xid.ID { return w.product })
	q := m.Client(ctx).Variant.Query().Where(variant.ProductIDIn(products...), variant.IDIn(ids...))
	q.Modify(ent.ForceIndex(ent.Primary))
	variants, err := q.Load(ctx)
	for _, v := range variants {
		d.variants[ware{v.ProductID, v.ID}] = v
	}
	return err
}

// variant is what a line sells, nil for a line of nothing that is known.
func (d *orderDraft) variant(w ware) *db.Variant { return d.variants[w] }

// checkWare judges what a line is of, and reports whether the rest of it can be judged.
// The variant of a product without options is the product, by whichever name.
func (d *orderDraft) checkWare(c *core.Check, at string, w *ware, l *model.OrderLineInput) bool {
	p := d.products[w.product]
	switch {
	case l.ProductID == nil || w.product.IsNil():
		return true // none, or reported
	case p == nil:
		checkUnknown(c, at+"product_id", xid.Product)
		return false
	case p.Options == nil && w.variant == p.ID:
		w.variant = xid.Nil
	case l.VariantID == nil && p.Options != nil:
		c.Add(at+"variant_id", fault.Required, "The product has options: say which variant.")
		return false
	}
	if l.VariantID != nil && d.variants[*w] == nil {
		c.Add(at+"variant_id", fault.UnknownValue, "The product has no such variant.")
		return false
	}
	return true
}
