package idem

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
)

// purgeBatch keeps a transaction short.
const purgeBatch = 90

// Purge deletes the expired keys of every store and returns how many. Nothing
// depends on it but space: an expired key counts as absent already.
func (k *Keeper) Purge(ctx context.Context) (total int, err error) {
	stores, err := k.store.DB(ctx).Store.Query().IDs(viewer.Everywhere(ctx))
	if err != nil {
		return 0, fmt.Errorf("purge idempotency keys: %w", err)
	}
	cutoff := micros.Now().Add(-Retention)
	for _, id := range stores {
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = k.purge(viewer.Operator(ctx, id), cutoff); err != nil {
				return total, fmt.Errorf("purge idempotency keys: %w", err)
			}
		}
	}
	return total, nil
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
