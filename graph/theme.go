package graph

import (
	"context"
	"fmt"
	"sync"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// assetIndex leads from a theme to its assets, by path.
const assetIndex = "themeasset_store_id_theme_id_path"

// Themes lists the themes of the store, newest first. A page costs two
// statements: the themes, and the store, which says which one is active.
func (q Query) Themes(ctx context.Context, first *int, after *string) (*model.ThemeConnection, error) {
	return connect(ctx, q.Resolver, list[*model.Theme]{
		name: "themes",
		at:   func(t *model.Theme) page.Position { return byID(t.ID) },
		read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Theme, error) {
			query := q.client(ctx).Theme.Query()
			query.Modify(window{after: after, limit: limit, index: primary}.apply)
			rows, err := query.Load(ctx)
			if err != nil {
				return nil, err
			}
			s, err := q.store(ctx)
			if err != nil {
				return nil, err
			}
			shown := make([]*model.Theme, len(rows))
			for i, t := range rows {
				shown[i] = q.shownTheme(s, t)
			}
			return shown, nil
		},
	}, first, after)
}

// Theme returns one theme of the store.
func (q Query) Theme(ctx context.Context, id string) (*model.Theme, error) {
	uid, err := parseID(xid.Theme, id)
	if err != nil {
		return nil, err
	}
	t, err := q.theme(ctx, uid, plain)
	if err != nil {
		return nil, explain("theme", err)
	}
	s, err := q.store(ctx)
	if err != nil {
		return nil, explain("theme", err)
	}
	return q.shownTheme(s, t), nil
}

// theme reads one theme of the viewer's store.
func (r *Resolver) theme(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Theme, error) {
	query := r.client(ctx).Theme.Query().Where(themes.ID(id))
	query.Modify(lock)
	return only(query.Load(ctx))
}

// shownTheme is a theme with what its store's row says of it.
func (r *Resolver) shownTheme(s *db.Store, t *db.Theme) *model.Theme {
	shown := &model.Theme{Theme: t, Active: active(s, t.ID)}
	if t.Status == state.ThemeInactive {
		shown.PreviewURL = new(r.previewURL(s, t.ID))
	}
	if t.Preview != nil {
		shown.PreviewImageURL = new(r.APIHost + *t.Preview)
	}
	return shown
}

// active tells whether a store shows a theme.
func active(s *db.Store, id xid.ID) bool { return s.ActiveThemeID != nil && *s.ActiveThemeID == id }

// ThemeAssets lists the assets of a theme, by key. A first page costs one
// statement; that a theme exists is asked only where it shows no assets.
func (q Query) ThemeAssets(ctx context.Context, themeID string, first *int, after *string) (*model.ThemeAssetConnection, error) {
	id, err := parseID(xid.Theme, themeID)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, q.Resolver, list[*model.ThemeAsset]{
		name: "theme_assets", filters: []string{"theme_id", id.String()},
		at: func(a *model.ThemeAsset) page.Position { return byID(a.ID) },
		read: func(ctx context.Context, after *page.Position, limit int) ([]*model.ThemeAsset, error) {
			rows, err := q.assets(ctx, id, after, limit)
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			return q.shownAssets(ctx, rows)
		},
	}, first, after)
	if err == nil && len(c.Nodes) == 0 {
		if _, err := q.theme(ctx, id, plain); err != nil {
			return nil, explain("theme", err)
		}
	}
	return c, err
}

// assets reads the assets of a theme behind one, which the position names by its
// id. One that is gone is no position: then its theme is gone, too.
func (r *Resolver) assets(ctx context.Context, id xid.ID, after *page.Position, limit int) ([]*db.ThemeAsset, error) {
	query := r.client(ctx).ThemeAsset.Query().Where(themeasset.ThemeID(id))
	if after != nil {
		last, err := r.client(ctx).ThemeAsset.Query().Where(themeasset.ID(after.ID), themeasset.ThemeID(id)).Load(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range last {
			query.Where(themeasset.PathGT(a.Path))
		}
	}
	query.Modify(func(s *sql.Selector) {
		force(s, assetIndex)
		s.OrderBy(s.C(themeasset.FieldPath)).Limit(limit)
	})
	return query.Load(ctx)
}

// shownAssets are assets under the host of the store.
func (r *Resolver) shownAssets(ctx context.Context, rows []*db.ThemeAsset) ([]*model.ThemeAsset, error) {
	host, err := r.storeURL(ctx)
	if err != nil {
		return nil, err
	}
	shown, slab := make([]*model.ThemeAsset, len(rows)), make([]model.ThemeAsset, len(rows))
	for i, a := range rows {
		slab[i] = model.ThemeAsset{ThemeAsset: a, Host: host}
		shown[i] = &slab[i]
	}
	return shown, nil
}

// storeURL is scheme and host of the viewer's store.
func (r *Resolver) storeURL(ctx context.Context) (string, error) {
	handle, err := r.handles.of(ctx, r)
	if err != nil {
		return "", err
	}
	return r.storeOrigin(handle), nil
}

// maxHandles is how many handles are remembered.
const maxHandles = 10_000

// handles remembers the handles of stores, which never change.
type handles struct {
	mu   sync.Mutex
	byID map[xid.ID]string
}

// of returns the handle of the viewer's store.
func (h *handles) of(ctx context.Context, r *Resolver) (string, error) {
	id := viewer.From(ctx).Store
	h.mu.Lock()
	handle, ok := h.byID[id]
	h.mu.Unlock()
	if ok {
		return handle, nil
	}
	s, err := only(r.client(ctx).Store.Query().Where(store.ID(id)).Load(ctx))
	if err != nil {
		return "", fmt.Errorf("read handle: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byID == nil || len(h.byID) >= maxHandles {
		h.byID = map[xid.ID]string{}
	}
	h.byID[id] = s.Handle
	return s.Handle, nil
}
