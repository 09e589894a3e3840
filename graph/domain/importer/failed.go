package importer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importfinding"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// FailedFile holds the failed rows of an import as a file of the same form.
type FailedFile struct {
	Name, ContentType string
	Size              int64
	r                 *Resolver
	store, object     xid.ID
	pieces            []piece
}

// piece is a part of the file of an import.
type piece struct{ start, size int64 }

// FailedRows returns the failed rows of an import of a store. The caller has checked that the address
// was given out.
func (r *Resolver) FailedRows(ctx context.Context, store, id xid.ID) (*FailedFile, error) {
	ctx = viewer.Operator(ctx, store)
	row, err := core.Only(r.Client(ctx).ImportJob.Query().Where(importjob.ID(id)).Load(ctx))
	if errors.Is(err, core.ErrNoRow) || err == nil && row.ObjectID == nil {
		return nil, fault.New(fault.FileGone, "The import was deleted. Import the file again.")
	}
	if err != nil {
		return nil, core.Explain("import", err)
	}
	form, err := r.form(ctx, row)
	if err != nil {
		return nil, core.Explain("import", err)
	}
	f := &FailedFile{Name: "failed-rows.csv", ContentType: "text/csv; charset=utf-8", r: r, store: store,
		object: *row.ObjectID}
	if form.Columns == nil {
		f.Name, f.ContentType = "failed-rows.jsonl", "application/x-ndjson"
	} else {
		start, _ := form.Start()
		f.add(piece{0, start})
	}
	query := r.Client(ctx).ImportFinding.Query().Where(importfinding.ImportID(id), importfinding.Warning(false))
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) { s.OrderBy(s.C(importfinding.FieldID)) })
	rows, err := query.Load(ctx)
	// Images fail after their row, and several of one row may fail.
	slices.SortFunc(rows, func(a, b *db.ImportFinding) int { return cmp.Compare(a.Start, b.Start) })
	for i, row := range rows {
		if i == 0 || row.Start != rows[i-1].Start {
			f.add(piece{row.Start, row.Size})
		}
	}
	return f, core.Explain("import", err)
}

// add adds a part, or extends the last one.
func (f *FailedFile) add(p piece) {
	f.Size += p.size
	if n := len(f.pieces); n > 0 && f.pieces[n-1].start+f.pieces[n-1].size == p.start {
		f.pieces[n-1].size += p.size
		return
	}
	f.pieces = append(f.pieces, p)
}

// Write writes the file.
func (f *FailedFile) Write(ctx context.Context, w io.Writer) error {
	ctx = viewer.Operator(ctx, f.store)
	for _, p := range f.pieces {
		part, err := f.r.Images.ReadFile(ctx, f.object, p.start)
		if err != nil {
			return err
		}
		_, err = io.CopyN(w, part, p.size)
		if err := errors.Join(err, part.Close()); err != nil {
			return err
		}
	}
	return nil
}
