package idem

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/micros"
)

// purgeBatch bounds the rows of one transaction.
const purgeBatch = 90

// Purge deletes the expired keys of every store and returns their number. It only frees space: an
// expired key already counts as absent.
func (k *Keeper) Purge(ctx context.Context) (total int, err error) {
	cutoff := micros.Now().Add(-Retention)
	return k.store.SumStores(ctx, func(ctx context.Context) (total int, err error) {
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = k.purge(ctx, cutoff); err != nil {
				return total, fmt.Errorf("purge idempotency keys: %w", err)
			}
		}
		return total, nil
	})
}

// purge deletes one batch of the viewer's store.
func (k *Keeper) purge(ctx context.Context, cutoff micros.Time) (n int, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		client := k.store.DB(ctx).Idempotency
		old := idempotency.CreatedAtLT(cutoff)
		ids, err := client.Query().Where(old).Order(idempotency.ByCreatedAt()).Limit(purgeBatch).IDs(ctx)
		if err != nil || len(ids) == 0 {
			n = 0
			return err
		}
		n, err = client.Delete().Where(idempotency.IDIn(ids...), old).Exec(ctx)
		return err
	})
	return n, err
}
