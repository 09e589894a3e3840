package session

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/challenge"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

// Purge deletes the sessions that have reached the end of [Life] and returns how many. It only
// frees space. Sessions past [Idle] are deleted at the same age, because no index leads to them.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	cutoff := micros.Now()
	return k.store.SumShards(ctx, func(ctx context.Context) (int, error) {
		return ent.Purge(ctx, k.store, "sessions", func(ctx context.Context) ([]digest.Sum, error) {
			return k.store.Seek(ctx).Session.Query().Where(session.ExpiresAtLTE(cutoff)).Order(session.ByExpiresAt()).
				Limit(ent.PurgeBatch).IDs(ctx)
		}, func(ctx context.Context, c *db.Client, sums []digest.Sum) (int, error) {
			return c.Session.Delete().Where(session.IDIn(sums...)).Exec(ctx)
		})
	})
}

// PurgeChallenges deletes expired challenges and returns how many. It only frees space.
func PurgeChallenges(ctx context.Context, s *ent.Store) (int, error) {
	cutoff := micros.Now()
	return s.SumShards(ctx, func(ctx context.Context) (int, error) {
		return ent.Purge(ctx, s, "challenges", func(ctx context.Context) ([]digest.Sum, error) {
			return s.Seek(ctx).Challenge.Query().Where(challenge.ExpiresAtLTE(cutoff)).Order(challenge.ByExpiresAt()).
				Limit(ent.PurgeBatch).IDs(ctx)
		}, func(ctx context.Context, c *db.Client, sums []digest.Sum) (int, error) {
			return c.Challenge.Delete().Where(challenge.IDIn(sums...)).Exec(ctx)
		})
	})
}
