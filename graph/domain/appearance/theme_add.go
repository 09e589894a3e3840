package appearance

import (
	"context"
	"errors"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/lib/theme"
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
	return core.Commit(ctx, m.Core, xid.Theme, func(ctx context.Context) (*model.ThemePayload, *change.Record, error) {
		err := m.Room(ctx, limit.Themes, ent.Primary, core.FindIn(ctx, m.Client(ctx).Theme.Query()))
		if err != nil {
			return nil, nil, err
		}
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, nil, err
		}
		a, err := f(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := m.spaceForTheme(ctx, a.Package.Size()); err != nil {
			return nil, nil, err
		}
		var t *db.Theme
		if archive != nil {
			t, err = m.Themes.Accept(ctx, a, archive)
		} else {
			t, err = m.Themes.Add(ctx, s, a)
		}
		if err != nil {
			return nil, nil, err
		}
		return &model.ThemePayload{Theme: m.shownTheme(s, t)}, m.themes(s).Created(t, action, ""), nil
	})
}

// spaceForTheme refuses a theme that would exceed the store's limit of theme bytes. Each theme
// counts in full, even if themes share stored files.
func (m Mutation) spaceForTheme(ctx context.Context, size int64) error {
	return m.SpaceLeft(ctx, limit.ThemeBytes, size, func(lock func(*sql.Selector), sizes any) error {
		query := m.Client(ctx).Theme.Query()
		query.Modify(lock, ent.ForceIndex(ent.Primary))
		return query.Select(themes.FieldSizeBytes).Scan(ctx, sizes)
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
		t, err := m.lockedTheme(ctx, uid)
		if err != nil {
			return a, err
		}
		if t.Status != state.ThemeInactive {
			return a, notReady(t)
		}
		a = install.Addition{Name: clipped("Copy of "+t.Name, limit.Line), Source: state.ThemeDuplicate,
			Sum: t.Checksum, Settings: t.Settings}
		core.Opt(name, func(s string) { a.Name = s })
		a.Package, err = m.Themes.Package(ctx, t.Checksum)
		return a, fault.Wrap("duplicate theme", err)
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
		a.Package, err = m.Themes.Package(ctx, l.Checksum)
		return a, fault.Wrap("install theme", err)
	})
}

func clipped(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// MaxArchive is the largest archive in bytes.
const MaxArchive = 10 << 20

// ThemeImport adds a theme from a ZIP archive. It validates the archive before it writes anything.
// A later round unpacks the archive, after which the theme is ready.
func (m Mutation) ThemeImport(ctx context.Context, in model.ThemeImportInput) (*model.ThemePayload, error) {
	c := &core.Check{}
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	judged := in.Judged
	if judged == nil {
		judged = m.validate(ctx, c, in.Archive)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if problems, ok := errors.AsType[*theme.Problems](judged.Err); ok {
		return nil, problemsOf(problems)
	}
	if judged.Err != nil {
		return nil, fmt.Errorf("validate theme: %w", judged.Err)
	}
	p := judged.Package
	a := install.Addition{Name: p.Manifest.Name, Source: state.ThemeUploaded, Package: p, Sum: digest.Of(p.Encode())}
	core.Opt(in.Name, func(s string) { a.Name = s })
	added, err := m.addTheme(ctx, "theme.import", judged.Archive, func(context.Context) (install.Addition, error) {
		return a, nil
	})
	if added != nil {
		added.IgnoredFiles = p.Ignored
	}
	return added, err
}

// ValidateArchive validates a base64 archive for the input of an import. Callers use it before a
// transaction, such as that of an idempotency key, which should not last as long. It returns nil if
// the archive is malformed; the import then reports it.
func (r *Resolver) ValidateArchive(ctx context.Context, text string) *theme.Judged {
	return r.validate(ctx, &core.Check{}, text)
}

func (r *Resolver) validate(ctx context.Context, c *core.Check, text string) *theme.Judged {
	archive := c.File("archive", "archive", text, MaxArchive)
	if c.Err() != nil {
		return nil
	}
	p, err := r.Themes.Read(ctx, archive)
	return &theme.Judged{Archive: archive, Package: p, Err: err}
}

func problemsOf(problems *theme.Problems) error {
	return fault.Invalid(core.Map(problems.List, func(p theme.Problem) fault.Field {
		return fault.Field{Pointer: "#/archive", Code: fault.InvalidFormat, Detail: p.String()}
	})...)
}
