package rollup

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/salesinterval"
	"github.com/storefront-go/storefront/ent/db/salespending"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// readBatch pending intervals are read at once; one transaction sums up sumBatch of them.
	readBatch, sumBatch = 500, 96
	// grace is how long after an interval's end orders may still be added to it.
	grace = time.Minute
)

// Keeper sums up the intervals of all stores. Any number of processes may do so at once; if one is
// killed, the next round does the rest.
type Keeper struct{ store *ent.Store }

// NewKeeper returns a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s} }

// Round marks the older orders of stores, and sums up all pending intervals that have ended.
func (k *Keeper) Round(ctx context.Context) error {
	return k.store.EachShard(ctx, func(ctx context.Context) error {
		return errors.Join(k.walk(ctx), k.settle(ctx))
	})
}

type row struct{ store, id, token xid.ID }

func (k *Keeper) settle(ctx context.Context) error {
	var failed error
	var last row
	before := xid.First(beginOf(micros.Now().Add(-grace)))
	for ctx.Err() == nil {
		list, err := k.due(ctx, last, before)
		if err != nil {
			return errors.Join(failed, fmt.Errorf("read pending intervals: %w", err))
		}
		for from, to := 0, 0; from < len(list); from = to {
			store := list[from].store
			for to < len(list) && to-from < sumBatch && list[to].store == store {
				to++
			}
			if err := k.sum(viewer.Operator(ctx, store), list[from:to]); err != nil {
				failed = errors.Join(failed, fmt.Errorf("sum up %s: %w", xid.Store.Format(store), err))
			}
		}
		if len(list) < readBatch {
			break
		}
		last = list[len(list)-1]
	}
	return errors.Join(failed, ctx.Err())
}

func (k *Keeper) due(ctx context.Context, after row, before xid.ID) (list []row, err error) {
	err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error {
		var r row
		err := rows.Scan(&r.store, &r.id, &r.token)
		list = append(list, r)
		return err
	}, fmt.Sprintf("SELECT store_id, id, token FROM sales_pendings WHERE (store_id > ? OR store_id = ? AND id > ?) "+
		"AND id < ? ORDER BY store_id, id LIMIT %d", readBatch), after.store, after.store, after.id, before)
	return list, err
}

// sum sums up intervals of the viewer's store. The orders are read after the pending rows, and the
// sums are written only where these rows still have the same token: an event relayed before is
// included in the sums, and one relayed since has changed the token.
func (k *Keeper) sum(ctx context.Context, list []row) error {
	all, err := k.orders(ctx, list)
	if err != nil {
		return err
	}
	return k.store.InTx(ctx, func(ctx context.Context) error { return k.write(ctx, list, all) })
}

func (k *Keeper) orders(ctx context.Context, list []row) ([]Sum, error) {
	parts := make([]part, len(list))
	for i, r := range list {
		begin := r.id.Time()
		parts[i] = part{i, Span{begin, begin + width}, true}
	}
	all, _, err := sums(ctx, k.store, list[0].store, len(list), parts)
	return all, err
}

// write writes the sums of intervals that were not marked since.
func (k *Keeper) write(ctx context.Context, list []row, all []Sum) error {
	ids := make([]xid.ID, len(list))
	for i, r := range list {
		ids[i] = r.id
	}
	client := k.store.DB(ctx)
	query := client.SalesPending.Query().Where(salespending.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary), ent.ForUpdate, func(s *sql.Selector) {
		s.OrderBy(s.C(salespending.FieldID))
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return err
	}
	tokens := map[xid.ID]xid.ID{}
	for _, p := range rows {
		tokens[p.ID] = p.Token
	}
	var free []xid.ID
	var made []*db.SalesIntervalCreate
	for i, r := range list {
		if tokens[r.id] != r.token {
			continue
		}
		free = append(free, r.id)
		if all[i].Orders > 0 {
			made = append(made, client.SalesInterval.Create().SetID(r.id).SetOrders(all[i].Orders).
				SetTotalHigh(all[i].High).SetTotalLow(all[i].Rest))
		}
	}
	if len(free) == 0 {
		return nil
	}
	if _, err := client.SalesPending.Delete().Where(salespending.IDIn(free...)).Exec(ctx); err != nil {
		return err
	}
	if _, err := client.SalesInterval.Delete().Where(salesinterval.IDIn(free...)).Exec(ctx); err != nil {
		return err
	}
	return client.SalesInterval.CreateBulk(made...).Exec(ctx)
}
