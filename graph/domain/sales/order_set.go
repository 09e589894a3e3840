package sales

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/linewalk"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/page"
)

const (
	// setBatch is how many orders one transaction of [Resolver.FillLines] reads.
	setBatch = 50
	// setRest is how old a change has to be: a transaction with an earlier time may still commit.
	setRest = 10 * time.Minute
)

// FillLines copies the lines into order rows that lack them because a release wrote them that does
// not know that column, and returns how many rows it filled. It walks the orders by change, so that
// each is read once, and resumes where the last round of any process ended.
func (r *Resolver) FillLines(ctx context.Context) (int, error) {
	return r.Store.SumStores(ctx, func(ctx context.Context) (total int, err error) {
		for more := true; more; {
			var n int
			err := r.Commit(ctx, xid.Order, func(ctx context.Context) (_ *change.Record, err error) {
				n, more, err = r.fillSome(ctx, micros.Now().Add(-setRest))
				return nil, err // orders look the same as before
			})
			if err != nil {
				return total, fmt.Errorf("fill in the lines of orders: %w", err)
			}
			total += n
		}
		return total, nil
	})
}

// fillSome handles the next orders of a store that changed before a time. A lock on the walk's row
// lets one process do so at a time.
func (r *Resolver) fillSome(ctx context.Context, until micros.Time) (filled int, more bool, err error) {
	store := viewer.From(ctx).Store
	query := r.Client(ctx).LineWalk.Query().Where(linewalk.ID(store))
	query.Modify(ent.ForUpdate)
	walks, err := query.Load(ctx)
	if err != nil {
		return 0, false, err
	}
	if len(walks) == 0 { // of two processes, the second one waits and then finds the row
		return 0, true, r.Client(ctx).LineWalk.Create().SetID(store).SetChanged(0).SetBehind(xid.Nil).Exec(ctx)
	}
	orders, err := r.changedOrders(ctx, core.ByUpdate(walks[0].Changed, walks[0].Behind), until)
	if err != nil || len(orders) == 0 {
		return 0, false, err
	}
	if filled, err = r.fillLines(ctx, orders); err != nil {
		return 0, false, err
	}
	last := orders[len(orders)-1]
	return filled, len(orders) == setBatch, r.Client(ctx).LineWalk.Update().Where(linewalk.ID(store)).
		SetChanged(last.UpdatedAt).SetBehind(last.ID).Exec(ctx)
}

// changedOrders reads the next orders after a position, oldest change first.
func (r *Resolver) changedOrders(ctx context.Context, after page.Position, until micros.Time) ([]*db.Order, error) {
	query := r.Client(ctx).Order.Query().Where(order.UpdatedAtLT(until))
	query.Modify(core.Window{After: &after, Limit: setBatch, Index: ordersByChange, UpdatedFrom: &after.Time}.Apply)
	return query.Load(ctx)
}

// fillLines writes the lines into the given order rows that lack them. It leaves out an order that
// changes concurrently: that change comes later in the walk.
func (r *Resolver) fillLines(ctx context.Context, orders []*db.Order) (filled int, err error) {
	rest := lineset.Lacking(orders)
	if len(rest) == 0 {
		return 0, nil
	}
	rows, err := r.ownLines(ctx, rest)
	if err != nil {
		return 0, err
	}
	of := map[xid.ID][]*db.OrderLine{}
	for _, l := range rows {
		of[l.OrderID] = append(of[l.OrderID], l)
	}
	for _, o := range orders {
		set := lineset.Pack(o.ID, of[o.ID])
		if set == nil {
			continue
		}
		n, err := r.Client(ctx).Order.Update().Where(order.ID(o.ID), order.Version(o.Version)).
			SetLineSet(set).SetLineSetVersion(o.Version).Save(ctx)
		if err != nil {
			return 0, err
		}
		filled += n
	}
	return filled, nil
}
