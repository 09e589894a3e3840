package catalog

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	productsByChange = "product_store_id_updated_at_id"
	productsBySku    = "product_store_id_sku_id"
	productsByStatus = "product_store_id_status_id"
)

// productList is a list of products without a search.
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

// at returns the position of a product in the list.
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

// where adds the filter conditions of a list.
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

// fewProducts reports whether the leading condition matches at most n products.
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
