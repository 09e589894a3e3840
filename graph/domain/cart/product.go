package cart

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// ProductRef identifies a product or, if it has options, one of its variants.
type ProductRef struct {
	Product xid.ID
	// Variant may be nil, or the product's id, if the product has no options.
	Variant xid.ID
}

// variant returns the variant id under which a cart stores the product.
func (w ProductRef) variant() xid.ID {
	if w.Variant.IsNil() {
		return w.Product
	}
	return w.Variant
}

// item is a product or variant in its present state.
type item struct {
	product *db.Product
	variant *db.Variant
	unit    int64 // what it costs now
}

// productItem reads a product that is added to a cart. It must be published and sold in the currency of
// the store.
func (c *Carts) productItem(ctx context.Context, of ProductRef) (*item, error) {
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	items, _, err := c.items(ctx, s, []ProductRef{of})
	if err != nil {
		return nil, core.Explain("product", err)
	}
	if g := items[of]; g != nil {
		return g, nil
	}
	return nil, fault.Missing("product")
}

// items reads products of the store with at most two statements. found omits those that cannot be
// bought; titles includes them.
func (c *Carts) items(
	ctx context.Context, s *db.Store, refs []ProductRef,
) (found map[ProductRef]*item, titles map[xid.ID]string, err error) {
	if len(refs) == 0 {
		return nil, nil, nil
	}
	ids := core.IDs(refs, func(w ProductRef) *xid.ID { return &w.Product })
	q := c.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	q.Modify(ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	titles = map[xid.ID]string{}
	for _, p := range rows {
		titles[p.ID] = p.Title
	}
	rows = slices.DeleteFunc(rows, func(p *db.Product) bool {
		return p.Status != state.ProductActive || p.Currency != s.Currency
	})
	only := core.Map(refs, ProductRef.variant)
	if err := variants.LoadOnly(ctx, c.Client(ctx), only, rows...); err != nil {
		return nil, nil, err
	}
	now := micros.Now()
	found = map[ProductRef]*item{}
	for _, w := range refs {
		for _, p := range rows {
			if p.ID != w.Product {
				continue
			}
			for _, v := range variants.Of(p) {
				if v.ID == w.variant() {
					found[w] = &item{p, v, variants.PriceAt(v, now).PriceMinor}
				}
			}
		}
	}
	return found, titles, nil
}
