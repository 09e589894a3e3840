package ent

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const walkBatch = 200

// EachStore runs f once in every store, as the operator, by id; on several shards concurrently, as
// [Store.EachShard] does. The first error ends the walk of a shard.
func (s *Store) EachStore(ctx context.Context, f func(ctx context.Context) error) error {
	return s.EachShard(ctx, func(ctx context.Context) error { return s.eachStore(ctx, f) })
}

func (s *Store) eachStore(ctx context.Context, f func(ctx context.Context) error) error {
	after, last := xid.Nil, false
	for !last {
		ids, err := s.Seek(ctx).Store.Query().Where(store.IDGT(after)).Order(db.Asc(store.FieldID)).
			Limit(walkBatch).IDs(viewer.Everywhere(ctx))
		if err != nil {
			return fmt.Errorf("walk stores: %w", err)
		}
		for _, id := range ids {
			if err := f(viewer.Operator(ctx, id)); err != nil {
				return err
			}
			after = id
		}
		last = len(ids) < walkBatch
	}
	return nil
}

// SumShards runs f as [Store.EachShard] does and adds up its results, including those with errors.
func (s *Store) SumShards(ctx context.Context, f func(ctx context.Context) (int, error)) (int, error) {
	var total atomic.Int64
	err := s.EachShard(ctx, func(ctx context.Context) error {
		n, err := f(ctx)
		total.Add(int64(n))
		return err
	})
	return int(total.Load()), err
}

// SumStores runs f as [Store.EachStore] does and adds up its results, including those with errors.
func (s *Store) SumStores(ctx context.Context, f func(ctx context.Context) (int, error)) (int, error) {
	return s.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		err = s.eachStore(ctx, func(ctx context.Context) error {
			n, err := f(ctx)
			total += n
			return err
		})
		return total, err
	})
}

// Gather reads lists as [Store.EachShard] does and returns them as one, with the shards in no
// particular order.
func Gather[T any](ctx context.Context, s *Store, read func(ctx context.Context) ([]T, error)) (all []T, err error) {
	var mu sync.Mutex
	err = s.EachShard(ctx, func(ctx context.Context) error {
		part, err := read(ctx)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, part...)
		return err
	})
	return all, err
}

// PurgeBatch bounds the rows that one transaction of [Purge] deletes.
const PurgeBatch = 90

// Purge deletes rows of the shard or the store of ctx, batch by batch, and returns how many. find
// returns the keys of the next rows, at most [PurgeBatch], and drop deletes the rows in a
// transaction. The keys are read first, because a DELETE by range would lock the gaps between them.
// what names the rows in errors.
func Purge[K any](
	ctx context.Context, s *Store, what string, find func(ctx context.Context) ([]K, error),
	drop func(ctx context.Context, c *db.Client, keys []K) (int, error),
) (total int, err error) {
	for full := true; full; {
		var keys []K
		n := 0
		if keys, err = find(ctx); err == nil && len(keys) > 0 {
			err = s.InTx(ctx, func(ctx context.Context) (err error) {
				n, err = drop(ctx, s.DB(ctx), keys)
				return err
			})
		}
		if err != nil {
			return total, fmt.Errorf("purge %s: %w", what, err)
		}
		total, full = total+n, len(keys) == PurgeBatch && n > 0
	}
	return total, nil
}
