package search

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/searchwalk"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/goods"
)

const (
	// form is how terms are made. Raise it when that changes, and all are made again.
	form = 1
	// walked is of how many things one transaction writes the words.
	walked = 20
)

// Keeper walks what all stores have, and makes what was there before findable. Any number of
// processes may walk at once, and a walk that was stopped goes on where it was.
type Keeper struct{ store *ent.Store }

// NewKeeper makes a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s} }

// Round walks on to the end in every store.
func (k *Keeper) Round(ctx context.Context) error { return k.store.EachStore(ctx, k.whole) }

// whole walks on to the end of a store.
func (k *Keeper) whole(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		walk, err := k.walk(ctx, ent.NoLock)
		if err != nil || walk != nil && walk.Done && walk.Form >= form {
			return err
		}
		if err := k.store.InTx(ctx, k.step); err != nil {
			return fmt.Errorf("make findable: %w", err)
		}
	}
}

// walk reads how far the store is; nil where it was never begun.
func (k *Keeper) walk(ctx context.Context, lock func(*sql.Selector)) (*db.SearchWalk, error) {
	query := k.store.DB(ctx).SearchWalk.Query().Where(searchwalk.ID(viewer.From(ctx).Store))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// step goes on with the next things of a store. Of several processes one goes on at a time:
// whoever holds the row of the walk.
func (k *Keeper) step(ctx context.Context) error {
	walk, err := k.walk(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return err
	case walk == nil: // of two processes the second waits, and then finds the row
		return k.store.DB(ctx).SearchWalk.Create().SetID(viewer.From(ctx).Store).SetForm(form).SetStage(0).
			SetBehind(xid.Nil).SetUpdatedAt(micros.Now()).Exec(ctx)
	case walk.Form < form:
		return k.move(ctx, 0, xid.Nil, false)
	case walk.Done:
		return nil
	}
	stages := []func(context.Context, xid.ID) (xid.ID, int, error){k.customers, k.products, k.orders}
	behind, n, err := stages[walk.Stage](ctx, walk.Behind)
	switch {
	case err != nil:
		return err
	case n == walked:
		return k.move(ctx, walk.Stage, behind, false)
	case walk.Stage+1 < len(stages):
		return k.move(ctx, walk.Stage+1, xid.Nil, false)
	}
	return k.move(ctx, walk.Stage, behind, true)
}

// move notes how far the walk is.
func (k *Keeper) move(ctx context.Context, stage int, behind xid.ID, done bool) error {
	return k.store.DB(ctx).SearchWalk.Update().Where(searchwalk.ID(viewer.From(ctx).Store)).SetForm(form).
		SetStage(stage).SetBehind(behind).SetDone(done).SetUpdatedAt(micros.Now()).Exec(ctx)
}

// locked reads the next rows of a table by key, and locks them before anything else is read:
// whoever changes one meanwhile waits, and then writes its words anew.
func locked(s *sql.Selector) {
	ent.ForceIndex(ent.Primary)(s)
	ent.ForUpdate(s)
	s.OrderBy(s.C("id")).Limit(walked)
}

func (k *Keeper) index(ctx context.Context) Index { return Index{k.store.DB(ctx), k.store.Dialect()} }

func (k *Keeper) customers(ctx context.Context, behind xid.ID) (xid.ID, int, error) {
	query := k.store.DB(ctx).Customer.Query().Where(customer.IDGT(behind))
	query.Modify(locked)
	rows, err := query.Load(ctx)
	if err != nil {
		return behind, 0, fmt.Errorf("read customers: %w", err)
	}
	for _, c := range rows {
		if err := k.index(ctx).Customer(ctx, c, false); err != nil {
			return behind, 0, err
		}
		behind = c.ID
	}
	return behind, len(rows), nil
}

func (k *Keeper) products(ctx context.Context, behind xid.ID) (xid.ID, int, error) {
	c := k.store.DB(ctx)
	query := c.Product.Query().Where(product.IDGT(behind))
	query.Modify(locked)
	rows, err := query.Load(ctx)
	if err == nil {
		err = goods.Load(ctx, c, rows...)
	}
	if err != nil {
		return behind, 0, fmt.Errorf("read products: %w", err)
	}
	for _, p := range rows {
		if err := k.index(ctx).Product(ctx, p, false); err != nil {
			return behind, 0, err
		}
		behind = p.ID
	}
	return behind, len(rows), nil
}

func (k *Keeper) orders(ctx context.Context, behind xid.ID) (xid.ID, int, error) {
	query := k.store.DB(ctx).Order.Query().Where(order.IDGT(behind))
	query.Modify(locked)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return behind, 0, err
	}
	lines, buyers, err := k.parts(ctx, rows)
	if err != nil {
		return behind, 0, err
	}
	for _, o := range rows {
		var buyer *db.Customer
		if o.CustomerID != nil {
			buyer = buyers[*o.CustomerID]
		}
		if err := k.index(ctx).Order(ctx, o, lines[o.ID], buyer, false); err != nil {
			return behind, 0, err
		}
		behind = o.ID
	}
	return behind, len(rows), nil
}

// parts reads the lines of orders and locks their customers, so that one who is redacted
// meanwhile is forgotten after their names were written.
func (k *Keeper) parts(ctx context.Context, rows []*db.Order) (
	lines map[xid.ID][]*db.OrderLine, buyers map[xid.ID]*db.Customer, err error,
) {
	var ids, people []xid.ID
	for _, o := range rows {
		ids = append(ids, o.ID)
		if o.CustomerID != nil {
			people = append(people, *o.CustomerID)
		}
	}
	buyers, lines = map[xid.ID]*db.Customer{}, map[xid.ID][]*db.OrderLine{}
	if len(people) > 0 {
		query := k.store.DB(ctx).Customer.Query().Where(customer.IDIn(people...))
		query.Modify(ent.ForceIndex(ent.Primary), ent.ForUpdate)
		found, err := query.Load(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("read the customers of orders: %w", err)
		}
		for _, c := range found {
			buyers[c.ID] = c
		}
	}
	query := k.store.DB(ctx).OrderLine.Query().Where(orderline.OrderIDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	all, err := query.Load(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the lines of orders: %w", err)
	}
	for _, l := range all {
		lines[l.OrderID] = append(lines[l.OrderID], l)
	}
	return lines, buyers, nil
}
