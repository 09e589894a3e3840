package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// chunkRows and chunkBytes bound what one transaction writes, and contendedRows while requests
	// wait for it.
	chunkRows     = 100
	contendedRows = 40
	chunkBytes    = 512 << 10
	// maxFindings is how many findings of a job are kept.
	maxFindings = 10_000
	maxDetail   = 1000
)

// entry is a record of a chunk.
type entry struct {
	*intake.Record
	// One of them is set, unless Problem says why not.
	product  *catalog.ImportedProduct
	stock    *model.InventoryLineInput
	customer *sales.ImportedCustomer
	discount *discountRow
	order    *sales.ImportedOrder
	// owner is the product as it was written, and images are those of its images that are fetched later.
	owner  *db.Product
	images []*catalog.ImportedImage
}

// read reads a chunk. It returns the records before an error too.
func (r *Resolver) read(k *kind, from *intake.Reader) (chunk []*entry, err error) {
	rows, size := chunkRows, int64(0)
	if r.Store.Contended() {
		rows = contendedRows
	}
	for len(chunk) < rows && size < chunkBytes {
		rec, err := from.Next()
		if err != nil {
			return chunk, err
		}
		e := &entry{Record: rec}
		if rec.JSON != nil {
			notes, err := k.decode(e, rec.JSON)
			if err != nil {
				e.Problem = reason(err)
			}
			e.Notes = append(e.Notes, notes...)
		}
		rec.JSON = nil // its memory
		size += rec.End - rec.Start
		chunk = append(chunk, e)
	}
	return chunk, nil
}

// write writes a chunk. A row that fails takes its transaction with it; the rows before it are then
// written without it, and the rest follows.
func (r *Resolver) write(ctx context.Context, row *db.ImportJob, chunk []*entry, from *intake.Reader) error {
	if err := r.BodyLeft(ctx, chunk[len(chunk)-1].End-chunk[0].Start); err != nil {
		return err
	}
	for end := len(chunk); len(chunk) > 0; {
		bytes, lines := from.Position()
		if end < len(chunk) {
			bytes, lines = chunk[end].Start, chunk[end].Line-1
		}
		err := r.try(ctx, row, chunk[:end], bytes, lines)
		if bad, ok := errors.AsType[*badRow](err); ok {
			chunk[bad.at].Problem, end = reason(bad.err), bad.at+1
			continue
		}
		if err != nil {
			return err
		}
		chunk = chunk[end:]
		end = len(chunk)
	}
	return nil
}

// badRow is a row of a chunk that cannot be imported.
type badRow struct {
	at  int
	err error
}

// Error implements error.
func (b *badRow) Error() string { return b.err.Error() }

var errDry = errors.New("a dry run keeps nothing")

// try writes rows and the position after them.
func (r *Resolver) try(ctx context.Context, row *db.ImportJob, chunk []*entry, bytes, lines int64) error {
	var t *tally
	err := r.commit(ctx, func(ctx context.Context) (err error) {
		if _, err = r.LockedStore(ctx); err != nil { // before the products, as other changes do
			return err
		}
		if t, err = r.apply(ctx, kinds[row.Kind], chunk); err != nil {
			return err
		}
		if row.DryRun {
			return errDry
		}
		if t.images, err = r.queueImages(ctx, row, chunk, t); err != nil {
			return err
		}
		return r.record(ctx, row, t, bytes, lines)
	})
	if errors.Is(err, errDry) {
		err = r.commit(ctx, func(ctx context.Context) error { return r.record(ctx, row, t, bytes, lines) })
	}
	if err == nil {
		row.BytesDone, row.LinesDone, row.Failures = bytes, lines, 0
		row.ImagesPending += t.images
		row.Findings += min(len(t.findings), maxFindings-row.Findings)
	}
	return err
}

// apply writes the resources of a chunk, and counts what happened to them.
func (r *Resolver) apply(ctx context.Context, k *kind, chunk []*entry) (*tally, error) {
	good := slices.DeleteFunc(slices.Clone(chunk), func(e *entry) bool { return e.Problem != "" })
	b, err := k.open(ctx, r, good)
	if err != nil {
		return nil, err
	}
	t := &tally{}
	for i, e := range chunk {
		if e.Problem != "" {
			t.fail(e.Record, e.Problem)
			continue
		}
		outcome, err := b.apply(ctx, e)
		f, _ := errors.AsType[*fault.Error](err)
		refused := f != nil && (f.Kind == fault.ValidationFailed || f.Kind == fault.Conflict)
		switch {
		case refused && b.clean:
			t.fail(e.Record, reason(err))
			continue
		case fault.IsState(err, fault.VersionMismatch):
			return nil, ent.Again(err)
		case refused:
			return nil, &badRow{i, err}
		case err != nil:
			return nil, err
		}
		t.count(outcome)
		if len(e.Notes) > 0 {
			t.warn(e.Record, strings.Join(e.Notes, " "))
		}
	}
	if b.finish == nil {
		return t, nil
	}
	return t, b.finish(ctx)
}

// tally counts what happened to the rows of a chunk.
type tally struct {
	created, updated, unchanged, failed, warnings int64
	images, lostImages                            int64
	findings                                      []*db.ImportFinding
}

func (t *tally) count(o catalog.ImportOutcome) {
	switch o {
	case catalog.ImportCreated:
		t.created++
	case catalog.ImportUpdated:
		t.updated++
	default:
		t.unchanged++
	}
}

func (t *tally) fail(rec *intake.Record, why string) {
	t.failed++
	t.add(rec, why, false)
}

func (t *tally) warn(rec *intake.Record, detail string) {
	t.warnings++
	t.add(rec, detail, true)
}

func (t *tally) add(rec *intake.Record, detail string, warning bool) {
	t.findings = append(t.findings, &db.ImportFinding{Line: rec.Line, Record: rec.Name, Warning: warning,
		Detail: intake.Clip(detail, maxDetail), Start: rec.Start, Size: rec.End - rec.Start})
}

// record writes the findings, the counts and the position of a chunk, and prolongs the claim. It
// returns [lease.ErrLost] if another process has claimed the job, or if it is canceled.
func (r *Resolver) record(ctx context.Context, row *db.ImportJob, t *tally, bytes, lines int64) error {
	if err := r.queue().Delay(ctx, row.StoreID, row.ID, row.Tries, claimFor); err != nil {
		return err
	}
	kept := t.findings[:min(len(t.findings), maxFindings-row.Findings)]
	if len(kept) > 0 {
		now, rows := micros.Now(), make([]*db.ImportFindingCreate, len(kept))
		for i, f := range kept { // their ids follow their order
			rows[i] = r.Client(ctx).ImportFinding.Create().SetID(xid.At(now + micros.Time(i))).SetImportID(row.ID).
				SetLine(f.Line).SetWarning(f.Warning).SetRecord(f.Record).SetDetail(f.Detail).SetStart(f.Start).
				SetSize(f.Size)
		}
		if err := r.Client(ctx).ImportFinding.CreateBulk(rows...).Exec(ctx); err != nil {
			return fmt.Errorf("write the findings of an import: %w", err)
		}
	}
	u := r.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ID)).SetStatus(state.ImportRunning).SetFailures(0).
		SetBytesDone(bytes).SetLinesDone(lines).AddFindings(len(kept)).AddCreatedCount(t.created).
		AddUpdatedCount(t.updated).AddUnchangedCount(t.unchanged).AddFailedCount(t.failed).
		AddWarningCount(t.warnings).AddImagesPending(t.images).AddImagesFailed(t.lostImages)
	if row.StartedAt == nil {
		u.SetStartedAt(micros.Now())
	}
	return fault.Wrap("record the progress of an import", u.Exec(ctx))
}

// reason returns what is wrong with a row.
func reason(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err.Error()
	}
	if len(f.Fields) == 0 {
		return f.Detail
	}
	var list []string
	for _, field := range f.Fields {
		list = append(list, strings.TrimPrefix(field.Pointer, "#/")+": "+field.Detail)
	}
	return strings.Join(list, " ")
}
