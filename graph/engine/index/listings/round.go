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
	// formatVersion is the version of the index. Raise it when the indexed data changes, and all
	// products are indexed again.
	formatVersion = 1
	// batch is how many products one transaction indexes.
	batch = 20
	// activeByID lists the active products of a store.
	activeByID = "product_store_id_status_id"
)

// Keeper walks the products of all stores and indexes those that are missing: products written by a
// release without the index, or with an older version of it. Any number of processes may walk at
// once. After an interruption the walk continues where it stopped.
type Keeper struct {
	store   *ent.Store
	wakeups chan struct{}
}

// NewKeeper returns a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s, make(chan struct{}, 1)} }

// Round completes the walk of every store.
func (k *Keeper) Round(ctx context.Context) error { return k.store.EachStore(ctx, k.walkStore) }

// walkStore completes the walk of one store.
func (k *Keeper) walkStore(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		walk, err := k.walk(ctx, ent.NoLock)
		if err != nil || walk != nil && walk.Done && walk.Form >= formatVersion {
			return err
		}
		if err := k.store.InTx(ctx, k.step); err != nil {
			return fmt.Errorf("index products: %w", err)
		}
	}
}

// step indexes the next products of a store. One process at a time does so: the one that holds the
// lock on the walk's row.
func (k *Keeper) step(ctx context.Context) error {
	walk, err := k.walk(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return err
	case walk == nil || walk.Form < formatVersion:
		return k.begin(ctx, walk)
	case walk.Done:
		return nil
	}
	return k.some(ctx, walk)
}

// walk reads the state of the store's walk, or nil if it has not begun.
func (k *Keeper) walk(ctx context.Context, lock func(*sql.Selector)) (*db.ShelfWalk, error) {
	query := k.store.DB(ctx).ShelfWalk.Query().Where(shelfwalk.ID(viewer.From(ctx).Store))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// begin begins a walk, or restarts one of an older version.
func (k *Keeper) begin(ctx context.Context, walk *db.ShelfWalk) error {
	c := k.store.DB(ctx).ShelfWalk
	if walk == nil { // the second of two processes waits, and then finds the row
		return c.Create().SetID(viewer.From(ctx).Store).SetForm(formatVersion).SetBehind(xid.Nil).
			SetUpdatedAt(micros.Now()).Exec(ctx)
	}
	return c.Update().Where(shelfwalk.ID(walk.ID)).SetForm(formatVersion).SetBehind(xid.Nil).SetDone(false).
		SetUpdatedAt(micros.Now()).Exec(ctx)
}

// some indexes a batch. It locks the products' rows before it reads anything else, so it sees the
// current products and variants: a concurrent change waits, and then finds the rows written here.
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
	writer, behind := Writer{c, k.store.Dialect()}, walk.Behind
	for _, p := range rows {
		if err := writer.Put(ctx, p, true); err != nil {
			return err
		}
		behind = p.ID
	}
	return c.ShelfWalk.Update().Where(shelfwalk.ID(walk.ID)).SetBehind(behind).SetDone(len(rows) < batch).
		SetUpdatedAt(micros.Now()).Exec(ctx)
}
