package catalog

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/goods"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Products lists the store's products: newest first, or with UpdatedFrom the
// oldest change first.
func (q Query) Products(
	ctx context.Context, first *int, after *string, filter *model.ProductFilter,
) (*model.ProductConnection, error) {
	f := model.ProductFilter{}
	if filter != nil {
		f = *filter
	}
	at := func(p *db.Product) page.Position { return core.ByID(p.ID) }
	if f.UpdatedFrom != nil {
		at = func(p *db.Product) page.Position { return core.ByUpdate(p.UpdatedAt, p.ID) }
	}
	return core.Connect(ctx, q.Core, core.List[*db.Product]{
		Name: "products", Filters: productFilters(f), At: at,
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.Product, error) {
			query, index := q.Client(ctx).Product.Query(), ent.Primary
			if f.Status != nil {
				query.Where(product.StatusEQ(*f.Status))
				index = "product_store_id_status_id"
			}
			if f.UpdatedFrom != nil {
				index = "product_store_id_updated_at_id"
			}
			if f.Sku != nil {
				query.Where(product.SkuEQ(*f.Sku))
				index = "product_store_id_sku_id"
			}
			query.Modify(core.Window{After: after, Limit: limit, Index: index, UpdatedFrom: f.UpdatedFrom}.Apply)
			rows, err := query.Load(ctx)
			if err == nil && core.Selects(ctx, "variants") {
				err = goods.Load(ctx, q.Client(ctx), rows...)
			}
			if err != nil {
				return rows, err
			}
			return rows, q.LoadImages(ctx, rows...)
		},
	}, first, after)
}

func productFilters(f model.ProductFilter) (pairs []string) {
	core.Opt(f.Status, func(s state.ProductStatus) { pairs = append(pairs, "status", string(s)) })
	core.Opt(f.Sku, func(s string) { pairs = append(pairs, "sku", s) })
	core.Opt(f.UpdatedFrom, func(t micros.Time) { pairs = append(pairs, "updated_from", t.String()) })
	return pairs
}

// Product returns one product of the viewer's store.
func (q Query) Product(ctx context.Context, id string) (*db.Product, error) {
	uid, err := core.ParseID(xid.Product, id)
	if err != nil {
		return nil, err
	}
	p, err := q.ProductRow(ctx, uid)
	return p, core.Explain("product", err)
}

// ProductPicture returns the picture of a product, and fetches it first if it is not kept.
func (q Query) ProductPicture(ctx context.Context, id string) (*db.Picture, error) {
	p, err := q.Product(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case p.ImageURL == nil:
		return nil, fault.Missing("picture")
	}
	row, err := q.Pictures.Get(ctx, *p.ImageURL)
	return row, core.Explain("picture", err)
}

// ProductRow reads one product of the viewer's store, with its variants and pictures.
func (r *Resolver) ProductRow(ctx context.Context, id xid.ID) (*db.Product, error) {
	c := r.Client(ctx)
	p, err := core.Only(c.Product.Query().Where(product.ID(id)).Load(ctx))
	if err != nil {
		return nil, err
	}
	if err := goods.Load(ctx, c, p); err != nil {
		return nil, err
	}
	return p, r.DrawImages(ctx, p)
}
