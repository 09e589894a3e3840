package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/themepackage"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// fresh is how long a package or an asset counts as recently written. It is much shorter than
// [graceTime], after which the sweep removes what nothing refers to, so something fresh can still
// be referred to.
const fresh = 12 * time.Hour

// ErrNoPackage reports that the package of a theme is gone.
var ErrNoPackage = errors.New("install: no such package")

// Package returns the contents of a theme without the bytes of its assets. It returns
// [ErrNoPackage] if the checksum is unknown.
func (k *Keeper) Package(ctx context.Context, sum digest.Sum) (*theme.Package, error) {
	ctx = k.Store.Aside(ctx)
	row, err := k.packageRow(ctx, sum, ent.NoLock)
	if db.IsNotFound(err) && k.Store.Within(ctx) {
		// A locking read sees a package that was written after this transaction took its snapshot.
		row, err = k.packageRow(ctx, sum, ent.ForUpdate)
	}
	switch {
	case db.IsNotFound(err):
		return nil, ErrNoPackage
	case err != nil:
		return nil, fmt.Errorf("read package: %w", err)
	}
	p, err := theme.Parse(row.Content)
	return p, fault.Wrap("read package", err)
}

func (k *Keeper) packageRow(ctx context.Context, sum digest.Sum, lock func(*sql.Selector)) (*db.ThemePackage, error) {
	query := k.Store.DB(ctx).ThemePackage.Query().Where(themepackage.ID(sum))
	query.Modify(lock)
	return only(query.Load(ctx))
}

// keepPackage writes a package, unless it exists, in the transaction of ctx. It renews the time of
// an existing one, so that the sweep spares it until what refers to it is committed.
func (k *Keeper) keepPackage(ctx context.Context, sum digest.Sum, content []byte) error {
	now, c := micros.Now(), k.Store.DB(ctx)
	n, err := c.ThemePackage.Update().Where(themepackage.ID(sum)).
		Modify(func(u *sql.UpdateBuilder) { u.Set(themepackage.FieldCreatedAt, now) }).Save(ctx)
	if err == nil && n == 0 {
		err = c.ThemePackage.Create().SetID(sum).SetContent(content).SetCreatedAt(now).Exec(ctx)
		if ent.IsDuplicate(err) { // another process wrote it meanwhile: it is fresh
			err = nil
		}
	}
	return fault.Wrap("keep package", err)
}

// keepAssets writes the bytes of a package's assets into the blob store, except those that were
// recently written. Each is stored under its checksum, so concurrent writes are the same.
func (k *Keeper) keepAssets(ctx context.Context, p *theme.Package) error {
	for _, a := range p.Assets {
		key := theme.BlobKey(a.Sum, a.ContentType)
		o, err := k.Blobs.Stat(ctx, key)
		switch {
		case err == nil && o.Size == a.Size && o.Modified > micros.Now().Add(-fresh):
			continue
		case err != nil && !errors.Is(err, blob.ErrNotFound):
			return fmt.Errorf("look for asset %s: %w", key, err)
		}
		if err := k.Blobs.Put(ctx, key, a.ContentType, a.Body); err != nil {
			return fmt.Errorf("keep asset %s: %w", key, err)
		}
	}
	return nil
}

func only[T any](rows []*T, err error) (*T, error) {
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, &db.NotFoundError{}
	}
	return rows[0], nil
}
