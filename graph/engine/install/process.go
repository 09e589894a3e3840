package install

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeupload"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// unusable reports that an archive will never become a theme. Its text is safe to show.
type unusable struct{ why string }

// Error implements error.
func (u *unusable) Error() string { return u.why }

// process turns an archive into a theme. It writes the bytes first, which nothing refers to yet and
// which are the same however often they are written, and then all rows at once.
func (k *Keeper) process(ctx context.Context, row *db.Theme) error {
	p, err := k.read(ctx, row.ID)
	if err != nil {
		return err
	}
	if err := k.keepAssets(ctx, p); err != nil {
		return err
	}
	return k.finish(ctx, row, p)
}

// read reads the archive again, which was valid: only a newer version of the program refuses it.
func (k *Keeper) read(ctx context.Context, id xid.ID) (*theme.Package, error) {
	upload, err := only(k.Store.DB(ctx).ThemeUpload.Query().Where(themeupload.ID(id)).Load(ctx))
	if db.IsNotFound(err) {
		return nil, errLost
	}
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	archive, err := unpack(upload.Archive)
	if err != nil {
		return nil, &unusable{"The archive was damaged during the upload. Import it again."}
	}
	p, err := k.Read(ctx, archive)
	if problems, ok := errors.AsType[*theme.Problems](err); ok {
		return nil, &unusable{problems.Error()}
	}
	return p, err
}

// finish makes a theme ready: its package first, and then its assets, its own row and the event in
// one transaction. It returns [errLost] if the theme is no longer the claimed one.
func (k *Keeper) finish(ctx context.Context, row *db.Theme, p *theme.Package) error {
	content := p.Encode()
	sum := digest.Of(content)
	// In its own transaction: a package belongs to no store, and may lie on another shard than the rows
	// that will refer to it.
	err := k.Store.InTx(viewer.Everywhere(ctx), func(ctx context.Context) error {
		return k.keepPackage(ctx, sum, content)
	})
	if err != nil {
		return err
	}
	return k.Store.InTx(ctx, func(ctx context.Context) error {
		return k.swapTheme(ctx, row, func(e *themeEdit) {
			ready(e, p, sum)
			e.Then = func(ctx context.Context) error {
				if err := k.addAssets(ctx, row.ID, p); err != nil {
					return err
				}
				return k.dropUpload(ctx, row.ID)
			}
			e.Emit(event.ThemeInstalled)
		})
	})
}

// swapTheme runs edit on the current row of a theme that is being processed, which may have been
// renamed meanwhile, in the transaction of ctx. It returns [errLost] if the theme is not as row says.
func (k *Keeper) swapTheme(ctx context.Context, row *db.Theme, edit func(*themeEdit)) error {
	c := k.Store.DB(ctx)
	query := c.Theme.Query().Where(dbtheme.ID(row.ID))
	query.Modify(ent.ForUpdate)
	t, err := only(query.Load(ctx))
	if db.IsNotFound(err) {
		return errLost
	}
	if err != nil {
		return fmt.Errorf("read theme: %w", err)
	}
	s, err := only(c.Store.Query().Where(store.ID(viewer.From(ctx).Store)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read store: %w", err)
	}
	claimed := k.themes(c, s, dbtheme.Tries(row.Tries), dbtheme.StatusEQ(state.ThemeProcessing))
	return claimed.Write(ctx, c, t, "", func(_ context.Context, e *themeEdit) error {
		edit(e)
		return nil
	})
}

func ready(e *themeEdit, p *theme.Package, sum digest.Sum) {
	t, m := e.Row, p.Manifest
	t.Status, t.DueAt, t.Checksum, t.Preview = state.ThemeInactive, micros.Max, sum, preview(p)
	t.ThemeVersion, t.Author, t.Description = m.Version, m.Author, m.Description
	t.AssetCount, t.SizeBytes = int64(len(p.Assets)), p.Size()
	e.Update.SetStatus(t.Status).SetDueAt(t.DueAt).SetChecksum(t.Checksum).SetNillablePreview(t.Preview).
		SetNillableThemeVersion(t.ThemeVersion).SetNillableAuthor(t.Author).SetNillableDescription(t.Description).
		SetAssetCount(t.AssetCount).SetSizeBytes(t.SizeBytes)
}

func (k *Keeper) fail(ctx context.Context, row *db.Theme, why string) error {
	err := k.Store.InTx(ctx, func(ctx context.Context) error {
		err := k.swapTheme(ctx, row, func(e *themeEdit) {
			e.Update.SetStatus(state.ThemeFailed).SetDueAt(micros.Max).SetSizeBytes(0)
			e.Changed = []string{"status"}
			e.Then = func(ctx context.Context) error { return k.dropUpload(ctx, row.ID) }
		})
		if err != nil {
			return err
		}
		return k.Notifier.Append(ctx, k.Store, notify.Notice{
			Level: state.NotificationWarning, Title: clip("The theme could not be processed: "+row.Name, limit.Line),
			Body: clip(why, 2000), Kind: xid.Theme, ID: row.ID, Developers: true,
		})
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

func (k *Keeper) dropUpload(ctx context.Context, id xid.ID) error {
	_, err := k.Store.DB(ctx).ThemeUpload.Delete().Where(themeupload.ID(id)).Exec(ctx)
	return fault.Wrap("remove archive", err)
}

func clip(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
