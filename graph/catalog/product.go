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
	"github.com/storefront-go/storefront/graph/search"
)

// Products lists the store's products: newest first, or with UpdatedFrom the
// oldest change first, or those that a query finds.
func (q Query) Products(ctx context.Context, first *int, after *string, filter *model.ProductFilter, query *string,
	sort *state.ListSort,
) (*model.ProductConnection, error) {
	f := model.ProductFilter{}
	if filter != nil {
		f = *filter
	}
	a, err := core.Arrange(query, sort, f.UpdatedFrom, f.Status != nil || f.Sku != nil)
	if err != nil {
		return nil, err
	}
	at := func(p *db.Product) page.Position { return core.ByID(p.ID) }
	if a.ByChange() {
		at = func(p *db.Product) page.Position { return core.ByUpdate(p.UpdatedAt, p.ID) }
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*db.Product]{
		Name: "products", Filters: a.Pairs(productFilters(f)), At: at,
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.Product, err error) {
			if a.Asked != nil {
				rows, stopped, err = q.foundProducts(ctx, f, *a.Asked, after, limit)
			} else {
				rows, err = q.readProducts(ctx, f, a, after, limit)
			}
			if err != nil {
				return nil, err
			}
			return rows, q.complete(ctx, rows)
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&db.Product{ID: stopped.ID})
	}
	return c, err
}

// readProducts reads one page.
func (q Query) readProducts(
	ctx context.Context, f model.ProductFilter, a core.Arranged, after *page.Position, limit int,
) ([]*db.Product, error) {
	query, index := q.Client(ctx).Product.Query(), productIndex(f)
	if a.ByChange() && f.Sku == nil {
		index = "product_store_id_updated_at_id"
	}
	core.Opt(f.Status, func(s state.ProductStatus) { query.Where(product.StatusEQ(s)) })
	core.Opt(f.Sku, func(s string) { query.Where(product.SkuEQ(s)) })
	query.Modify(a.Window(after, limit, index).Apply)
	return query.Load(ctx)
}

// productIndex is the index that serves a filter.
func productIndex(f model.ProductFilter) string {
	switch {
	case f.Sku != nil:
		return "product_store_id_sku_id"
	case f.Status != nil:
		return productsByStatus
	}
	return ent.Primary
}

const productsByStatus = "product_store_id_status_id"

// foundProducts reads one page of those that a query finds. stopped is where the search ended
// at its bound.
func (r *Resolver) foundProducts(ctx context.Context, f model.ProductFilter, asked search.Question,
	after *page.Position, limit int,
) (rows []*db.Product, stopped *page.Position, err error) {
	found := search.Query{Kind: search.Products, Question: asked, Index: productIndex(f)}
	add := func(text string, arg any) {
		found.Conditions = append(found.Conditions, search.Condition{Text: text, Arg: arg})
	}
	core.Opt(f.Status, func(s state.ProductStatus) { add("o.status = ?", string(s)) })
	core.Opt(f.Sku, func(s string) { add("o.sku = ?", s) })
	ids, stopped, err := r.Find(ctx, found, after, limit)
	if err != nil || len(ids) == 0 {
		return nil, stopped, err
	}
	query := r.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	query.Modify(core.Window{Limit: len(ids), Index: ent.Primary}.Apply)
	rows, err = query.Load(ctx)
	return rows, stopped, err
}

// complete reads the variants of products where they are asked for, and their pictures.
func (r *Resolver) complete(ctx context.Context, rows []*db.Product) error {
	if core.Selects(ctx, "variants") {
		if err := goods.Load(ctx, r.Client(ctx), rows...); err != nil {
			return err
		}
	}
	return r.LoadImages(ctx, rows...)
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
