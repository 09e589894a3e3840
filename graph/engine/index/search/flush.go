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
	// flushBatches is how many transactions write the words of one kind in a store before other
	// stores get their turn.
	flushBatches = 25
	// flushBatch is how many pending items one transaction processes; a larger batch saves commits.
	flushBatch = 2 * walkBatch
	// sampled is how many rows are read to estimate the age of the oldest.
	sampled = 1000
)

// Flush writes the words of all pending items. It reads only stores that have some, with one seek
// each.
func (k *Keeper) Flush(ctx context.Context) error { return k.store.EachShard(ctx, k.flushDue) }

func (k *Keeper) flushDue(ctx context.Context) (err error) {
	for store := xid.Nil; ; {
		next, failed := k.waiting(ctx, store)
		if failed != nil || next.IsNil() {
			return errors.Join(err, failed)
		}
		for _, kind := range stages {
			if failed := k.flush(viewer.Operator(ctx, next), kind); failed != nil {
				err = errors.Join(err, fmt.Errorf("index %s: %w", tables[kind], failed))
			}
		}
		store = next
	}
}

// waiting returns the next store with pending items, or nil.
func (k *Keeper) waiting(ctx context.Context, after xid.ID) (next xid.ID, err error) {
	err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&next) },
		"SELECT store_id FROM search_pendings WHERE store_id > ? ORDER BY store_id LIMIT 1", after)
	if err != nil {
		return xid.Nil, fmt.Errorf("read stores with pending rows: %w", err)
	}
	return next, nil
}

// flush writes the words of the pending items of a kind in a store.
func (k *Keeper) flush(ctx context.Context, kind Kind) error {
	at := xid.Nil
	for range flushBatches {
		ids, err := pending(ctx, k.store.DB(ctx), kind, func(s *sql.Selector) {
			s.Where(sql.GT(s.C(searchpending.FieldID), at)).OrderBy(s.C(searchpending.FieldID)).Limit(flushBatch)
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		done := 0
		err = k.store.InTx(ctx, func(ctx context.Context) (err error) {
			done, err = k.flushSome(ctx, kind, ids)
			return err
		})
		if err != nil || done == len(ids) && done < flushBatch {
			return err
		}
		at = ids[done-1]
	}
	return nil
}

// flushSome writes the words of the first of the pending items, as many as fit, and returns their number. It
// locks all rows first: earlier changes are seen, and later ones mark the row again after this transaction. If
// none is pending any more, another process was here.
func (k *Keeper) flushSome(ctx context.Context, kind Kind, ids []xid.ID) (done int, err error) {
	list, err := k.reader(ctx).items(ctx, kind, byIDs(ids))
	if err != nil {
		return 0, err
	}
	if some := k.fitting(list); len(some) < len(list) {
		list, ids = some, ids[:slices.Index(ids, some[len(some)-1].id)+1]
	}
	gone := k.store.DB(ctx).SearchPending.Delete().Where(searchpending.Kind(string(kind)), searchpending.IDIn(ids...))
	n, err := gone.Exec(ctx)
	if err != nil || n == 0 {
		return len(ids), err
	}
	return len(ids), k.write(ctx, list)
}

func pending(ctx context.Context, c *db.Client, k Kind, pick selection) (ids []xid.ID, err error) {
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

// Age returns how long the oldest item has been pending, estimated from a sample of 1,000; 0 if
// there is none.
func (k *Keeper) Age(ctx context.Context) (time.Duration, error) {
	oldest, err := ent.Gather(ctx, k.store, func(ctx context.Context) (list []micros.Time, err error) {
		err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error {
			var since stdsql.Null[int64] // of all stores: their ids are greater than nil
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
