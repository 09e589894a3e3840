package appearance

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/install"
	"github.com/storefront-go/storefront/graph/model"
)

// addTheme runs f with the viewer's store, which has room for a theme, in one
// transaction. The keeper of the themes writes their events.
func (m Mutation) addTheme(ctx context.Context, action string,
	f func(context.Context, *db.Store) (*db.Theme, error),
) (*model.ThemePayload, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	var shown *model.Theme
	err := m.Commit(ctx, xid.Theme, func(ctx context.Context) (*core.Record, error) {
		if err := m.roomForTheme(ctx); err != nil {
			return nil, err
		}
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, err
		}
		t, err := f(ctx, s)
		if err != nil {
			return nil, err
		}
		shown = m.shownTheme(s, t)
		return m.themes(s).Made(t, action, ""), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemePayload{Theme: shown}, nil
}

// roomForTheme refuses a theme above the limit, as [Mutation.roomForApp] refuses
// an app.
func (m Mutation) roomForTheme(ctx context.Context) error {
	return m.Room(ctx, core.Quota{What: "themes", Most: limit.Themes, Index: ent.Primary},
		func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).Theme.Query().Modify(pick).Scan(ctx, ids)
		})
}

// ThemeDuplicate adds a copy of a theme.
func (m Mutation) ThemeDuplicate(ctx context.Context, id string, name *string) (*model.ThemePayload, error) {
	c := &core.Check{}
	core.Opt(name, func(s string) { c.Line("name", s, limit.Line) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return nil, err
	}
	return m.addTheme(ctx, "theme.duplicate", func(ctx context.Context, s *db.Store) (*db.Theme, error) {
		t, err := m.theme(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if t.Status != state.ThemeInactive {
			return nil, notReady(t)
		}
		a := install.Addition{Name: clipped("Copy of "+t.Name, limit.Line), Source: state.ThemeDuplicate,
			Sum: t.Checksum}
		core.Opt(name, func(s string) { a.Name = s })
		if a.Package, err = m.Themes.Package(ctx, t.Checksum); err != nil {
			return nil, fmt.Errorf("duplicate theme: %w", err)
		}
		return m.Themes.Add(ctx, s, a)
	})
}

// ThemeInstall adds a published theme of the marketplace, which must be free.
func (m Mutation) ThemeInstall(ctx context.Context, marketplaceThemeID string) (*model.ThemePayload, error) {
	uid, err := core.ParseID(xid.MarketplaceTheme, marketplaceThemeID)
	if err != nil {
		return nil, err
	}
	return m.addTheme(ctx, "theme.install", func(ctx context.Context, s *db.Store) (*db.Theme, error) {
		l, err := m.countInstall(ctx, uid)
		if err != nil {
			return nil, core.Explain(core.KindName(xid.MarketplaceTheme), err)
		}
		a := install.Addition{Name: l.Name, Source: state.ThemeMarketplace, Listing: &l.ID, Sum: l.Checksum}
		if a.Package, err = m.Themes.Package(ctx, l.Checksum); err != nil {
			return nil, fmt.Errorf("install theme: %w", err)
		}
		return m.Themes.Add(ctx, s, a)
	})
}

// clipped shortens a text to at most n code points.
func clipped(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
