package appearance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Themes lists the themes of the store, newest first. A page takes two statements: the themes, and
// the store, which names the active one.
func (q Query) Themes(ctx context.Context, first *int, after *string) (*model.ThemeConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Theme]{
		Name: "themes",
		At:   func(t *model.Theme) page.Position { return core.ByID(t.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Theme, error) {
			query := q.Client(ctx).Theme.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			if err != nil {
				return nil, err
			}
			s, err := q.CurrentStore(ctx)
			if err != nil {
				return nil, err
			}
			shown, offers := make([]*model.Theme, len(rows)), q.offers(rows)
			for i, t := range rows {
				shown[i] = q.shownTheme(s, t)
				shown[i].Offers = offers
			}
			return shown, nil
		},
	}, first, after)
}

// Theme returns one theme of the store.
func (q Query) Theme(ctx context.Context, id string) (*model.Theme, error) {
	t, err := core.Get(ctx, xid.Theme, id, q.theme)
	if err != nil {
		return nil, err
	}
	s, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	return q.shownTheme(s, t), nil
}

func (r *Resolver) theme(ctx context.Context, id xid.ID) (*db.Theme, error) {
	return core.Only(r.Client(ctx).Theme.Query().Where(themes.ID(id)).Load(ctx))
}

func (r *Resolver) lockedTheme(ctx context.Context, id xid.ID) (*db.Theme, error) {
	return core.Row(ctx, r.Client(ctx).Theme.Query().Where(themes.ID(id)), ent.ForUpdate)
}

// shownTheme returns a theme with the data that depends on its store.
func (r *Resolver) shownTheme(s *db.Store, t *db.Theme) *model.Theme {
	shown := &model.Theme{Theme: t, Active: active(s, t.ID), Offers: r.offers([]*db.Theme{t})}
	if t.Status == state.ThemeInactive {
		shown.PreviewURL = new(r.PreviewURL(s, t.ID))
	}
	if t.Preview != nil {
		shown.PreviewImageURL = new(r.APIHost + *t.Preview)
	}
	return shown
}

func active(s *db.Store, id xid.ID) bool { return s.ActiveThemeID != nil && *s.ActiveThemeID == id }

const (
	assetIndex = "themeasset_store_id_theme_id_path"
	maxAssets  = 20_000
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
	all := core.Map(rows, func(a *db.ThemeAsset) *model.ThemeAsset {
		return &model.ThemeAsset{ThemeAsset: a, Host: host}
	})
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
