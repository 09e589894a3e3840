package variants

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/stocklevel"
	"github.com/storefront-go/storefront/ent/xid"
)

// LoadLevels loads the stock of the variants of products at other locations than the default, in one
// statement, or none if there is no such stock. The variants have to be loaded before. lock is
// [ent.ForUpdate] for a change of the levels, or [ent.NoLock].
func LoadLevels(ctx context.Context, c *db.Client, lock func(*sql.Selector), products ...*db.Product) error {
	at := map[xid.ID]*[]*db.StockLevel{}
	var ids []xid.ID
	for _, p := range products {
		p.Levels = nil
		if !p.Located {
			continue
		}
		ids = append(ids, p.ID)
		if p.Options == nil {
			at[p.ID] = &p.Levels
		}
		for _, v := range p.Variants {
			v.Levels = nil
			at[v.ID] = &v.Levels
		}
	}
	if len(ids) == 0 {
		return nil
	}
	q := c.StockLevel.Query().Where(stocklevel.ProductIDIn(ids...))
	q.Modify(lock, ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	if err != nil {
		return fmt.Errorf("read stock by location: %w", err)
	}
	for _, l := range rows {
		if of := at[l.VariantID]; of != nil {
			*of = append(*of, l)
		}
	}
	return nil
}

// Elsewhere returns the units of a variant at other locations than the default that sell online. Its
// levels have to be loaded before.
func Elsewhere(v *db.Variant) (sum int64) {
	for _, l := range v.Levels {
		if l.SellsOnline {
			sum += l.Quantity
		}
	}
	return sum
}

// AtDefault returns the stock of a variant at the default location; nil is not tracked.
func AtDefault(v *db.Variant) *int64 {
	if v.InventoryQuantity == nil {
		return nil
	}
	return new(*v.InventoryQuantity - Elsewhere(v))
}

// Place is the stock of a variant at one location.
type Place struct {
	Location xid.ID
	Quantity int64
}

// Places returns the stock of a variant by location, the default location first. It returns none if the
// stock is not tracked.
func Places(v *db.Variant) []Place {
	left := AtDefault(v)
	if left == nil {
		return []Place{}
	}
	list := []Place{{v.StoreID, *left}}
	for _, l := range v.Levels {
		list = append(list, Place{l.ID, l.Quantity})
	}
	return list
}
