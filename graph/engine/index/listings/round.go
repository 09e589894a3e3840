package listings

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/shelfwalk"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

const (
	// form is how products are put on shelves. Raise it when that changes, and all are
	// put there again.
	form = 1
	// batch is how many products one transaction puts on shelves.
	batch = 20
	// activeByID is the index that lists the active products of a store.
	activeByID = "product_store_id_status_id"
)

// Keeper walks the products of all stores and puts those on shelves that are not there:
// products from before there were shelves, or from before a newer form of them. Any number
// of processes may walk at once, and a walk that was stopped goes on where it was.
type Keeper struct {
	store *ent.Store
	woken chan struct{}
}

// NewKeeper makes a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s, make(chan struct{}, 1)} }

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
			return fmt.Errorf("put products on shelves: %w", err)
		}
	}
}

// step puts the next products of a store on shelves. Of several processes one goes on at
// a time: whoever holds the row of the walk.
func (k *Keeper) step(ctx context.Context) error {
	walk, err := k.walk(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return err
	case walk == nil || walk.Form < form:
		return k.begin(ctx, walk)
	case walk.Done:
		return nil
	}
	return k.some(ctx, walk)
}

// walk reads how far the store is; nil where it was never begun.
func (k *Keeper) walk(ctx context.Context, lock func(*sql.Selector)) (*db.ShelfWalk, error) {
	query := k.store.DB(ctx).ShelfWalk.Query().Where(shelfwalk.ID(viewer.From(ctx).Store))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// begin begins a walk, or begins one of an older form anew.
func (k *Keeper) begin(ctx context.Context, walk *db.ShelfWalk) error {
	c := k.store.DB(ctx).ShelfWalk
	if walk == nil { // of two processes the second waits, and then finds the row
		return c.Create().SetID(viewer.From(ctx).Store).SetForm(form).SetBehind(xid.Nil).SetUpdatedAt(micros.Now()).
			Exec(ctx)
	}
	return c.Update().Where(shelfwalk.ID(walk.ID)).SetForm(form).SetBehind(xid.Nil).SetDone(false).
		SetUpdatedAt(micros.Now()).Exec(ctx)
}

// some puts a batch on shelves. The products' rows are locked before anything else is
// read, so they and their variants are as they are now: one that is changed meanwhile
// waits, and then finds the rows that were written here.
func (k *Keeper) some(ctx context.Context, walk *db.ShelfWalk) error {
	c := k.store.DB(ctx)
	query := c.Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDGT(walk.Behind))
	query.Modify(ent.ForceIndex(activeByID), ent.ForUpdate, func(s *sql.Selector) {
		s.OrderBy(s.C(product.FieldID)).Limit(batch)
	})
	rows, err := query.Load(ctx)
	if err == nil {
		err = variants.Load(ctx, c, rows...)
	}
	if err != nil {
		return fmt.Errorf("read products: %w", err)
	}
	rack, behind := Rack{c, k.store.Dialect()}, walk.Behind
	for _, p := range rows {
		if err := rack.Put(ctx, p, true); err != nil {
			return err
		}
		behind = p.ID
	}
	return c.ShelfWalk.Update().Where(shelfwalk.ID(walk.ID)).SetBehind(behind).SetDone(len(rows) < batch).
		SetUpdatedAt(micros.Now()).Exec(ctx)
}
