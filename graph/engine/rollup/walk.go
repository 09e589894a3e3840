package rollup

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/saleswalk"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const walkBatch = 96

// ErrNotFinalized is returned while a previous release may run that relays events without marking
// intervals, so that no sums can be kept yet.
var ErrNotFinalized = errors.New("the previous release may still run: run storefront migrate finalize first")

// Rebuild recomputes all sums, whatever they were, and returns the number of intervals with sums.
// Reports read a store's orders until these are marked. Servers may run meanwhile.
func (k *Keeper) Rebuild(ctx context.Context) (n int, err error) {
	if kept, err := k.allMark(ctx); err != nil || !kept {
		return 0, errors.Join(err, ErrNotFinalized)
	}
	err = k.store.EachStore(ctx, func(ctx context.Context) error {
		return k.store.InTx(ctx, func(ctx context.Context) error {
			return Restart(ctx, k.store, viewer.From(ctx).Store)
		})
	})
	if err == nil {
		err = k.Round(ctx)
	}
	if err != nil {
		return 0, err
	}
	return k.store.SumStores(ctx, func(ctx context.Context) (int, error) {
		return k.store.DB(ctx).SalesInterval.Query().Count(ctx)
	})
}

// allMark reports whether every running release marks the intervals of relayed events.
func (k *Keeper) allMark(ctx context.Context) (kept bool, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		kept = ent.Writes(ctx, ent.SalesRollups)
		return nil
	})
	return kept, err
}

// walk marks the older orders of a shard's stores. A store that fails does not block the others.
func (k *Keeper) walk(ctx context.Context) (failed error) {
	for after := xid.Nil; ; {
		next := xid.Nil
		err := ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&next) },
			"SELECT s.id FROM stores s LEFT JOIN sales_walks w ON w.store_id = s.id AND w.id = s.id WHERE s.id > ? "+
				"AND (w.done IS NULL OR w.done = ?) ORDER BY s.id LIMIT 1", after, false)
		if err != nil || next.IsNil() {
			return errors.Join(failed, err)
		}
		if after.IsNil() {
			if kept, err := k.allMark(ctx); err != nil || !kept {
				return err
			}
		}
		for more := true; more && err == nil; {
			more, err = k.step(viewer.Operator(ctx, next))
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("mark older orders of %s: %w", xid.Store.Format(next), err))
		}
		after = next
	}
}

// step marks the next intervals of the viewer's store, and reports whether there may be more.
func (k *Keeper) step(ctx context.Context) (more bool, err error) {
	rows, err := k.store.DB(ctx).SalesWalk.Query().Load(ctx)
	if err != nil {
		return false, err
	}
	if len(rows) == 0 {
		return true, k.begin(ctx)
	}
	walk := rows[0]
	if walk.Done {
		return false, nil
	}
	list, behind, err := k.next(ctx, walk.Behind)
	if err != nil {
		return false, err
	}
	more = len(list) == walkBatch
	return more, k.store.InTx(ctx, func(ctx context.Context) error {
		n, err := k.store.DB(ctx).SalesWalk.Update().Where(saleswalk.ID(walk.ID), saleswalk.Token(walk.Token)).
			SetBehind(behind).SetToken(xid.New()).SetDone(!more).Save(ctx)
		if err != nil || n == 0 { // another process went on, or the walk restarts
			return err
		}
		return Mark(ctx, k.store, list...)
	})
}

func (k *Keeper) begin(ctx context.Context) error {
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		return k.store.DB(ctx).SalesWalk.Create().SetID(viewer.From(ctx).Store).SetBehind(xid.Nil).SetToken(xid.New()).
			Exec(ctx)
	})
	if ent.IsDuplicate(err) { // another process was faster
		return nil
	}
	return err
}

// next returns the next intervals with orders or sums, and where the following ones begin.
func (k *Keeper) next(ctx context.Context, from xid.ID) (list []Sale, behind xid.ID, err error) {
	store := viewer.From(ctx).Store
	for len(list) < walkBatch {
		first := xid.Nil
		for _, table := range []string{"orders", "sales_intervals"} {
			err := ent.Read(ctx, k.store.DB(ctx), func(rows *stdsql.Rows) error {
				var id xid.ID
				err := rows.Scan(&id)
				if first.IsNil() || id.Compare(first) < 0 {
					first = id
				}
				return err
			}, "SELECT id FROM "+table+ent.IndexHint(k.store.Dialect(), table, ent.Primary)+" WHERE store_id = ? AND id >= ? ORDER BY id LIMIT 1", store, from)
			if err != nil {
				return nil, from, err
			}
		}
		if first.IsNil() {
			return list, from, nil
		}
		list = append(list, Sale{store, first})
		from = xid.First(beginOf(first.Time()) + width)
	}
	return list, from, nil
}
