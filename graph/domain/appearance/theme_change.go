package appearance

import (
	"context"
	"fmt"

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
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

type themeEdit = change.Edit[*db.Theme, *db.ThemeUpdate]

// themes describes how the themes of a store change. Callers know no version, so the transaction
// must have locked the row.
func (r *Resolver) themes(s *db.Store) *change.Versioned[*db.Theme, *db.ThemeUpdate] {
	return &change.Versioned[*db.Theme, *db.ThemeUpdate]{
		Kind: xid.Theme,
		Head: func(t *db.Theme) change.Head {
			return change.Head{Store: t.StoreID, ID: t.ID,
				Version: &t.Version, Sequence: &t.EventSequence, UpdatedAt: &t.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.ThemeUpdate {
			return r.Client(ctx).Theme.Update().Where(themes.ID(id), themes.Version(version))
		},
		Object: func(t *db.Theme) []byte {
			shown := r.shownTheme(s, t)
			return wire.AppendTheme(nil, t, shown.Status(), shown.PreviewURL)
		},
		Recorded: r.countThemeChange,
	}
}

// withTheme runs f on a theme and its store, both locked, in one transaction. All such changes lock
// the store's row first.
func (m Mutation) withTheme(ctx context.Context, id string,
	f func(context.Context, *db.Store, *db.Theme) (*change.Record, error),
) error {
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return err
	}
	return m.Commit(ctx, xid.Theme, func(ctx context.Context) (*change.Record, error) {
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, err
		}
		t, err := m.lockedTheme(ctx, uid)
		if err != nil {
			return nil, err
		}
		return f(ctx, s, t)
	})
}

func (m Mutation) changeTheme(ctx context.Context, id, action string,
	edit func(context.Context, *db.Store, *themeEdit) error,
) (*model.ThemePayload, error) {
	var shown *model.Theme
	err := m.withTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) (*change.Record, error) {
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

// ThemeActivate makes a theme the active one of the storefront, instead of the present one. It does
// nothing if the theme is active already.
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

// pointTo makes a theme the active one, if the store's active theme has not changed since it was
// read.
func (m Mutation) pointTo(ctx context.Context, s *db.Store, id xid.ID) error {
	before := store.ActiveThemeIDIsNil()
	if s.ActiveThemeID != nil {
		before = store.ActiveThemeID(*s.ActiveThemeID)
	}
	s.ActiveThemeID = &id
	s.Version++
	s.UpdatedAt = change.UpdateTime(ctx, s.UpdatedAt)
	n, err := m.Client(ctx).Store.Update().Where(store.ID(s.ID), before).
		SetActiveThemeID(id).SetVersion(s.Version).SetUpdatedAt(s.UpdatedAt).Save(ctx)
	return change.Swapped(xid.Store, n, err)
}

func notReady(t *db.Theme) error {
	if t.Status == state.ThemeFailed {
		return fault.State(fault.ThemeNotReady, "The theme could not be processed. Import it again.")
	}
	return fault.State(fault.ThemeNotReady, "The theme is still being processed.")
}

// ThemeRename renames a theme.
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

// ThemeDelete deletes a theme that is not active, with its assets. Their files may be shared with
// other themes, so a later sweep deletes unused ones.
func (m Mutation) ThemeDelete(ctx context.Context, id string) (*model.ThemeDeletePayload, error) {
	err := m.withTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) (*change.Record, error) {
		if active(s, t.ID) {
			return nil, fault.State(fault.ThemeActive, "The storefront uses this theme. Activate another one first.")
		}
		c := m.Client(ctx)
		n, err := c.Theme.Delete().Where(themes.ID(t.ID), themes.Version(t.Version)).Exec(ctx)
		if err := change.Swapped(xid.Theme, n, err); err != nil {
			return nil, err
		}
		if _, err := c.ThemeAsset.Delete().Where(themeasset.ThemeID(t.ID)).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete assets: %w", err)
		}
		if _, err := c.ThemeUpload.Delete().Where(themeupload.ID(t.ID)).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete archive: %w", err)
		}
		return m.themes(s).Created(t, "theme.delete", ""), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemeDeletePayload{DeletedID: &id}, nil
}
