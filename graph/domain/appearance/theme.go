package appearance

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/state"
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
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return nil, err
	}
	t, err := q.theme(ctx, uid, ent.NoLock)
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	s, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	return q.shownTheme(s, t), nil
}

// theme reads one theme of the viewer's store.
func (r *Resolver) theme(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Theme, error) {
	query := r.Client(ctx).Theme.Query().Where(themes.ID(id))
	query.Modify(lock)
	return core.Only(query.Load(ctx))
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

// active reports whether a theme is the store's active theme.
func active(s *db.Store, id xid.ID) bool { return s.ActiveThemeID != nil && *s.ActiveThemeID == id }
