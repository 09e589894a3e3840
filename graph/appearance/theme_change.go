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
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/install"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/wire"
)

// changeTheme runs f on a theme and its store, both locked, in one transaction.
// The store's row comes first everywhere: what decides by it waits there.
func (m Mutation) changeTheme(ctx context.Context, id string, f func(context.Context, *db.Store, *db.Theme) error) (*model.ThemePayload, error) {
	uid, err := core.ParseID(xid.Theme, id)
	if err != nil {
		return nil, err
	}
	var shown *model.Theme
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		s, err := m.LockedStore(ctx)
		if err != nil {
			return err
		}
		t, err := m.theme(ctx, uid, ent.ForUpdate)
		if err != nil {
			return err
		}
		if err := f(ctx, s, t); err != nil {
			return err
		}
		shown = m.shownTheme(s, t)
		return nil
	})
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	return &model.ThemePayload{Theme: shown}, nil
}

// saveTheme writes a change of a theme, which raises its version and, with an
// event, its sequence.
func (m Mutation) saveTheme(ctx context.Context, t *db.Theme, events int64, action string, set func(*db.ThemeUpdate)) error {
	update := m.Client(ctx).Theme.Update().Where(themes.ID(t.ID), themes.Version(t.Version))
	t.Version++
	t.EventSequence += events
	t.UpdatedAt = core.UpdateTime(t.UpdatedAt)
	set(update)
	n, err := update.SetVersion(t.Version).SetEventSequence(t.EventSequence).SetUpdatedAt(t.UpdatedAt).Save(ctx)
	if err := core.Swapped(xid.Theme, n, err); err != nil {
		return err
	}
	return audit.Write(ctx, m.Client(ctx), action, xid.Theme, t.ID, "")
}

// ThemeActivate shows a theme on the storefront. The one that was active is not
// any more, since the store names one. Activating the active one changes nothing.
func (m Mutation) ThemeActivate(ctx context.Context, id string) (*model.ThemePayload, error) {
	return m.changeTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) error {
		switch {
		case active(s, t.ID):
			return nil
		case t.Status != state.ThemeInactive:
			return notReady(t)
		}
		if err := m.pointTo(ctx, s, t.ID); err != nil {
			return err
		}
		err := m.saveTheme(ctx, t, 1, "theme.activate", func(u *db.ThemeUpdate) {
			t.ActivatedAt = new(t.UpdatedAt)
			u.SetActivatedAt(t.UpdatedAt)
		})
		if err != nil {
			return err
		}
		shown := m.shownTheme(s, t)
		return outbox.Append(ctx, m.Client(ctx), install.Resource(t),
			outbox.Entry{Type: event.ThemeActivated, Object: wire.AppendTheme(nil, t, shown.Status(), shown.PreviewURL)})
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
	s.UpdatedAt = core.UpdateTime(s.UpdatedAt)
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
	return m.changeTheme(ctx, id, func(ctx context.Context, _ *db.Store, t *db.Theme) error {
		if t.Name == name {
			return nil
		}
		return m.saveTheme(ctx, t, 0, "theme.rename", func(u *db.ThemeUpdate) {
			t.Name = name
			u.SetName(name)
		})
	})
}

// ThemeDelete removes a theme that is not active, its assets with it. The bytes of
// the assets may be those of other themes, so they stay until a sweep finds that
// they are not.
func (m Mutation) ThemeDelete(ctx context.Context, id string) (*model.ThemeDeletePayload, error) {
	_, err := m.changeTheme(ctx, id, func(ctx context.Context, s *db.Store, t *db.Theme) error {
		if active(s, t.ID) {
			return fault.State(fault.ThemeActive, "The storefront shows the theme: activate another one first.")
		}
		c := m.Client(ctx)
		n, err := c.Theme.Delete().Where(themes.ID(t.ID), themes.Version(t.Version)).Exec(ctx)
		if err := core.Swapped(xid.Theme, n, err); err != nil {
			return err
		}
		if _, err := c.ThemeAsset.Delete().Where(themeasset.ThemeID(t.ID)).Exec(ctx); err != nil {
			return fmt.Errorf("delete assets: %w", err)
		}
		if _, err := c.ThemeUpload.Delete().Where(themeupload.ID(t.ID)).Exec(ctx); err != nil {
			return fmt.Errorf("delete archive: %w", err)
		}
		return audit.Write(ctx, c, "theme.delete", xid.Theme, t.ID, "")
	})
	if err != nil {
		return nil, err
	}
	return &model.ThemeDeletePayload{DeletedID: &id}, nil
}
