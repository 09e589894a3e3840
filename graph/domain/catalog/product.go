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
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// Products lists the store's products: newest first, or with UpdatedFrom by their changes, oldest
// first, or the results of a search.
func (q Query) Products(ctx context.Context, first *int, after *string, filter *model.ProductFilter, query *string,
	sort *state.ListSort,
) (*model.ProductConnection, error) {
	f := model.ProductFilter{}
	if filter != nil {
		f = *filter
	}
	asked := search.ParseQuestion(query, f.Tag)
	a, err := core.Arrange(asked.Text(), f.Tag, sort, f.UpdatedFrom, f.Status != nil || f.Sku != nil)
	if err != nil {
		return nil, err
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*db.Product]{
		Name: "products", Filters: a.Pairs(productFilters(f)), At: productList{f, a}.at, Until: a.Until,
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.Product, err error) {
			if asked != nil {
				rows, stopped, err = q.foundProducts(ctx, f, *asked, after, limit)
			} else {
				rows, stopped, err = q.readProducts(ctx, f, a, after, limit)
			}
			if err != nil {
				return nil, err
			}
			return rows, q.complete(ctx, rows)
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&db.Product{ID: stopped.ID, UpdatedAt: stopped.Time})
	}
	return c, err
}

// foundProducts reads one page of search results. stopped is where the search ended at its bound.
func (r *Resolver) foundProducts(ctx context.Context, f model.ProductFilter, asked search.Question,
	after *page.Position, limit int,
) (rows []*db.Product, stopped *page.Position, err error) {
	found := search.Query{Kind: search.Products, Question: asked}
	by := func(index, column string, value any) {
		found.Conditions = append(found.Conditions, search.Condition{Text: "o." + column + " = ?", Arg: value})
		found.Newest = ent.Ranges{Index: index, Columns: []string{column}, Values: [][]any{{value}}}
	}
	core.Opt(f.Status, func(s state.ProductStatus) { by(productsByStatus, product.FieldStatus, string(s)) })
	core.Opt(f.Sku, func(s string) { by(productsBySku, product.FieldSku, s) }) // usually the fewest
	ids, stopped, err := search.Page(ctx, r.Store, found, after, limit)
	if err != nil || len(ids) == 0 {
		return nil, stopped, err
	}
	query := r.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	query.Modify(core.Window{Limit: len(ids), Index: ent.Primary}.Apply)
	rows, err = query.Load(ctx)
	return rows, stopped, err
}

// complete loads the images of products, and the variants if they are selected.
func (r *Resolver) complete(ctx context.Context, rows []*db.Product) error {
	if core.Selects(ctx, "variants") {
		if err := variants.Load(ctx, r.Client(ctx), rows...); err != nil {
			return err
		}
	}
	return r.loadImages(ctx, rows...)
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

// ExternalImage returns the copy of a product's external image, and fetches it first if there is
// none.
func (q Query) ExternalImage(ctx context.Context, id string) (*db.Picture, error) {
	p, err := q.Product(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case p.ImageURL == nil:
		return nil, fault.Missing("image")
	}
	row, err := q.Images.Get(ctx, *p.ImageURL)
	return row, core.Explain("image", err)
}

// ProductRow reads one product of the viewer's store with its variants and images.
func (r *Resolver) ProductRow(ctx context.Context, id xid.ID) (*db.Product, error) {
	c := r.Client(ctx)
	p, err := core.Only(c.Product.Query().Where(product.ID(id)).Load(ctx))
	if err != nil {
		return nil, err
	}
	if err := variants.Load(ctx, c, p); err != nil {
		return nil, err
	}
	return p, r.loadAllImages(ctx, p)
}
