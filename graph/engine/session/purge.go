package session

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/challenge"
	"github.com/storefront-go/storefront/ent/micros"
)

// challengeBatch is the number of rows per transaction.
const challengeBatch = 90

// PurgeChallenges deletes expired challenges and returns how many. It only frees space. It reads
// the keys first, because a DELETE by range would lock the gaps between them.
func PurgeChallenges(ctx context.Context, s *ent.Store) (total int, err error) {
	cutoff := micros.Now()
	return s.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for n := challengeBatch; n == challengeBatch; total += n {
			if n, err = purgeChallenges(ctx, s, cutoff); err != nil {
				return total, fmt.Errorf("purge challenges: %w", err)
			}
		}
		return total, nil
	})
}

// purgeChallenges deletes one batch of a shard.
func purgeChallenges(ctx context.Context, s *ent.Store, cutoff micros.Time) (n int, err error) {
	sums, err := s.Seek(ctx).Challenge.Query().Where(challenge.ExpiresAtLTE(cutoff)).Order(challenge.ByExpiresAt()).
		Limit(challengeBatch).IDs(ctx)
	if err != nil || len(sums) == 0 {
		return 0, err
	}
	err = s.InTx(ctx, func(ctx context.Context) error {
		n, err = s.DB(ctx).Challenge.Delete().Where(challenge.IDIn(sums...)).Exec(ctx)
		return err
	})
	return n, err
}
