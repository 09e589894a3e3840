package appearance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	pictures "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
)

// ThemeUpdate adds the marketplace's present version of a theme, with the theme's settings that the
// new version still has. The old theme remains: shoppers see the new one when it is activated, and
// activating the old one reverts the update.
func (m Mutation) ThemeUpdate(ctx context.Context, id string) (*model.ThemePayload, error) {
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return nil, err
	}
	return m.addTheme(ctx, "theme.update", nil, func(ctx context.Context) (a install.Addition, err error) {
		t, err := m.lockedTheme(ctx, uid)
		if err != nil {
			return a, err
		}
		if t.Status != state.ThemeInactive {
			return a, notReady(t)
		}
		l, err := m.newer(ctx, t)
		if err != nil {
			return a, err
		}
		a = install.Addition{Name: t.Name, Source: state.ThemeMarketplace, Listing: &l.ID, Sum: l.Checksum}
		if a.Package, err = m.Themes.Package(ctx, l.Checksum); err != nil {
			return a, fmt.Errorf("update theme: %w", err)
		}
		a.Settings, err = carried(t, a.Package)
		return a, err
	})
}

// newer returns the marketplace theme that a theme was installed from, if it has another version by
// now.
func (m Mutation) newer(ctx context.Context, t *db.Theme) (*db.MarketplaceTheme, error) {
	if t.MarketplaceThemeID == nil {
		return nil, current()
	}
	l, err := m.listing(m.Store.Aside(ctx), *t.MarketplaceThemeID, ent.NoLock)
	if errors.Is(err, core.ErrNoRow) || err == nil && !updates(l, t) {
		return nil, current()
	}
	return l, err
}

func updates(l *db.MarketplaceTheme, t *db.Theme) bool {
	return l.Status == state.ListingPublished && l.PriceMinor == 0 && l.Checksum != t.Checksum
}

func current() error {
	return fault.State(fault.InvalidTransition, "The marketplace has no other version of the theme.")
}

// carried returns the settings of a theme that are valid in another version of it.
func carried(t *db.Theme, p *theme.Package) (document.ThemeSettings, error) {
	set, err := t.Settings.Values()
	if err != nil || len(set) == 0 {
		return nil, err
	}
	maps.DeleteFunc(set, func(name, value string) bool {
		i := slices.IndexFunc(p.Manifest.Settings, func(s theme.Setting) bool { return s.Name == name })
		if i < 0 {
			return true
		}
		s := p.Manifest.Settings[i]
		elsewhere := s.Kind == state.SettingImage && (strings.HasPrefix(value, "https:") ||
			pictures.IsPath(value))
		return !elsewhere && s.Problem(value, p) != ""
	})
	return document.NewThemeSettings(set), nil
}

func (r *Resolver) offers(rows []*db.Theme) *model.Batch[xid.ID, *db.MarketplaceTheme] {
	ids := func() []xid.ID {
		return core.IDs(rows, func(t *db.Theme) *xid.ID { return t.MarketplaceThemeID })
	}
	return model.NewBatch(ids, func(ctx context.Context, ids []xid.ID) (map[xid.ID]*db.MarketplaceTheme, error) {
		of := make(map[xid.ID]*db.MarketplaceTheme, len(ids))
		if len(ids) == 0 {
			return of, nil
		}
		list, err := r.Client(ctx).MarketplaceTheme.Query().Where(marketplacetheme.IDIn(ids...)).Load(ctx)
		for _, l := range list {
			of[l.ID] = l
		}
		return of, err
	})
}

// ThemeFields resolves the fields of a theme that need queries.
type ThemeFields struct{ *Resolver }

// NewVersion returns the version to which a theme can be updated, or nil.
func (f ThemeFields) NewVersion(ctx context.Context, t *model.Theme) (*string, error) {
	if t.MarketplaceThemeID == nil {
		return nil, nil
	}
	l, err := t.Offers.Get(ctx, *t.MarketplaceThemeID)
	if err != nil || l == nil || t.Theme.Status != state.ThemeInactive || !updates(l, t.Theme) {
		return nil, core.Explain("theme", err)
	}
	return &l.ThemeVersion, nil
}
