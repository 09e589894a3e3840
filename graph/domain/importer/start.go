package importer

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importfinding"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// openImports is how many jobs of a store may be queued or running, and keptImports how many it
	// has at most.
	openImports = 5
	keptImports = 50
	maxMapping  = 60 << 10
)

// KeepImport decodes and stores a base64 file for the input of [Mutation.ImportStart]. Callers use it
// before a transaction, such as that of an idempotency key. It returns nil if the file is malformed;
// the mutation then reports it.
func (r *Resolver) KeepImport(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := c.File("content", "file", text, limit.FileBytes)
	if c.Err() != nil {
		return nil
	}
	return r.Images.KeepFile(ctx, body)
}

// KeepImportText is [Resolver.KeepImport] of a file that is a text.
func (r *Resolver) KeepImportText(ctx context.Context, text string) *images.Upload {
	if text == "" {
		return nil
	}
	return r.Images.KeepFile(ctx, []byte(text))
}

// KeepImportFile stores a file of up to 2 GiB for the input of [Mutation.ImportStart].
func (r *Resolver) KeepImportFile(ctx context.Context, file io.Reader) *images.Upload {
	return r.Images.KeepStream(ctx, file, maxFile)
}

// ImportStart starts a job. It requires the write scope of what is imported.
func (m Mutation) ImportStart(ctx context.Context, in model.ImportStartInput) (*model.ImportPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	mapping, err := m.checkStart(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := core.RequireScope(ctx, kinds[in.Kind].write, "an import of "+string(in.Kind)); err != nil {
		return nil, err
	}
	up := in.Upload
	if up == nil && in.Content != nil {
		c := &core.Check{}
		body := c.File("content", "file", *in.Content, limit.FileBytes)
		if err := c.Err(); err != nil {
			return nil, err
		}
		up = m.Images.KeepFile(ctx, body)
	}
	if up != nil && up.Err != nil {
		return nil, core.Explain("file", up.Err)
	}
	return core.Commit(ctx, m.Core, xid.Import, func(ctx context.Context) (
		*model.ImportPayload, *change.Record, error,
	) {
		row, err := m.insertJob(ctx, v, in, up, mapping)
		if err != nil {
			return nil, nil, err
		}
		ent.OnCommit(ctx, m.wake)
		return &model.ImportPayload{Import: m.shown(v, row)},
			&change.Record{Action: "import.start", Kind: xid.Import, ID: row.ID, Detail: string(row.Kind)}, nil
	})
}

func (r *Resolver) checkStart(ctx context.Context, in model.ImportStartInput) (mapping []byte, err error) {
	c := core.NewCheck(in)
	if in.Kind != "" && !in.Kind.Known() {
		c.Add("kind", fault.UnknownValue, "Unknown value.")
	}
	given := 0
	for _, there := range []bool{in.Content != nil || in.Upload != nil, in.URL != nil, in.Source != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		c.Add("content", fault.Required, "Send exactly one of content, url and source.")
	}
	core.Opt(in.URL, func(s string) { c.HTTPS("url", s) })
	core.Opt(in.FileName, func(s string) { c.Line("file_name", s, limit.Line) })
	core.Opt(in.Source, func(s string) {
		if _, err := xid.Import.Parse(s); err != nil {
			c.Add("source", fault.UnknownValue, "The store has no such import.")
		}
	})
	if len(in.Mapping) > 0 {
		if mapping, err = json.Marshal(columnsOf(in.Mapping)); err != nil {
			return nil, err
		}
	}
	if len(mapping) > maxMapping {
		c.Add("mapping", fault.TooLong, "The mapping is longer than 60 KiB.")
	}
	if err := r.checkMapping(ctx, c, in); err != nil {
		return nil, err
	}
	return mapping, c.Err()
}

func (r *Resolver) checkMapping(ctx context.Context, c *core.Check, in model.ImportStartInput) error {
	if len(in.Mapping) == 0 || !in.Kind.Known() {
		return nil
	}
	fields, err := r.fieldsFor(ctx, in.Kind)
	if err != nil {
		return err
	}
	members := intake.Members(in.Kind, fields...)
	for i, m := range columnsOf(in.Mapping) {
		if m.Member != "" && !slices.Contains(members, m.Member) {
			c.Add("mapping/"+strconv.Itoa(i)+"/member", fault.UnknownValue, "No column can become this.")
		}
	}
	return nil
}

// insertJob writes the row of a job.
func (m Mutation) insertJob(ctx context.Context, v *viewer.Viewer, in model.ImportStartInput, up *images.Upload,
	mapping []byte,
) (*db.ImportJob, error) {
	if _, err := m.LockedStore(ctx); err != nil {
		return nil, err
	}
	if err := m.roomForImport(ctx); err != nil {
		return nil, err
	}
	credential := v.Principal
	if v.Kind == viewer.OAuthApp {
		credential = v.Grant
	}
	row := m.Client(ctx).ImportJob.Create().SetID(xid.New()).SetBucket(bucket.Of(v.Store)).SetKind(in.Kind).
		SetDryRun(in.DryRun).SetNillableFileName(in.FileName).SetNillableSourceURL(in.URL).SetMapping(mapping).
		SetRequesterType(v.Kind).SetRequesterID(v.Actor).SetRequesterName(v.Name).SetCredentialID(credential).
		SetStatus(state.ImportQueued).SetDueAt(0)
	switch {
	case up != nil:
		row.SetObjectID(up.ObjectID).SetSizeBytes(up.Size)
	case in.Source != nil:
		of, err := m.importJob(ctx, *in.Source, ent.NoLock)
		if err != nil || of.ObjectID == nil || of.Kind != in.Kind { // its failed rows need another scope
			return nil, core.Invalid("source", fault.UnknownValue, "The store has no such import of this kind with a file.")
		}
		row.SetObjectID(*of.ObjectID).SetSizeBytes(of.SizeBytes).SetNillableFileName(of.FileName)
		if mapping == nil {
			row.SetMapping(of.Mapping)
		}
	}
	made, err := row.Save(ctx)
	return made, fault.Wrap("create import", err)
}

var unfinished = []state.ImportStatus{state.ImportQueued, state.ImportRunning}

// roomForImport removes old jobs. It fails if too many wait. The store's row is locked.
func (m Mutation) roomForImport(ctx context.Context) error {
	query := m.Client(ctx).ImportJob.Query()
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) { s.OrderBy(sql.Desc(s.C(importjob.FieldID))) })
	rows, err := query.Select(importjob.FieldID, importjob.FieldStoreID, importjob.FieldStatus).All(ctx)
	if err != nil {
		return fault.Wrap("read the imports of a store", err)
	}
	open, ended := 0, []xid.ID(nil)
	for i, row := range rows {
		switch {
		case row.Status == state.ImportQueued || row.Status == state.ImportRunning:
			open++
		case i >= keptImports-1:
			ended = append(ended, row.ID)
		}
	}
	if open >= openImports {
		return &fault.Error{Kind: fault.LimitReached,
			Detail: "Five imports are queued or running. Wait for one, or cancel one."}
	}
	return m.remove(ctx, ended)
}

// remove deletes jobs. Their files are removed by the sweep.
func (r *Resolver) remove(ctx context.Context, ids []xid.ID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := r.Client(ctx).ImportFinding.Delete().Where(importfinding.ImportIDIn(ids...)).Exec(ctx)
	if err == nil {
		_, err = r.Client(ctx).ImportJob.Delete().Where(importjob.IDIn(ids...)).Exec(ctx)
	}
	return fault.Wrap("remove imports", err)
}

// ImportCancel cancels a job that is queued or running. Its worker loses its claim.
func (m Mutation) ImportCancel(ctx context.Context, id string) (*model.ImportPayload, error) {
	return core.Commit(ctx, m.Core, xid.Import, func(ctx context.Context) (
		*model.ImportPayload, *change.Record, error,
	) {
		row, err := m.importJob(ctx, id, ent.ForUpdate)
		if err != nil {
			return nil, nil, err
		}
		err = core.CheckTransition("import", row.Status, state.ImportCancelled, unfinished...)
		if err != nil {
			return nil, nil, err
		}
		now := micros.Now()
		row.Status, row.CompletedAt = state.ImportCancelled, &now
		n, err := m.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ID)).SetStatus(row.Status).
			SetCompletedAt(now).SetDueAt(now.Add(keptFor)).AddTries(1).Save(ctx)
		if err := change.Swapped(xid.Import, n, err); err != nil {
			return nil, nil, err
		}
		return &model.ImportPayload{Import: m.shown(viewer.From(ctx), row)},
			&change.Record{Action: "import.cancel", Kind: xid.Import, ID: row.ID}, nil
	})
}
