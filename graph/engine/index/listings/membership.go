package listings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// memberBatch is how many products one transaction checks for a collection.
	memberBatch = 200
	// collectionBatch is how many collections a round reads at once.
	collectionBatch = 50
	// byDue orders the collections that have to be updated.
	byDue = "collection_bucket_due_at_store_id_id"
	// firstBatches is how many batches are processed before a change is answered.
	firstBatches = 5
	// settleAfter is longer than any transaction. A transaction that changes a product after that
	// time sees the current collection, so the second pass misses nothing.
	settleAfter = time.Minute
)

// Begin updates the first products of a changed collection, which are all products of most stores,
// so that the caller sees the result. [Keeper.UpdateCollections] does the rest right after.
func (k *Keeper) Begin(ctx context.Context, id xid.ID) error {
	err := k.update(viewer.Operator(ctx, viewer.From(ctx).Store), id, micros.Now(), firstBatches)
	select {
	case k.wakeups <- struct{}{}:
	default: // it is about to run
	}
	return err
}

// Wakeups receives after [Keeper.Begin].
func (k *Keeper) Wakeups() <-chan struct{} { return k.wakeups }

// UpdateCollections updates the lists of all changed collections, and empties those of deleted ones. Any number
// of processes may run it at once. After an interruption it continues where it stopped.
func (k *Keeper) UpdateCollections(ctx context.Context) (err error) {
	return k.store.EachShard(ctx, k.updateDue)
}

func (k *Keeper) updateDue(ctx context.Context) (err error) {
	now := micros.Now()
	for n := collectionBatch; n == collectionBatch && err == nil; {
		query := k.store.Seek(ctx).Collection.Query().
			Where(collection.BucketIn(bucket.All()...), collection.DueAtLTE(now))
		query.Modify(ent.ForceIndex(byDue), func(s *sql.Selector) { s.Limit(collectionBatch) })
		rows, failed := query.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return fmt.Errorf("read collections: %w", failed)
		}
		n = len(rows)
		for _, c := range rows {
			if failed := k.update(viewer.Operator(ctx, c.StoreID), c.ID, now, math.MaxInt); failed != nil {
				err = errors.Join(err, fmt.Errorf("update the products of %s: %w", c.PublicID(), failed))
			}
		}
	}
	return err
}

// update continues with a due collection, for at most max batches.
func (k *Keeper) update(ctx context.Context, id xid.ID, now micros.Time, most int) error {
	for done := false; !done && most > 0; most-- {
		err := ctx.Err()
		if err == nil {
			done, err = k.updateBatch(ctx, id, now)
		}
		if err != nil {
			return err
		}
	}
	// In its own transaction, because others write the store's row before those of products.
	return k.store.InTx(ctx, k.bumpRevision)
}

// updateBatch processes one batch, and reports whether the collection is no longer due.
func (k *Keeper) updateBatch(ctx context.Context, id xid.ID, now micros.Time) (done bool, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		c, err := k.collection(ctx, id, ent.NoLock)
		if done = c == nil || c.DueAt > now; err != nil || done {
			return err
		}
		if c.Gone {
			return k.empty(ctx, c)
		}
		return k.next(ctx, c)
	})
	return done, err
}

func (k *Keeper) collection(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Collection, error) {
	query := k.store.DB(ctx).Collection.Query().Where(collection.ID(id))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// next processes the next products of a collection. It locks their rows before the collection's, in
// the same order as a change of a product, and reads the current values of both.
func (k *Keeper) next(ctx context.Context, was *db.Collection) error {
	client := k.store.DB(ctx)
	query := client.Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDGT(was.Behind))
	query.Modify(ent.ForceIndex(activeByID), ent.ForUpdate, func(s *sql.Selector) {
		s.OrderBy(s.C(product.FieldID)).Limit(memberBatch)
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read products: %w", err)
	}
	c, err := k.collection(ctx, was.ID, ent.ForUpdate)
	if err != nil || c == nil || c.Behind != was.Behind || c.DueAt != was.DueAt || c.Gone {
		return err // another process was here; the next batch sees what is left
	}
	if len(rows) > 0 {
		if err := (Writer{client, k.store.Dialect()}).relistBatch(ctx, c, rows); err != nil {
			return err
		}
		c.Behind = rows[len(rows)-1].ID
	}
	update := client.Collection.Update().Where(collection.ID(c.ID)).SetBehind(c.Behind)
	if len(rows) < memberBatch {
		finish(c, update)
	}
	return update.Exec(ctx)
}

// finish schedules the next pass over a collection that was processed to its end.
func finish(c *db.Collection, update *db.CollectionUpdate) {
	next := micros.Max
	if !c.Settling {
		next = micros.Now().Add(settleAfter)
	}
	update.SetDueAt(next).SetBehind(xid.Nil).SetSettling(true)
}

func (r Writer) relistBatch(ctx context.Context, c *db.Collection, rows []*db.Product) error {
	on, err := r.members(ctx, c, rows)
	if err != nil {
		return err
	}
	query := r.Client.Listing.Query().Where(listing.Shelf(c.ID), listing.IDIn(idsOf(rows)...))
	query.Modify(ent.ForceIndex(ent.Primary), ent.ForUpdate)
	there, err := query.Load(ctx)
	if err != nil {
		return err
	}
	var gone []xid.ID
	for _, l := range there {
		if !on[l.ID] {
			gone = append(gone, l.ID)
		}
		delete(on, l.ID)
	}
	if len(gone) > 0 {
		if _, err := r.Client.Listing.Delete().Where(listing.Shelf(c.ID), listing.IDIn(gone...)).Exec(ctx); err != nil {
			return err
		}
	}
	var created []*db.ListingCreate
	for _, p := range rows {
		if on[p.ID] {
			created = append(created, r.row(c.ID, p))
		}
	}
	return r.Client.Listing.CreateBulk(created...).Exec(ctx)
}

// empty removes products from the list of a deleted collection, and deletes its row once no more
// can be added.
func (k *Keeper) empty(ctx context.Context, c *db.Collection) error {
	client := k.store.DB(ctx)
	query := client.Listing.Query().Where(listing.Shelf(c.ID))
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) {
		s.OrderBy(s.C(listing.FieldID)).Limit(memberBatch)
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(rows) == 0 && c.Settling:
		_, err = client.Collection.Delete().Where(collection.ID(c.ID), collection.Gone(true)).Exec(ctx)
	case len(rows) == 0:
		update := client.Collection.Update().Where(collection.ID(c.ID))
		finish(c, update)
		err = update.Exec(ctx)
	default:
		ids := make([]xid.ID, len(rows))
		for i, row := range rows {
			ids[i] = row.ID
		}
		_, err = client.Listing.Delete().Where(listing.Shelf(c.ID), listing.IDIn(ids...)).Exec(ctx)
	}
	return err
}

// bumpRevision invalidates cached pages of the storefront.
func (k *Keeper) bumpRevision(ctx context.Context) error {
	return k.store.DB(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddStorefrontRevision(1).
		Exec(ctx)
}

func idsOf(rows []*db.Product) []xid.ID {
	ids := make([]xid.ID, len(rows))
	for i, p := range rows {
		ids[i] = p.ID
	}
	return ids
}
