package cart

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// purgeBatch keeps a round short.
const purgeBatch = 90

// Purge deletes the carts that have not changed for [Life], with their lines, and returns how many.
// This frees space and removes the data of people who did not buy. It reads the keys first, because
// a DELETE by range would lock the gaps between them.
func (c *Carts) Purge(ctx context.Context) (total int, err error) {
	return c.Store.SumShards(ctx, c.purge)
}

// purge is [Carts.Purge] on one shard.
func (c *Carts) purge(ctx context.Context) (total int, err error) {
	cutoff := micros.Now()
	for n := purgeBatch; n == purgeBatch; total += n {
		q := c.Store.Seek(ctx).Cart.Query().Where(dbcart.BucketIn(bucket.All()...), dbcart.ExpiresAtLTE(cutoff))
		q.Modify(func(sel *sql.Selector) { sel.OrderBy(sel.C(dbcart.FieldExpiresAt)).Limit(purgeBatch) })
		rows, err := q.Load(viewer.Everywhere(ctx))
		if err != nil {
			return total, fmt.Errorf("purge carts: %w", err)
		}
		n = len(rows)
		for _, row := range rows {
			if err := c.forget(ctx, row, cutoff); err != nil {
				return total, fmt.Errorf("purge a cart: %w", err)
			}
		}
	}
	return total, nil
}

// forget deletes one cart unless it was changed meanwhile.
func (c *Carts) forget(ctx context.Context, row *db.Cart, cutoff micros.Time) error {
	ctx = viewer.Operator(ctx, row.StoreID)
	return c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		n, err := c.Client(ctx).Cart.Delete().Where(dbcart.ID(row.ID), dbcart.ExpiresAtLTE(cutoff)).Exec(ctx)
		if err != nil || n == 0 {
			return nil, err
		}
		_, err = c.Client(ctx).CartLine.Delete().Where(cartline.CartID(row.ID)).Exec(ctx)
		return nil, err
	})
}
