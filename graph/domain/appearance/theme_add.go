package appearance

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/model"
)

// addTheme adds the theme that f returns to the viewer's store in one transaction, within the
// limits. With an archive, the theme is built from it later. The keeper of the themes writes their
// events.
func (m Mutation) addTheme(ctx context.Context, action string, archive []byte,
	f func(context.Context) (install.Addition, error),
) (*model.ThemePayload, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	var shown *model.Theme
	err := m.Commit(ctx, xid.Theme, func(ctx context.Context) (*change.Record, error) {
		if err := m.roomForTheme(ctx); err != nil {
			return nil, err
		}
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, err
		}
		a, err := f(ctx)
		if err != nil {
			return nil, err
		}
		if err := m.spaceForTheme(ctx, a.Package.Size()); err != nil {
			return nil, err
		}
		var t *db.Theme
		if archive != nil {
			t, err = m.Themes.Accept(ctx, a, archive)
		} else {
			t, err = m.Themes.Add(ctx, s, a)
		}
		if err != nil {
			return nil, err
		}
		shown = m.shownTheme(s, t)
		return m.themes(s).Created(t, action, ""), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemePayload{Theme: shown}, nil
}

// roomForTheme refuses a theme above the limit.
func (m Mutation) roomForTheme(ctx context.Context) error {
	return m.Room(ctx, limit.Themes, ent.Primary,
		func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).Theme.Query().Modify(pick).Scan(ctx, ids)
		})
}

// spaceForTheme refuses a theme that would exceed the store's limit of theme bytes. Each theme
// counts in full, even if themes share stored files.
func (m Mutation) spaceForTheme(ctx context.Context, size int64) error {
	return m.SpaceLeft(ctx, limit.ThemeBytes, size, func(lock func(*sql.Selector), sizes any) error {
		query := m.Client(ctx).Theme.Query()
		query.Modify(lock, ent.ForceIndex(ent.Primary))
		return query.Select(theme.FieldSizeBytes).Scan(ctx, sizes)
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
	return m.addTheme(ctx, "theme.duplicate", nil, func(ctx context.Context) (a install.Addition, err error) {
		t, err := m.theme(ctx, uid, ent.ForUpdate)
		if err != nil {
			return a, err
		}
		if t.Status != state.ThemeInactive {
			return a, notReady(t)
		}
		a = install.Addition{Name: clipped("Copy of "+t.Name, limit.Line), Source: state.ThemeDuplicate,
			Sum: t.Checksum, Settings: t.Settings}
		core.Opt(name, func(s string) { a.Name = s })
		if a.Package, err = m.Themes.Package(ctx, t.Checksum); err != nil {
			return a, fmt.Errorf("duplicate theme: %w", err)
		}
		return a, nil
	})
}

// ThemeInstall adds a published theme of the marketplace, which must be free.
func (m Mutation) ThemeInstall(ctx context.Context, marketplaceThemeID string) (*model.ThemePayload, error) {
	uid, err := core.ParseID(xid.MarketplaceTheme, marketplaceThemeID)
	if err != nil {
		return nil, err
	}
	return m.addTheme(ctx, "theme.install", nil, func(ctx context.Context) (a install.Addition, err error) {
		l, err := m.countInstall(ctx, uid)
		if err != nil {
			return a, core.Explain("marketplace theme", err)
		}
		a = install.Addition{Name: l.Name, Source: state.ThemeMarketplace, Listing: &l.ID, Sum: l.Checksum}
		if a.Package, err = m.Themes.Package(ctx, l.Checksum); err != nil {
			return a, fmt.Errorf("install theme: %w", err)
		}
		return a, nil
	})
}

// clipped truncates a text to at most n code points.
func clipped(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
