package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// lowWindow is how many active products are scanned for low stock, because every sale would
	// have to write an index on the stock. lowOptions is for how many of them variants are read.
	lowWindow  = 1000
	lowOptions = 200
	lowShown   = 5
)

type stocked struct {
	ID       xid.ID `sql:"id"`
	Title    string `sql:"title"`
	Quantity *int64 `sql:"inventory_quantity"`
	Options  bool   `sql:"many"`
}

// LowStock returns the products and variants of the viewer's store with at most atMost units left.
func (q Query) LowStock(ctx context.Context, atMost int64) (*model.LowStock, error) {
	c := &core.Check{}
	c.Within("at_most", atMost, 0, limit.Quantity)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	rows, err := q.stocked(ctx)
	if err != nil {
		return nil, core.Explain("products", err)
	}
	low := &model.LowStock{Items: &model.BoundedCount{More: len(rows) > lowWindow}}
	many := map[xid.ID]string{}
	for _, p := range rows[:min(len(rows), lowWindow)] {
		switch {
		case p.Options && len(many) < lowOptions:
			many[p.ID] = p.Title
		case p.Options:
			low.Items.More = true
		case p.Quantity != nil && *p.Quantity <= atMost:
			low.Fewest = append(low.Fewest, &model.LowStockItem{ProductID: xid.Product.Format(p.ID), Title: p.Title,
				InventoryQuantity: *p.Quantity})
		}
	}
	if err := q.lowVariants(ctx, low, many, atMost); err != nil {
		return nil, core.Explain("products", err)
	}
	low.Items.Count = len(low.Fewest)
	slices.SortStableFunc(low.Fewest, func(a, b *model.LowStockItem) int {
		return cmp.Compare(a.InventoryQuantity, b.InventoryQuantity)
	})
	low.Fewest = low.Fewest[:min(len(low.Fewest), lowShown)]
	return low, nil
}

// stocked reads the newest active products.
func (q Query) stocked(ctx context.Context) (rows []stocked, err error) {
	query := q.Client(ctx).Product.Query().Where(product.StatusEQ(state.ProductActive))
	err = query.Modify(ent.ForceIndex("product_store_id_status_id"), func(s *sql.Selector) {
		s.Select(s.C(product.FieldID), s.C(product.FieldTitle), s.C(product.FieldInventoryQuantity)).
			AppendSelectExpr(sql.Expr(s.C(product.FieldOptions) + " IS NOT NULL AS many")).
			OrderBy(sql.Desc(s.C(product.FieldID))).Limit(lowWindow + 1)
	}).Scan(ctx, &rows)
	return rows, err
}

func (q Query) lowVariants(ctx context.Context, low *model.LowStock, of map[xid.ID]string, atMost int64) error {
	if len(of) == 0 {
		return nil
	}
	ids := slices.Collect(maps.Keys(of))
	var rows []struct {
		Product  xid.ID `sql:"product_id"`
		Title    string `sql:"title"`
		Quantity int64  `sql:"inventory_quantity"`
	}
	query := q.Client(ctx).Variant.Query().Where(variant.ProductIDIn(ids...), variant.InventoryQuantityLTE(atMost))
	err := query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) {
		s.Select(s.C(variant.FieldProductID), s.C(variant.FieldTitle), s.C(variant.FieldInventoryQuantity)).
			OrderBy(sql.Desc(s.C(variant.FieldProductID)), s.C(variant.FieldPosition)).Limit(lowWindow + 1)
	}).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	low.Items.More = low.Items.More || len(rows) > lowWindow
	for _, row := range rows[:min(len(rows), lowWindow)] {
		low.Fewest = append(low.Fewest, &model.LowStockItem{ProductID: xid.Product.Format(row.Product),
			Title: of[row.Product], VariantTitle: &row.Title, InventoryQuantity: row.Quantity})
	}
	return nil
}
