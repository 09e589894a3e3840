package catalog

import (
	"context"
	"encoding/json"

	"entgo.io/ent/dialect/sql"

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
	f := core.Deref(filter)
	fields, err := q.fieldConditions(ctx, f)
	if err != nil {
		return nil, err
	}
	asked := search.ParseQuestion(query, f.Tag, fields)
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

// fieldConditions returns the values of custom fields that the products and their variants have to have.
func (q Query) fieldConditions(ctx context.Context, f model.ProductFilter) (map[string]json.RawMessage, error) {
	fields, err := q.CustomFieldConditions(ctx, state.FieldsOfProducts, f.CustomFields, f.UpdatedFrom)
	if err != nil {
		return nil, err
	}
	own, err := q.CustomFieldConditions(ctx, state.FieldsOfVariants, f.VariantCustomFields, f.UpdatedFrom)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for name, value := range own {
		fields[search.OfVariants+name] = value
	}
	return fields, err
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
	return core.Get(ctx, xid.Product, id, q.ProductRow)
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

const (
	productsByChange = "product_store_id_updated_at_id"
	productsBySku    = "product_store_id_sku_id"
	productsByStatus = "product_store_id_status_id"
)

type productList struct {
	model.ProductFilter
	core.Arrangement
}

// lead returns the index of the condition that usually matches the fewest products.
func (l productList) lead() string {
	switch {
	case l.Sku != nil:
		return productsBySku
	case l.Status != nil:
		return productsByStatus
	case l.ByChange():
		return productsByChange
	}
	return ent.Primary
}

// mixed reports whether that index does not serve the whole list.
func (l productList) mixed() bool {
	return l.Sku != nil && l.Status != nil || l.Arrangement.UpdatedFrom != nil && l.lead() != productsByChange
}

func (l productList) at(p *db.Product) page.Position {
	if l.ByChange() {
		return core.ByUpdate(p.UpdatedAt, p.ID)
	}
	return core.ByID(p.ID)
}

// readProducts reads one page. With several conditions, it reads all products of the leading
// condition if these are few, and otherwise scans a window; stopped is then where the page ended.
func (q Query) readProducts(
	ctx context.Context, f model.ProductFilter, a core.Arrangement, after *page.Position, limit int,
) ([]*db.Product, *page.Position, error) {
	l := productList{f, a}
	w := a.Window(after, limit, l.lead())
	read := func(to *page.Position) ([]*db.Product, error) {
		query := q.Client(ctx).Product.Query()
		l.where(query)
		query.Modify(w.Apply, w.To(to))
		return query.Load(ctx)
	}
	if !l.mixed() {
		rows, err := read(nil)
		return rows, nil, err
	}
	n := core.ScanLimit(limit)
	if l.Arrangement.UpdatedFrom != nil {
		n = core.ProbedScanLimit(limit)
		few, err := q.fewProducts(ctx, l, n)
		if err != nil {
			return nil, nil, err
		}
		if few {
			rows, err := read(nil)
			return rows, nil, err
		}
		w.Index = productsByChange
	}
	return core.Sift(limit, n, func(n int) (*page.Position, error) { return q.productFloor(ctx, l, w, n) }, read)
}

func (l productList) where(query *db.ProductQuery) {
	core.Opt(l.Status, func(s state.ProductStatus) { query.Where(product.StatusEQ(s)) })
	core.Opt(l.Sku, func(s string) { query.Where(product.SkuEQ(s)) })
}

// leading returns the list with only the condition that its index serves.
func (l productList) leading() productList {
	if l.Sku != nil {
		l.Status = nil
	}
	return l
}

func (q Query) fewProducts(ctx context.Context, l productList, n int) (bool, error) {
	query := q.Client(ctx).Product.Query()
	l.leading().where(query)
	query.Modify(core.Window{Limit: n + 1, Index: l.lead()}.Apply)
	ids, err := query.IDs(ctx)
	return len(ids) <= n, err
}

// productFloor returns the position of the n-th of the next rows of the window, selected only by
// what its index serves; nil if fewer are left.
func (q Query) productFloor(ctx context.Context, l productList, w core.Window, n int) (*page.Position, error) {
	query := q.Client(ctx).Product.Query()
	if w.Index != productsByChange {
		l.leading().where(query)
	}
	var rows []struct {
		ID      xid.ID      `sql:"id"`
		Updated micros.Time `sql:"updated_at"`
	}
	w.Limit = n
	err := query.Modify(w.Apply, func(s *sql.Selector) {
		s.Select(s.C(product.FieldID), s.C(product.FieldUpdatedAt))
	}).Scan(ctx, &rows)
	if err != nil || len(rows) < n {
		return nil, err
	}
	last := rows[n-1]
	return new(l.at(&db.Product{ID: last.ID, UpdatedAt: last.Updated})), nil
}

// ProductCounts counts the products of each status.
func (q Query) ProductCounts(ctx context.Context) (*model.ProductCounts, error) {
	counts, err := q.Counts(ctx, "products", "status", productsByStatus, string(state.ProductDraft),
		string(state.ProductActive), string(state.ProductArchived))
	if err != nil {
		return nil, core.Explain("products", err)
	}
	return &model.ProductCounts{Draft: counts[0], Active: counts[1], Archived: counts[2]}, nil
}

// FoundFields resolves the products of a search over all kinds.
type FoundFields struct{ *Resolver }

// Products returns the newest matches.
func (f FoundFields) Products(ctx context.Context, s *model.SearchResult) ([]*db.Product, error) {
	rows, _, err := f.foundProducts(ctx, model.ProductFilter{}, search.Parse(s.Query), nil, s.First)
	if err == nil {
		err = f.complete(ctx, rows)
	}
	if err == nil && rows == nil {
		rows = []*db.Product{} // null is for viewers who may not read products
	}
	return rows, core.Explain("products", err)
}
