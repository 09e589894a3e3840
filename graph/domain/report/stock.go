package report

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// stock adds up the tracked stock of all products, in each currency.
func (t *tally) stock(ctx context.Context) error {
	rows := map[string][]*model.ReportStock{}
	for at, more := product.IDGT(xid.Nil), true; more; {
		query := t.Client(ctx).Product.Query().Where(at)
		query.Modify(ent.ForceIndex(ent.Primary), batch)
		list, err := query.Load(ctx)
		if err != nil {
			return fmt.Errorf("read products: %w", err)
		}
		if more = len(list) == tallyBatch; more {
			at = product.IDGT(list[len(list)-1].ID)
		}
		list = slices.DeleteFunc(list, func(p *db.Product) bool { return p.InventoryQuantity == nil })
		stocks, err := t.stockOf(ctx, list)
		if err != nil {
			return err
		}
		for _, row := range stocks {
			rows[row.Currency] = append(rows[row.Currency], row)
		}
		if err := t.next(ctx); err != nil {
			return err
		}
	}
	t.result.Stock = []*model.ReportStock{}
	currencies := slices.Sorted(maps.Keys(rows))
	if at := slices.Index(currencies, t.row.Currency); at > 0 { // the store's is first
		currencies = slices.Insert(slices.Delete(currencies, at, at+1), 0, t.row.Currency)
	}
	for _, currency := range currencies {
		total := &model.ReportStock{Name: "Total", Currency: currency}
		for _, row := range rows[currency] {
			t.sumStock(total, row)
		}
		t.result.StockTotals = append(t.result.StockTotals, total)
		t.result.Stock = append(t.result.Stock, t.largest(rows[currency])...)
	}
	return nil
}

// stockOf returns the stock of some products that have any. With options, their variants have it.
func (t *tally) stockOf(ctx context.Context, list []*db.Product) (rows []*model.ReportStock, err error) {
	own, ids := map[xid.ID]*model.ReportStock{}, make([]xid.ID, len(list))
	for i, p := range list {
		own[p.ID], ids[i] = &model.ReportStock{ID: new(p.PublicID()), Name: p.Title,
			Currency: p.Currency}, p.ID
	}
	of, err := t.Client(ctx).Variant.Query().
		Where(variant.ProductIDIn(ids...), variant.InventoryQuantityGT(0)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read variants: %w", err)
	}
	now := micros.Now()
	for _, v := range of {
		t.addStock(own[v.ProductID], *v.InventoryQuantity, variants.PriceAt(v, now).PriceMinor, v.CostMinor)
	}
	for _, p := range list {
		row := own[p.ID]
		if p.Options == nil {
			t.addStock(row, *p.InventoryQuantity, variants.LowestAt(p, now).PriceMinor, p.CostMinor)
		}
		if row.Quantity > 0 {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// addStock adds units with their price and, if it is known, their cost.
func (t *tally) addStock(row *model.ReportStock, quantity, minor int64, cost *int64) {
	add := &model.ReportStock{Quantity: quantity, ValueMinor: t.worth(quantity, minor)}
	if cost == nil {
		add.UncostedQuantity = quantity
	} else {
		add.CostMinor = t.worth(quantity, *cost)
	}
	t.sumStock(row, add)
}

func (t *tally) worth(quantity, minor int64) int64 {
	value, ok := currency.Mul(quantity, minor)
	t.large = t.large || !ok
	return value
}

// sumStock adds a row to a sum.
func (t *tally) sumStock(to, row *model.ReportStock) {
	to.Quantity += row.Quantity
	to.UncostedQuantity += row.UncostedQuantity
	t.add(&to.ValueMinor, row.ValueMinor)
	t.add(&to.CostMinor, row.CostMinor)
}

// largest returns the rows of most value, which have one currency, and the sum of the others.
func (t *tally) largest(rows []*model.ReportStock) []*model.ReportStock {
	slices.SortFunc(rows, func(a, b *model.ReportStock) int {
		return cmp.Or(cmp.Compare(b.ValueMinor, a.ValueMinor), cmp.Compare(a.Name, b.Name))
	})
	if len(rows) <= maxRows {
		return rows
	}
	other := &model.ReportStock{Name: "Other", Currency: rows[0].Currency}
	for _, row := range rows[maxRows-1:] {
		t.sumStock(other, row)
	}
	return append(rows[:maxRows-1], other)
}

// carts counts the carts of the period, if all of them are still stored.
func (t *tally) carts(ctx context.Context) error {
	if t.first < micros.Now().Add(-countedFor) {
		return nil
	}
	c := &model.Conversion{}
	err := ent.Read(ctx, t.Store.DB(ctx), func(rows *stdsql.Rows) error {
		return rows.Scan(&c.Carts, &c.Checkouts, &c.Orders)
	}, "SELECT COUNT(*), COUNT(COALESCE(reached_at, order_id)), COUNT(order_id) FROM carts"+
		ent.IndexHint(t.Store.Dialect(), "carts", ent.Primary)+" WHERE store_id = ? AND id >= ? AND id < ?",
		t.row.StoreID, xid.First(t.first), xid.First(t.end))
	t.result.Conversion = c
	return err
}
