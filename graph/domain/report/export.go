package report

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	exports "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	exportIndex       = "export_store_id_app_id_id"
	exportStatusIndex = "export_store_id_status_id"
	// linkLife is how long the link to a file is valid (contract, section 9).
	linkLife = 15 * time.Minute
)

// Exports lists the export jobs that the viewer may see, newest first.
func (q Query) Exports(ctx context.Context, first *int, after *string) (*model.ExportConnection, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	index, filters := ent.Primary, []string(nil)
	if v.Kind == viewer.OAuthApp {
		index, filters = exportIndex, []string{"app_id", v.Actor.String()}
	}
	return core.Connect(ctx, q.Core, core.List[*model.Export]{
		Name: "exports", Filters: filters,
		At: func(e *model.Export) page.Position { return core.ByID(e.ID) },
		Read: core.ReadNewest(index, func() *db.ExportQuery { return q.exportsOf(ctx, v) },
			func(e *db.Export) *model.Export { return q.shownExport(v, e) }),
	}, first, after)
}

// Export returns one export job that the viewer may see, with a fresh link to its
// file.
func (q Query) Export(ctx context.Context, id string) (*model.Export, error) {
	uid, err := core.ParseID(xid.Export, id)
	if err != nil {
		return nil, err
	}
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	row, err := q.export(ctx, uid, ent.NoLock)
	if err != nil {
		return nil, core.Explain("export", err)
	}
	return q.shownExport(v, row), nil
}

// exportsOf begins a query of the jobs that a viewer may see. An app sees its own; keys and staff
// see all of the store's (contract, section 5, Ownership).
func (r *Resolver) exportsOf(ctx context.Context, v *viewer.Viewer) *db.ExportQuery {
	query := r.Client(ctx).Export.Query().Where(exports.DeletedAtIsNil())
	if v.Kind == viewer.OAuthApp {
		query.Where(exports.AppID(v.Actor))
	}
	return query
}

func (r *Resolver) export(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Export, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return core.Row(ctx, r.exportsOf(ctx, v).Where(exports.ID(id)), lock, ent.ForceIndex(ent.Primary))
}

// shownExport returns a job with the link to its file, if there is one and the viewer may read its
// contents.
func (r *Resolver) shownExport(v *viewer.Viewer, row *db.Export) *model.Export {
	shown, now := &model.Export{Export: row}, micros.Now()
	if !export.Downloadable(row, now) || !v.Scopes.Has(scope.OfExport(row.Kind)) {
		return shown
	}
	expires := min(now.Add(linkLife), *row.ExpiresAt)
	expires -= expires % micros.Time(time.Second.Microseconds()) // links count seconds
	path := "/downloads/" + row.PublicID() + "/" + export.FileName(row)
	link := r.APIHost + r.Links.Sign(path, expires, "store", xid.Store.Format(row.StoreID))
	shown.Link = wire.Download{URL: &link, ExpiresAt: &expires}
	return shown
}
