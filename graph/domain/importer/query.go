package importer

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importfinding"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	ofRequester = "importjob_store_id_requester_id_id"
	// linkLife is how long the link to the failed rows is valid.
	linkLife = 15 * time.Minute
)

// Imports lists the import jobs that the viewer may see, newest first.
func (q Query) Imports(ctx context.Context, first *int, after *string) (*model.ImportConnection, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	index, filters := ent.Primary, []string(nil)
	if v.Kind == viewer.OAuthApp {
		index, filters = ofRequester, []string{"requester_id", v.Actor.String()}
	}
	return core.Connect(ctx, q.Core, core.List[*model.Import]{
		Name: "imports", Filters: filters,
		At: func(i *model.Import) page.Position { return core.ByID(i.ID) },
		Read: core.ReadNewest(index, func() *db.ImportJobQuery { return q.importsOf(ctx, v) },
			func(row *db.ImportJob) *model.Import { return q.shown(v, row) }),
	}, first, after)
}

// Import returns an import job that the viewer may see.
func (q Query) Import(ctx context.Context, id string) (*model.Import, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	row, err := q.importJob(ctx, id, ent.NoLock)
	if err != nil {
		return nil, core.Explain("import", err)
	}
	return q.shown(v, row), nil
}

// importsOf begins a query of the jobs that a viewer may see. An app sees its own.
func (r *Resolver) importsOf(ctx context.Context, v *viewer.Viewer) *db.ImportJobQuery {
	query := r.Client(ctx).ImportJob.Query()
	if v.Kind == viewer.OAuthApp {
		query.Where(importjob.RequesterID(v.Actor))
	}
	return query
}

func (r *Resolver) importJob(ctx context.Context, id string, lock func(*sql.Selector)) (*db.ImportJob, error) {
	uid, err := core.ParseID(xid.Import, id)
	if err != nil {
		return nil, err
	}
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return core.Row(ctx, r.importsOf(ctx, v).Where(importjob.ID(uid)), lock, ent.ForceIndex(ent.Primary))
}

// shown returns a job with the link to its failed rows.
func (r *Resolver) shown(v *viewer.Viewer, row *db.ImportJob) *model.Import {
	shown := &model.Import{ImportJob: row}
	if row.FailedCount+row.ImagesFailed == 0 || row.ObjectID == nil || !v.Scopes.Has(kinds[row.Kind].read) {
		return shown
	}
	expires := micros.Now().Add(linkLife)
	expires -= expires % micros.Time(time.Second.Microseconds()) // links count seconds
	path := "/downloads/" + row.PublicID() + "/failed-rows"
	link := r.APIHost + r.Links.Sign(path, expires, "store", xid.Store.Format(row.StoreID))
	shown.Link = &link
	return shown
}

// Findings lists what was found in the rows of an import, in the order of its file.
func (f ImportFields) Findings(
	ctx context.Context, i *model.Import, first *int, after *string,
) (*model.ImportFindingConnection, error) {
	return core.Connect(ctx, f.Core, core.List[*db.ImportFinding]{
		Name: "import findings", Filters: []string{"import", i.PublicID()},
		At: func(row *db.ImportFinding) page.Position { return core.ByID(row.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.ImportFinding, error) {
			query := f.Client(ctx).ImportFinding.Query().Where(importfinding.ImportID(i.ID))
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary, Sort: state.ListOldest}.Apply)
			return query.Load(ctx)
		},
	}, first, after)
}

// ImportFindings is [ImportFields.Findings] of an import that the viewer may see.
func (q Query) ImportFindings(
	ctx context.Context, id string, first *int, after *string,
) (*model.ImportFindingConnection, error) {
	i, err := q.Import(ctx, id)
	if err != nil {
		return nil, err
	}
	return ImportFields(q).Findings(ctx, i, first, after)
}

// ImportPreview reads the columns of the beginning of a file.
func (q Query) ImportPreview(
	ctx context.Context, kind state.ImportKind, text string, mapping []*model.ImportColumnInput,
) (*model.ImportPreview, error) {
	if len(text) > intake.HeadBytes {
		return nil, core.Invalid("text", fault.TooLong, "Send up to 64 KiB of the file.")
	}
	shop, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	fields, err := q.fieldsFor(ctx, kind)
	if err != nil {
		return nil, err
	}
	form, err := intake.Sniff([]byte(text), kind, shop.Currency, fields...)
	if err == nil {
		err = form.Use(columnsOf(mapping))
	}
	if err != nil {
		return nil, core.Invalid("text", fault.InvalidFormat, err.Error())
	}
	shown := &model.ImportPreview{Source: form.Source, Members: intake.Members(kind, fields...),
		Columns: []*model.ImportColumn{}}
	for _, c := range form.Columns {
		column := &model.ImportColumn{Column: c.Name, Samples: append([]string{}, c.Samples...)}
		if c.Member != "" {
			column.Member = &c.Member
		}
		shown.Columns = append(shown.Columns, column)
	}
	return shown, nil
}

func columnsOf(mapping []*model.ImportColumnInput) []intake.Column {
	return core.Map(mapping, func(m *model.ImportColumnInput) intake.Column {
		return intake.Column{Name: m.Column, Member: core.Deref(m.Member)}
	})
}
