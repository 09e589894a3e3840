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
	// judged is how many products one transaction brings into a collection or out of it.
	judged = 200
	// judgedAtOnce is how many collections a round reads at a time.
	judgedAtOnce = 50
	// toJudge is the index of the collections that wait for it.
	toJudge = "collection_bucket_due_at_store_id_id"
	// begun is how many batches are judged before a change is answered.
	begun = 5
	// settleAfter is longer than any transaction: whoever changes a product after that time
	// sees the collection as it is.
	settleAfter = time.Minute
)

// Begin judges the first products of a collection that has changed, which are all of most
// stores, so that whoever changed it sees what it has. [Keeper.Judge] does the rest at once.
func (k *Keeper) Begin(ctx context.Context, id xid.ID) error {
	err := k.judge(viewer.Operator(ctx, viewer.From(ctx).Store), id, micros.Now(), begun)
	select {
	case k.woken <- struct{}{}:
	default: // it is about to begin
	}
	return err
}

// Woken tells of [Keeper.Begin].
func (k *Keeper) Woken() <-chan struct{} { return k.woken }

// Judge brings the products of all collections that were changed to their shelves, and
// empties the shelves of those that were deleted. Any number of processes may do so at
// once; one that was stopped goes on where it was.
func (k *Keeper) Judge(ctx context.Context) (err error) { return k.store.EachShard(ctx, k.judgeDue) }

// judgeDue is [Keeper.Judge] on one shard.
func (k *Keeper) judgeDue(ctx context.Context) (err error) {
	now := micros.Now()
	for n := judgedAtOnce; n == judgedAtOnce && err == nil; {
		query := k.store.Seek(ctx).Collection.Query().
			Where(collection.BucketIn(bucket.All()...), collection.DueAtLTE(now))
		query.Modify(ent.ForceIndex(toJudge), func(s *sql.Selector) { s.Limit(judgedAtOnce) })
		rows, failed := query.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return fmt.Errorf("read collections: %w", failed)
		}
		n = len(rows)
		for _, c := range rows {
			if failed := k.judge(viewer.Operator(ctx, c.StoreID), c.ID, now, math.MaxInt); failed != nil {
				err = errors.Join(err, fmt.Errorf("judge the products of %s: %w", c.PublicID(), failed))
			}
		}
	}
	return err
}

// judge goes on with a collection that is due, to its end or for some batches.
func (k *Keeper) judge(ctx context.Context, id xid.ID, now micros.Time, most int) error {
	for done := false; !done && most > 0; most-- {
		err := ctx.Err()
		if err == nil {
			done, err = k.judgeSome(ctx, id, now)
		}
		if err != nil {
			return err
		}
	}
	// In a transaction of its own: others write the store's row before those of products.
	return k.store.InTx(ctx, k.shown)
}

// judgeSome judges a batch, and reports whether the collection was not due any more.
func (k *Keeper) judgeSome(ctx context.Context, id xid.ID, now micros.Time) (done bool, err error) {
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

// collection reads one; nil where there is none.
func (k *Keeper) collection(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Collection, error) {
	query := k.store.DB(ctx).Collection.Query().Where(collection.ID(id))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// next judges the next products of a collection. Their rows are locked before its own, as
// whoever changes a product does, and all are read as they are now.
func (k *Keeper) next(ctx context.Context, was *db.Collection) error {
	client := k.store.DB(ctx)
	query := client.Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDGT(was.Behind))
	query.Modify(ent.ForceIndex(activeByID), ent.ForUpdate, func(s *sql.Selector) {
		s.OrderBy(s.C(product.FieldID)).Limit(judged)
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read products: %w", err)
	}
	c, err := k.collection(ctx, was.ID, ent.ForUpdate)
	if err != nil || c == nil || c.Behind != was.Behind || c.DueAt != was.DueAt || c.Gone {
		return err // somebody else was here: the next turn sees what is left
	}
	if len(rows) > 0 {
		if err := (Rack{client, k.store.Dialect()}).place(ctx, c, rows); err != nil {
			return err
		}
		c.Behind = rows[len(rows)-1].ID
	}
	update := client.Collection.Update().Where(collection.ID(c.ID)).SetBehind(c.Behind)
	if len(rows) < judged {
		ended(c, update)
	}
	return update.Exec(ctx)
}

// ended says when a collection is judged next, of which all was judged.
func ended(c *db.Collection, update *db.CollectionUpdate) {
	next := micros.Never
	if !c.Settling {
		next = micros.Now().Add(settleAfter)
	}
	update.SetDueAt(next).SetBehind(xid.Nil).SetSettling(true)
}

// place writes which products of a batch are on the shelf of a collection.
func (r Rack) place(ctx context.Context, c *db.Collection, rows []*db.Product) error {
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
	var made []*db.ListingCreate
	for _, p := range rows {
		if on[p.ID] {
			at := placeOf(p)
			made = append(made, r.Client.Listing.Create().SetShelf(c.ID).SetID(p.ID).SetPublishedAt(at.published).
				SetPriceMinor(at.price).SetTitleKey(at.title))
		}
	}
	return r.Client.Listing.CreateBulk(made...).Exec(ctx)
}

// empty takes products off the shelf of a collection that was deleted, and removes its row
// once no more can come.
func (k *Keeper) empty(ctx context.Context, c *db.Collection) error {
	client := k.store.DB(ctx)
	query := client.Listing.Query().Where(listing.Shelf(c.ID))
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) {
		s.OrderBy(s.C(listing.FieldID)).Limit(judged)
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
		ended(c, update)
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

// shown says that the storefront shows something else now.
func (k *Keeper) shown(ctx context.Context) error {
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
