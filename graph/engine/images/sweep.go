package images

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	dbpicture "github.com/storefront-go/storefront/ent/db/picture"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/markdown"
)

const (
	// graceTime is how long unreferenced objects are kept: a fetch writes the bytes first and the
	// row at the end.
	graceTime  = 48 * time.Hour
	sweepBatch = 500
	// folder is the folder of images in the blob store. It has one subfolder per store.
	folder = "pictures/"
)

type ids map[xid.ID]struct{}

func (s ids) has(id xid.ID) bool {
	_, ok := s[id]
	return ok
}

// Sweep removes images whose address no product and no page of their store has any more, and
// objects in the blob store without a row, such as those of deleted stores. It spares everything
// younger than two days. It takes about 50 bytes of memory per image.
func (k *Keeper) Sweep(ctx context.Context) error {
	old := micros.Now().Add(-graceTime)
	used := ids{}
	var mu sync.Mutex // stores of several shards are swept at once
	rows, err := k.Store.SumStores(ctx, func(ctx context.Context) (int, error) {
		theirs := ids{}
		n, err := k.sweepStore(ctx, old, theirs)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(used, theirs)
		return n, err
	})
	if err != nil {
		return fmt.Errorf("sweep images: %w", err)
	}
	objects, err := k.sweepObjects(ctx, folder, old, used)
	if err != nil {
		return fmt.Errorf("sweep the files of images: %w", err)
	}
	files, err := k.sweepObjects(ctx, fileFolder, old, used)
	if err != nil {
		return fmt.Errorf("sweep files: %w", err)
	}
	if rows+objects+files > 0 {
		k.Logger.InfoContext(ctx, "unused images removed", "images", rows, "files", objects+files)
	}
	return nil
}

// sweepStore removes rows of the viewer's store, returns how many, and adds the objects of the
// remaining rows.
func (k *Keeper) sweepStore(ctx context.Context, old micros.Time, used ids) (n int, err error) {
	referenced, err := k.referenced(ctx)
	if err != nil {
		return 0, err
	}
	if err := k.uploads(ctx, used); err != nil {
		return 0, err
	}
	if err := k.files(ctx, used); err != nil {
		return 0, err
	}
	for after, more := xid.Nil, true; more; {
		rows, err := k.Store.DB(ctx).Picture.Query().Where(dbpicture.IDGT(after)).Order(db.Asc(dbpicture.FieldID)).
			Limit(sweepBatch).Load(ctx)
		if err != nil {
			return n, err
		}
		var unused []xid.ID
		for _, row := range rows {
			after = row.ID
			if referenced.has(row.ID) || row.TriedAt >= old {
				used[row.ObjectID] = struct{}{}
				continue
			}
			unused = append(unused, row.ID)
		}
		gone, err := k.remove(ctx, unused, old)
		if n += gone; err != nil {
			return n, err
		}
		more = len(rows) == sweepBatch
	}
	return n, nil
}

// uploads adds the objects of the store's uploaded images, which exist as long as their rows.
func (k *Keeper) uploads(ctx context.Context, used ids) error {
	for after, more := xid.Nil, true; more; {
		rows, err := k.Store.DB(ctx).ProductImage.Query().Where(productimage.IDGT(after)).
			Order(db.Asc(productimage.FieldID)).Limit(sweepBatch).Load(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.ID
			used[row.ObjectID] = struct{}{}
		}
		more = len(rows) == sweepBatch
	}
	return nil
}

// remove deletes rows, except those that were tried again meanwhile.
func (k *Keeper) remove(ctx context.Context, unused []xid.ID, old micros.Time) (n int, err error) {
	if len(unused) == 0 {
		return 0, nil
	}
	err = k.Store.InTx(ctx, func(ctx context.Context) (err error) {
		n, err = k.Store.DB(ctx).Picture.Delete().Where(dbpicture.IDIn(unused...), dbpicture.TriedAtLT(old)).Exec(ctx)
		return err
	})
	return n, err
}

// referenced returns the images whose addresses the products and pages of the viewer's store have.
func (k *Keeper) referenced(ctx context.Context) (ids, error) {
	set := ids{}
	for after, more := xid.Nil, true; more; {
		var rows []struct {
			ID      xid.ID  `sql:"id"`
			Address *string `sql:"image_url"`
		}
		err := k.Store.DB(ctx).Product.Query().Where(product.IDGT(after)).Order(db.Asc(product.FieldID)).
			Limit(sweepBatch).Modify(func(s *sql.Selector) { s.Select(s.C("id"), s.C("image_url")) }).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if after = row.ID; row.Address != nil {
				set[IDOf(*row.Address)] = struct{}{}
			}
		}
		more = len(rows) == sweepBatch
	}
	return set, k.referencedByPages(ctx, set)
}

const pageBatch = 20

// referencedByPages adds the images on the pages of the viewer's store.
func (k *Keeper) referencedByPages(ctx context.Context, set ids) error {
	for after, more := xid.Nil, true; more; {
		rows, err := k.Store.DB(ctx).Page.Query().Where(dbpage.IDGT(after)).Order(db.Asc(dbpage.FieldID)).
			Limit(pageBatch).Load(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.ID
			for _, address := range markdown.Images(row.Body) {
				set[IDOf(address)] = struct{}{}
			}
		}
		more = len(rows) == pageBatch
	}
	return nil
}

// sweepObjects removes objects that no row refers to, and returns how many. Objects are never
// rewritten, so an old and unused one stays unused.
func (k *Keeper) sweepObjects(ctx context.Context, prefix string, old micros.Time, used ids) (n int, err error) {
	for o, err := range k.Blobs.List(ctx, prefix) {
		if err != nil {
			return n, err
		}
		id, ok := objectOf(o.Key)
		if !ok || used.has(id) || o.Modified >= old {
			continue
		}
		if err := k.Blobs.Delete(ctx, o.Key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// objectOf parses the object id in a key, which may be the key of a width.
func objectOf(key string) (id xid.ID, ok bool) {
	name, _, _ := strings.Cut(key[strings.LastIndexByte(key, '/')+1:], "-")
	b, err := hex.DecodeString(name)
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return xid.ID(b), true
}
