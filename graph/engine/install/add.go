package install

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Addition is a theme to add to a store.
type Addition struct {
	Name   string
	Source state.ThemeSource
	// Listing is the theme's marketplace listing, or nil.
	Listing *xid.ID
	Package *theme.Package
	// Sum is the checksum of the package.
	Sum digest.Sum
	// Settings are the settings of the theme that it copies; nil for the author's.
	Settings document.ThemeSettings
}

// Accept adds a theme to the viewer's store, in the transaction of ctx. A later round processes the
// archive, which the caller has validated.
func (k *Keeper) Accept(ctx context.Context, a Addition, archive []byte) (*db.Theme, error) {
	packed, err := pack(archive)
	if err != nil {
		return nil, err
	}
	id := xid.New()
	row, err := k.begin(ctx, id, a).SetStatus(state.ThemeProcessing).SetDueAt(id.Time()).
		SetAssetCount(0).SetSizeBytes(a.Package.Size()).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("add theme: %w", err)
	}
	if err := k.Store.DB(ctx).ThemeUpload.Create().SetID(id).SetArchive(packed).Exec(ctx); err != nil {
		return nil, fmt.Errorf("keep archive: %w", err)
	}
	ent.OnCommit(ctx, k.wake)
	return row, nil
}

// Add adds a theme to s, the viewer's store, and emits its event, in the transaction of ctx. The
// theme is ready at once, because its package and assets are already stored.
func (k *Keeper) Add(ctx context.Context, s *db.Store, a Addition) (*db.Theme, error) {
	row, err := k.add(ctx, k.begin(ctx, xid.New(), a).SetEventSequence(1), a.Package)
	if err != nil {
		return nil, err
	}
	c := k.Store.DB(ctx)
	return row, k.themes(c, s).Created(row, "", "", event.ThemeInstalled).Write(ctx, c)
}

func (k *Keeper) add(ctx context.Context, create *db.ThemeCreate, p *theme.Package) (*db.Theme, error) {
	row, err := create.SetStatus(state.ThemeInactive).SetDueAt(micros.Max).SetNillablePreview(preview(p)).
		SetAssetCount(int64(len(p.Assets))).SetSizeBytes(p.Size()).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("add theme: %w", err)
	}
	return row, k.addAssets(ctx, row.ID, p)
}

func (k *Keeper) begin(ctx context.Context, id xid.ID, a Addition) *db.ThemeCreate {
	m := a.Package.Manifest
	row := k.Store.DB(ctx).Theme.Create().SetID(id).SetUpdatedAt(id.Time()).
		SetBucket(bucket.Of(viewer.From(ctx).Store)).SetName(a.Name).SetNillableThemeVersion(m.Version).
		SetNillableAuthor(m.Author).SetNillableDescription(m.Description).
		SetSource(a.Source).SetNillableMarketplaceThemeID(a.Listing).SetChecksum(a.Sum)
	if a.Settings != nil {
		row.SetSettings(a.Settings)
	}
	return row
}

const assetBatch = 100

func (k *Keeper) addAssets(ctx context.Context, id xid.ID, p *theme.Package) error {
	c := k.Store.DB(ctx).ThemeAsset
	for some := range slices.Chunk(p.Assets, assetBatch) {
		rows := make([]*db.ThemeAssetCreate, len(some))
		for i, a := range some {
			rows[i] = c.Create().SetThemeID(id).SetPath(a.Path).SetKind(a.Kind).SetContentType(a.ContentType).
				SetSizeBytes(a.Size).SetChecksum(a.Sum).SetNillableWidth(a.Width).SetNillableHeight(a.Height)
		}
		if err := c.CreateBulk(rows...).Exec(ctx); err != nil {
			return fmt.Errorf("add assets: %w", err)
		}
	}
	return nil
}

func preview(p *theme.Package) *string {
	a, ok := p.Find(p.Manifest.Preview)
	if !ok {
		return nil
	}
	return new(wire.AssetPath(a.Sum, a.Path))
}

type themeEdit = change.Edit[*db.Theme, *db.ThemeUpdate]

// themes describes how themes that meet conditions change; for another it fails with [errLost].
func (k *Keeper) themes(
	c *db.Client, s *db.Store, only ...predicate.Theme,
) *change.Versioned[*db.Theme, *db.ThemeUpdate] {
	return &change.Versioned[*db.Theme, *db.ThemeUpdate]{
		Kind: xid.Theme,
		Head: func(t *db.Theme) change.Head {
			return change.Head{Store: t.StoreID, ID: t.ID, Version: &t.Version, Sequence: &t.EventSequence,
				UpdatedAt: &t.UpdatedAt}
		},
		Update: func(_ context.Context, id xid.ID, version int64) *db.ThemeUpdate {
			return c.Theme.Update().Where(dbtheme.ID(id), dbtheme.Version(version)).Where(only...)
		},
		Object: func(t *db.Theme) []byte {
			var url *string
			if k.Preview != nil {
				url = new(k.Preview(s, t.ID))
			}
			return wire.AppendTheme(nil, t, t.Status, url)
		},
		Lost: errLost,
	}
}
