package search

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchpending"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// settled is how many transactions write the words of one kind in a store, before other
	// stores have their turn.
	settled = 25
	// together is of how many pending things one transaction writes the words: each has its commit.
	together = 2 * walked
	// sampled is by how many rows the age of the oldest is told.
	sampled = 1000
)

// Settle writes the words of all that is pending. It looks only at stores that have something,
// with one seek each.
func (k *Keeper) Settle(ctx context.Context) error { return k.store.EachShard(ctx, k.settleDue) }

// settleDue is [Keeper.Settle] on one shard.
func (k *Keeper) settleDue(ctx context.Context) (err error) {
	for store := xid.Nil; ; {
		next, failed := k.waiting(ctx, store)
		if failed != nil || next.IsNil() {
			return errors.Join(err, failed)
		}
		for _, kind := range stages {
			if failed := k.settle(viewer.Operator(ctx, next), kind); failed != nil {
				err = errors.Join(err, fmt.Errorf("make %s findable: %w", tables[kind], failed))
			}
		}
		store = next
	}
}

// waiting is the next store behind one that has something pending; nil for none.
func (k *Keeper) waiting(ctx context.Context, after xid.ID) (next xid.ID, err error) {
	err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&next) },
		"SELECT store_id FROM search_pendings WHERE store_id > ? ORDER BY store_id LIMIT 1", after)
	if err != nil {
		return xid.Nil, fmt.Errorf("read stores to make findable: %w", err)
	}
	return next, nil
}

// settle writes the words of what is pending of a kind in a store.
func (k *Keeper) settle(ctx context.Context, kind Kind) error {
	at := xid.Nil
	for range settled {
		ids, err := pending(ctx, k.store.DB(ctx), kind, func(s *sql.Selector) {
			s.Where(sql.GT(s.C(searchpending.FieldID), at)).OrderBy(s.C(searchpending.FieldID)).Limit(together)
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := k.store.InTx(ctx, func(ctx context.Context) error { return k.some(ctx, kind, ids) }); err != nil {
			return err
		}
		if at = ids[len(ids)-1]; len(ids) < together {
			return nil
		}
	}
	return nil
}

// some writes the words of things that were pending. Their rows are locked first: whoever changed
// one before that is seen, and whoever does so later marks it again behind the end of this
// transaction. Where nothing is pending any more, another process was here.
func (k *Keeper) some(ctx context.Context, kind Kind, ids []xid.ID) error {
	list, err := k.reader(ctx).things(ctx, kind, these(ids))
	if err != nil {
		return err
	}
	gone := k.store.DB(ctx).SearchPending.Delete().Where(searchpending.Kind(string(kind)), searchpending.IDIn(ids...))
	n, err := gone.Exec(ctx)
	if err != nil || n == 0 {
		return err
	}
	return k.write(ctx, list)
}

// pending reads the ids of what is pending of a kind.
func pending(ctx context.Context, c *db.Client, k Kind, pick picked) (ids []xid.ID, err error) {
	query := c.SearchPending.Query().Where(searchpending.Kind(string(k)))
	query.Modify(ent.ForceIndex(ent.Primary), pick)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is pending: %w", err)
	}
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids, nil
}

// Age is how long the oldest row has been pending, by a sample of 1,000; 0 for none.
func (k *Keeper) Age(ctx context.Context) (time.Duration, error) {
	oldest, err := ent.Gather(ctx, k.store, func(ctx context.Context) (list []micros.Time, err error) {
		err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error {
			var since stdsql.Null[int64] // of all stores, whose ids are behind nil
			err := rows.Scan(&since)
			if since.Valid {
				list = append(list, micros.Time(since.V))
			}
			return err
		}, fmt.Sprintf("SELECT MIN(since) FROM (SELECT since FROM search_pendings WHERE store_id > ? LIMIT %d) p",
			sampled), xid.Nil)
		return list, err
	})
	if err != nil || len(oldest) == 0 {
		return 0, err
	}
	return max(0, micros.Now().Sub(slices.Min(oldest))), nil
}
