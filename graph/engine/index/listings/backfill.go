package listings

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/backfill"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

const (
	// batch is how many products one transaction indexes.
	batch = 20
	// activeByID lists the active products of a store.
	activeByID = "product_store_id_status_id"
)

// Keeper indexes products in the background.
type Keeper struct {
	store   *ent.Store
	wakeups chan struct{}
	fill    backfill.Job
}

// NewKeeper returns a keeper.
func NewKeeper(s *ent.Store) *Keeper {
	k := &Keeper{store: s, wakeups: make(chan struct{}, 1)}
	k.fill = backfill.Job{Store: s, Name: "index_products", Version: 1, Stages: 1, Step: k.indexSome}
	return k
}

// Backfill indexes the products of all stores that were written by a release without the index, or
// with an earlier version of it. Later calls do nothing.
func (k *Keeper) Backfill(ctx context.Context) error { return k.fill.Run(ctx) }

// indexSome indexes the next products of a store. It locks their rows before it reads anything else,
// so it sees the current products and variants: a concurrent change waits, and then finds the rows
// written here.
func (k *Keeper) indexSome(ctx context.Context, _ int, after xid.ID) (last xid.ID, err error) {
	c := k.store.DB(ctx)
	query := c.Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDGT(after))
	query.Modify(ent.ForceIndex(activeByID), ent.ForUpdate, func(s *sql.Selector) {
		s.OrderBy(s.C(product.FieldID)).Limit(batch)
	})
	rows, err := query.Load(ctx)
	if err == nil {
		err = variants.Load(ctx, c, rows...)
	}
	if err != nil {
		return last, fmt.Errorf("read products: %w", err)
	}
	if len(rows) == 0 {
		return last, nil
	}
	return rows[len(rows)-1].ID, Writer{c, k.store.Dialect()}.Put(ctx, true, rows...)
}
