package install

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/db/themepackage"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

const (
	// graceTime is how long unreferenced packages and assets are kept: processing writes the bytes
	// first and the rows at the end.
	graceTime = 48 * time.Hour
	// sweepBatch bounds the rows that are read at once.
	sweepBatch = 500
	// assetFolder is the folder of assets in the blob store.
	assetFolder = "assets/"
)

// Sweep removes packages, and assets in the blob store, that no theme of a store or of the
// marketplace uses and that are older than two days. It takes about 50 bytes of memory for each used
// asset.
func (k *Keeper) Sweep(ctx context.Context) error {
	used := map[digest.Sum]bool{}
	if err := k.collect(ctx, used); err != nil {
		return fmt.Errorf("sweep themes: %w", err)
	}
	packages, err := k.sweepPackages(ctx, used)
	if err != nil {
		return fmt.Errorf("sweep packages: %w", err)
	}
	assets, err := k.sweepAssets(ctx, used)
	if err != nil {
		return fmt.Errorf("sweep assets: %w", err)
	}
	if packages+assets > 0 {
		k.Logger.InfoContext(ctx, "unused themes removed", "packages", packages, "assets", assets)
	}
	return nil
}

// collect adds everything that is used. What is added to the database meanwhile is fresh.
func (k *Keeper) collect(ctx context.Context, used map[digest.Sum]bool) error {
	var mu sync.Mutex // stores of several shards are read at once
	err := k.Store.EachStore(ctx, func(ctx context.Context) error {
		theirs := map[digest.Sum]bool{}
		err := k.collectStore(ctx, theirs)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(used, theirs)
		return err
	})
	if err != nil {
		return err
	}
	c := k.Store.DB(ctx)
	for after, more := xid.Nil, true; more; {
		rows, err := c.MarketplaceTheme.Query().Where(marketplacetheme.IDGT(after)).
			Order(db.Asc(marketplacetheme.FieldID)).Limit(sweepBatch).Load(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.ID
			if err := k.collectPackage(ctx, used, row.Checksum); err != nil {
				return err
			}
		}
		more = len(rows) == sweepBatch
	}
	return nil
}

func (k *Keeper) collectStore(ctx context.Context, used map[digest.Sum]bool) error {
	var row []struct {
		ID  xid.ID     `sql:"id"`
		Sum digest.Sum `sql:"checksum"`
	}
	c := k.Store.DB(ctx)
	columns := func(s *sql.Selector) { s.Select(s.C("id"), s.C("checksum")) }
	if err := c.Theme.Query().Modify(columns).Scan(ctx, &row); err != nil {
		return err
	}
	for _, t := range row {
		used[t.Sum] = true
	}
	for after, more := xid.Nil, true; more; {
		row = row[:0]
		err := c.ThemeAsset.Query().Where(themeasset.IDGT(after)).Order(db.Asc(themeasset.FieldID)).Limit(sweepBatch).
			Modify(columns).Scan(ctx, &row)
		if err != nil {
			return err
		}
		for _, a := range row {
			used[a.Sum] = true
			after = a.ID
		}
		more = len(row) == sweepBatch
	}
	return nil
}

// collectPackage adds a package and its assets, because no store may use a marketplace theme.
func (k *Keeper) collectPackage(ctx context.Context, used map[digest.Sum]bool, sum digest.Sum) error {
	used[sum] = true
	p, err := k.Package(ctx, sum)
	if errors.Is(err, ErrNoPackage) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, a := range p.Assets {
		used[a.Sum] = true
	}
	return nil
}

// sweepPackages removes unused packages, except those that were used again meanwhile.
func (k *Keeper) sweepPackages(ctx context.Context, used map[digest.Sum]bool) (n int, err error) {
	old := micros.Now().Add(-graceTime)
	for after, more := (digest.Sum{}), true; more; {
		list, err := k.Store.DB(ctx).ThemePackage.Query().
			Where(themepackage.IDGT(after), themepackage.CreatedAtLT(old)).
			Order(db.Asc(themepackage.FieldID)).Limit(sweepBatch).IDs(ctx)
		if err != nil {
			return n, err
		}
		for _, sum := range list {
			after = sum
			if used[sum] {
				continue
			}
			err := k.Store.InTx(viewer.Everywhere(ctx), func(ctx context.Context) error {
				_, err := k.Store.DB(ctx).ThemePackage.Delete().
					Where(themepackage.ID(sum), themepackage.CreatedAtLT(old)).Exec(ctx)
				return err
			})
			if err != nil {
				return n, err
			}
			n++
		}
		more = len(list) == sweepBatch
	}
	return n, nil
}

// sweepAssets checks each unused asset again before it is removed: a new use rewrites it.
func (k *Keeper) sweepAssets(ctx context.Context, used map[digest.Sum]bool) (n int, err error) {
	old := micros.Now().Add(-graceTime)
	for o, err := range k.Blobs.List(ctx, assetFolder) {
		if err != nil {
			return n, err
		}
		sum, ok := sumOf(o.Key)
		if !ok || used[sum] || o.Modified >= old {
			continue
		}
		switch o, err = k.Blobs.Stat(ctx, o.Key); {
		case errors.Is(err, blob.ErrNotFound):
			continue
		case err != nil:
			return n, err
		case o.Modified >= old:
			continue
		}
		if err := k.Blobs.Delete(ctx, o.Key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func sumOf(key string) (sum digest.Sum, ok bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, assetFolder), ".")
	b, err := hex.DecodeString(name)
	if err != nil || len(b) != len(sum) {
		return sum, false
	}
	return digest.Sum(b), true
}
