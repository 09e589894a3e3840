package storefront

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// Whole returns active products by id with descriptions, variants and images, in the given order and in
// a constant number of statements. Products that are gone are left out.
func (s Storefront) Whole(ctx context.Context, ids []xid.ID) ([]*Offer, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	c := s.Client(ctx)
	query := c.Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err == nil {
		err = variants.Load(ctx, c, rows...)
	}
	if err != nil {
		return nil, core.Explain("products", err)
	}
	pictured := core.IDs(rows, func(p *db.Product) *xid.ID {
		if p.ImagesCount == 0 {
			return nil
		}
		return &p.ID
	})
	var shown map[xid.ID][]*db.ProductImage
	if len(pictured) > 0 {
		if shown, err = images.Rows(ctx, c, pictured); err != nil {
			return nil, core.Explain("products", err)
		}
	}
	list := make([]*Offer, len(rows))
	for i, p := range rows {
		if list[i], err = offerOf(p); err != nil {
			return nil, err
		}
		list[i].show(shown[p.ID])
		if err := list[i].complete(p); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b *Offer) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return list, nil
}
