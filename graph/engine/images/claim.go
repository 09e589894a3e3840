package images

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpicture "github.com/storefront-go/storefront/ent/db/picture"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

var errLost = errors.New("another process is fetching the image")

// claim claims the fetch of an image, as it was read, for this process. It returns nil if another
// process was first.
func (k *Keeper) claim(ctx context.Context, row *db.Picture, id xid.ID) (claimed *db.Picture, err error) {
	now := micros.Now()
	mine := &db.Picture{ID: id, StoreID: viewer.From(ctx).Store, State: state.PictureFetching, ObjectID: xid.New(),
		Tries: 1, TriedAt: now, DueAt: now.Add(claimTime)}
	if row != nil {
		mine.Tries = row.Tries + 1
	}
	err = k.Store.InTx(ctx, func(ctx context.Context) error {
		c := k.Store.DB(ctx).Picture
		if row == nil {
			claimed = mine
			return c.Create().SetID(id).SetState(mine.State).SetObjectID(mine.ObjectID).SetTriedAt(now).
				SetDueAt(mine.DueAt).Exec(ctx)
		}
		n, err := c.Update().Where(dbpicture.ID(id), dbpicture.ObjectID(row.ObjectID), dbpicture.StateEQ(row.State)).
			SetState(mine.State).SetObjectID(mine.ObjectID).SetTries(mine.Tries).SetTriedAt(now).SetDueAt(mine.DueAt).
			Save(ctx)
		if claimed = mine; n == 0 {
			claimed = nil
		}
		return err
	})
	switch {
	case ent.IsDuplicate(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("claim image: %w", err)
	}
	return claimed, nil
}

// keep records that the bytes of an image are stored, if the store has room for them. It locks the
// store's row, so that images are counted one after the other.
func (k *Keeper) keep(ctx context.Context, row *db.Picture) error {
	return k.Store.InTx(ctx, func(ctx context.Context) error {
		c := k.Store.DB(ctx)
		hold := c.Store.Query().Where(dbstore.ID(row.StoreID))
		hold.Modify(ent.ForUpdate)
		shop, err := hold.Only(ctx)
		if err != nil {
			return fmt.Errorf("hold the store: %w", err)
		}
		limits, err := shop.Limits.Over(k.Limits)
		if err != nil {
			return err
		}
		if err := k.room(ctx, limits, row.SizeBytes); err != nil {
			return err
		}
		row.State, row.DueAt = state.PictureKept, micros.Max
		return k.settle(ctx, row)
	})
}

// refuse records that an image could not be fetched, with a longer pause each time.
func (k *Keeper) refuse(ctx context.Context, row *db.Picture) error {
	wait := min(firstPause<<min(row.Tries-1, 20), maxPause)
	row.State, row.DueAt = state.PictureRefused, micros.Now().Add(wait)
	row.ContentType, row.SizeBytes, row.Width, row.Height = "", 0, 0, 0
	return k.Store.InTx(ctx, func(ctx context.Context) error { return k.settle(ctx, row) })
}

// settle ends a claim. It returns [errLost] if another process has claimed the image.
func (k *Keeper) settle(ctx context.Context, row *db.Picture) error {
	n, err := k.Store.DB(ctx).Picture.Update().Where(dbpicture.ID(row.ID), dbpicture.ObjectID(row.ObjectID)).
		SetState(row.State).SetContentType(row.ContentType).SetSizeBytes(row.SizeBytes).SetWidth(row.Width).
		SetHeight(row.Height).SetDueAt(row.DueAt).Save(ctx)
	if err == nil && n == 0 {
		err = errLost
	}
	if err != nil {
		return fmt.Errorf("settle image: %w", err)
	}
	return nil
}

// Forget removes the row of an image, so that it is fetched again.
func (k *Keeper) Forget(ctx context.Context, row *db.Picture) error {
	err := k.Store.InTx(viewer.Operator(ctx, row.StoreID), func(ctx context.Context) error {
		_, err := k.Store.DB(ctx).Picture.Delete().
			Where(dbpicture.ID(row.ID), dbpicture.ObjectID(row.ObjectID)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget image: %w", err)
	}
	return nil
}

// settleTime bounds the recording of a fetch's outcome, after the time of the fetch may be over.
const settleTime = 5 * time.Second
