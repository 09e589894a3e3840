package stock

import (
	"context"
	"slices"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
)

const levelBatch = 200

// PutLevels writes the stock of variants at locations other than the default one. The rows of the products
// are locked, and say that there are such rows.
func (k Keeper) PutLevels(ctx context.Context, list []*db.StockLevel) error {
	tail := " ON CONFLICT (store_id, product_id, variant_id, id) DO UPDATE SET quantity = excluded.quantity"
	if k.Store.Dialect() == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE quantity = VALUES(quantity)"
	}
	seen := map[*db.StockLevel]bool{}
	list = slices.DeleteFunc(slices.Clone(list), func(l *db.StockLevel) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
	for len(list) > 0 {
		some := list[:min(levelBatch, len(list))]
		list = list[len(some):]
		args := make([]any, 0, 6*len(some))
		for _, l := range some {
			args = append(args, l.StoreID, l.ProductID, l.VariantID, l.ID, l.Quantity, l.SellsOnline)
		}
		_, err := k.Store.DB(ctx).ExecContext(ctx, "INSERT INTO stock_levels (store_id, product_id, variant_id, id, "+
			"quantity, sells_online) VALUES (?, ?, ?, ?, ?, ?)"+strings.Repeat(", (?, ?, ?, ?, ?, ?)", len(some)-1)+
			tail, args...)
		if err != nil {
			return fault.Wrap("write stock at locations", err)
		}
	}
	return nil
}
