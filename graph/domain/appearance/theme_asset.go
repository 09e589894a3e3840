package appearance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// assetIndex is the index of a theme's assets by path.
	assetIndex = "themeasset_store_id_theme_id_path"
	// maxAssets bounds the cached assets.
	maxAssets = 20_000
)

// ThemeAssets lists the assets of a theme, by path. They never change once the theme is ready, so
// they are cached; each call still checks that the theme exists.
func (q Query) ThemeAssets(
	ctx context.Context, themeID string, first *int, after *string,
) (*model.ThemeAssetConnection, error) {
	id, err := core.ParseID(xid.Theme, themeID)
	if err != nil {
		return nil, err
	}
	return core.Connect(ctx, q.Core, core.List[*model.ThemeAsset]{
		Name: "theme_assets", Filters: []string{"theme_id", id.String()},
		At: func(a *model.ThemeAsset) page.Position { return core.ByID(a.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.ThemeAsset, error) {
			all, err := q.assets(ctx, id)
			return pageAfter(all, after, limit), core.Explain("theme", err)
		},
	}, first, after)
}

// pageAfter returns up to limit assets after the position.
func pageAfter(all []*model.ThemeAsset, after *page.Position, limit int) []*model.ThemeAsset {
	if after != nil {
		i := slices.IndexFunc(all, func(a *model.ThemeAsset) bool { return a.ID == after.ID })
		all = all[i+1:]
	}
	return all[:min(len(all), limit)]
}

// assets returns all assets of a theme of the viewer's store, by path. A theme that is not ready
// has none.
func (r *Resolver) assets(ctx context.Context, id xid.ID) ([]*model.ThemeAsset, error) {
	status, err := r.themeStatus(ctx, id)
	if err != nil || status != state.ThemeInactive {
		return nil, err
	}
	if all, ok := r.assetsOf.Get(id); ok {
		return all, nil
	}
	query := r.Client(ctx).ThemeAsset.Query().Where(themeasset.ThemeID(id))
	query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(assetIndex)(s)
		s.OrderBy(s.C(themeasset.FieldPath))
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	host, err := r.StoreURL(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]*model.ThemeAsset, len(rows))
	for i, a := range rows {
		all[i] = &model.ThemeAsset{ThemeAsset: a, Host: host}
	}
	r.assetsOf.Put(id, all, int64(len(all)+1))
	return all, nil
}

// themeStatus reads only the state of a theme of the viewer's store, which also shows that it
// exists.
func (r *Resolver) themeStatus(ctx context.Context, id xid.ID) (status state.ThemeStatus, err error) {
	rows, err := r.Client(ctx).QueryContext(ctx, "SELECT status FROM themes WHERE store_id = ? AND id = ?",
		viewer.From(ctx).Store, id)
	if err != nil {
		return "", fmt.Errorf("read theme: %w", err)
	}
	defer rows.Close()
	if !rows.Next() {
		return "", errors.Join(rows.Err(), core.ErrNoRow)
	}
	return status, rows.Scan(&status)
}
