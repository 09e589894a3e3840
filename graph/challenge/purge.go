package challenge

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/challenge"
	"github.com/storefront-go/storefront/ent/micros"
)

// purgeBatch keeps a transaction short.
const purgeBatch = 90

// Purge deletes the challenges that are over and returns how many. Nothing depends on
// it but space. It reads the keys first: a DELETE by range would lock what lies
// between them.
func Purge(ctx context.Context, s *ent.Store) (total int, err error) {
	cutoff := micros.Now()
	for n := purgeBatch; n == purgeBatch; total += n {
		err = s.InTx(ctx, func(ctx context.Context) error {
			c := s.DB(ctx).Challenge
			sums, err := c.Query().Where(challenge.ExpiresAtLTE(cutoff)).Order(challenge.ByExpiresAt()).
				Limit(purgeBatch).IDs(ctx)
			n = 0
			if err != nil || len(sums) == 0 {
				return err
			}
			n, err = c.Delete().Where(challenge.IDIn(sums...)).Exec(ctx)
			return err
		})
		if err != nil {
			return total, fmt.Errorf("purge challenges: %w", err)
		}
	}
	return total, nil
}
