package appearance

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/db/themeupload"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// themeEdit is a change of one theme.
type themeEdit = core.Edit[*db.Theme, *db.ThemeUpdate]

// themes is how the themes of a store change, whose rows the transaction has locked:
// they have no version that callers know.
func (r *Resolver) themes(s *db.Store) *core.Versioned[*db.Theme, *db.ThemeUpdate] {
	return &core.Versioned[*db.Theme, *db.ThemeUpdate]{
		Kind: xid.Theme,
		Head: func(t *db.Theme) core.Head {
			return core.Head{Store: t.StoreID, ID: t.ID,
				Version: &t.Version, Sequence: &t.EventSequence, UpdatedAt: &t.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.ThemeUpdate {
			return r.Client(ctx).Theme.Update().Where(themes.ID(id), themes.Version(version))
		},
		Object: func(t *db.Theme) []byte {
			shown := r.shownTheme(s, t)
			return wire.AppendTheme(nil, t, shown.Status(), shown.PreviewURL)
		},
	}
}

// withTheme runs f on a theme and its store, both locked, in one transaction. The
// store's row comes first everywhere: what decides by it waits there.
func (m Mutation) withTheme(ctx context.Context, id string,
	f func(context.Context, *db.Store, *db.Theme) (*core.Record, error),
) error {
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return err
	}
	return m.Commit(ctx, xid.Theme, func(ctx context.Context) (*core.Record, error) {
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, err
		}
		t, err := m.theme(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		return f(ctx, s, t)
	})
}

// changeTheme runs edit on a theme.
func (m Mutation) changeTheme(ctx context.Context, id, action string,
	edit func(context.Context, *db.Store, *themeEdit) error,
) (*model.ThemePayload, error) {
	var shown *model.Theme
	err := m.withTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) (*core.Record, error) {
		done, err := m.themes(s).Apply(ctx, t, action, func(ctx context.Context, e *themeEdit) error {
			return edit(ctx, s, e)
		})
		shown = m.shownTheme(s, t)
		return done, err
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemePayload{Theme: shown}, nil
}

// ThemeActivate shows a theme on the storefront. The one that was active is not
// any more, since the store names one. Activating the active one changes nothing.
func (m Mutation) ThemeActivate(ctx context.Context, id string) (*model.ThemePayload, error) {
	return m.changeTheme(ctx, id, "theme.activate", func(ctx context.Context, s *db.Store, e *themeEdit) error {
		switch {
		case active(s, e.Row.ID):
			return nil
		case e.Row.Status != state.ThemeInactive:
			return notReady(e.Row)
		}
		e.Row.ActivatedAt = new(e.Now)
		e.Update.SetActivatedAt(e.Now)
		e.Emit(event.ThemeActivated)
		return m.pointTo(ctx, s, e.Row.ID)
	})
}

// pointTo makes a theme the active one, if the store's active one still is as it
// was read.
func (m Mutation) pointTo(ctx context.Context, s *db.Store, id xid.ID) error {
	before := store.ActiveThemeIDIsNil()
	if s.ActiveThemeID != nil {
		before = store.ActiveThemeID(*s.ActiveThemeID)
	}
	s.ActiveThemeID = &id
	s.Version++
	s.UpdatedAt = core.UpdateTime(ctx, s.UpdatedAt)
	n, err := m.Client(ctx).Store.Update().Where(store.ID(s.ID), before).
		SetActiveThemeID(id).SetVersion(s.Version).SetUpdatedAt(s.UpdatedAt).Save(ctx)
	return core.Swapped(xid.Store, n, err)
}

// notReady refuses what needs a theme that has been processed.
func notReady(t *db.Theme) error {
	if t.Status == state.ThemeFailed {
		return fault.State(fault.ThemeNotReady, "The theme could not be processed: import it again.")
	}
	return fault.State(fault.ThemeNotReady, "The theme is still being processed.")
}

// ThemeRename gives a theme another name. The same one changes nothing.
func (m Mutation) ThemeRename(ctx context.Context, id, name string) (*model.ThemePayload, error) {
	c := &core.Check{}
	c.Line("name", name, limit.Line)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeTheme(ctx, id, "theme.rename", func(_ context.Context, _ *db.Store, e *themeEdit) error {
		core.Replace(&e.Changed, &name, "name", &e.Row.Name, e.Update.SetName)
		return nil
	})
}

// ThemeDelete removes a theme that is not active, its assets with it. The bytes of
// the assets may be those of other themes, so they stay until a sweep finds that
// they are not.
func (m Mutation) ThemeDelete(ctx context.Context, id string) (*model.ThemeDeletePayload, error) {
	err := m.withTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) (*core.Record, error) {
		if active(s, t.ID) {
			return nil, fault.State(fault.ThemeActive, "The storefront shows the theme: activate another one first.")
		}
		c := m.Client(ctx)
		n, err := c.Theme.Delete().Where(themes.ID(t.ID), themes.Version(t.Version)).Exec(ctx)
		if err := core.Swapped(xid.Theme, n, err); err != nil {
			return nil, err
		}
		if _, err := c.ThemeAsset.Delete().Where(themeasset.ThemeID(t.ID)).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete assets: %w", err)
		}
		if _, err := c.ThemeUpload.Delete().Where(themeupload.ID(t.ID)).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete archive: %w", err)
		}
		return m.themes(s).Made(t, "theme.delete", ""), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemeDeletePayload{DeletedID: &id}, nil
}
