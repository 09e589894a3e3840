package idem

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Purge deletes the expired keys of every store and returns their number. It only frees space: an
// expired key already counts as absent.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	old := idempotency.CreatedAtLT(micros.Now().Add(-Retention))
	return k.store.SumStores(ctx, func(ctx context.Context) (int, error) {
		return ent.Purge(ctx, k.store, "idempotency keys", func(ctx context.Context) ([]xid.ID, error) {
			return k.store.DB(ctx).Idempotency.Query().Where(old).Order(idempotency.ByCreatedAt()).
				Limit(ent.PurgeBatch).IDs(ctx)
		}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
			return c.Idempotency.Delete().Where(idempotency.IDIn(ids...), old).Exec(ctx)
		})
	})
}
