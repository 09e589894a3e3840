package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/lib/intake"
)

const (
	// claimFor is how long a claim lasts. Every chunk prolongs it.
	claimFor = 20 * time.Second
	// turnTime is how long a worker stays with a job when others wait.
	turnTime = 5 * time.Second
	// dueJobs is how many jobs are read at once.
	dueJobs = 20
	// keptFor is how long a job is kept after its end.
	keptFor = 7 * day
	day     = 24 * time.Hour
	// maxFailures is how often in a row a job may fail without progress.
	maxFailures = 10
	lastPause   = time.Minute
	// maxFile is the size of the largest file that is fetched.
	maxFile = 2 << 30
)

// stopped ends a job before the end of its file.
type stopped struct{ code, text string }

// Error implements error.
func (s *stopped) Error() string { return s.text }

var errGone = &stopped{"requester_gone",
	"The person, key or app that started this import may no longer import."}

func (r *Resolver) queue() lease.Queue {
	return lease.Queue{Store: r.Store, Table: importjob.Table, Owner: importjob.FieldStoreID,
		Tries: importjob.FieldTries}
}

// RunImports works on the jobs that wait, turn by turn, and returns the number of turns. It is safe to
// run in several processes; if one is killed, another continues after its last chunk.
func (r *Resolver) RunImports(ctx context.Context) (int, error) {
	return r.Store.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for ctx.Err() == nil {
			n, err := r.round(ctx)
			if total += n; err != nil || n == 0 {
				return total, err
			}
		}
		return total, nil
	})
}

// round takes a turn with each job that is due.
func (r *Resolver) round(ctx context.Context) (turns int, failed error) {
	q := r.Store.Seek(ctx).ImportJob.Query().Where(importjob.BucketIn(bucket.All()...))
	q.Modify(lease.Due(dueJobs))
	rows, err := q.Load(viewer.Everywhere(ctx))
	if err != nil {
		return 0, fmt.Errorf("read the imports that are due: %w", err)
	}
	for _, row := range rows {
		inside := viewer.Operator(ctx, row.StoreID)
		mine, err := r.queue().Claim(inside, row.StoreID, row.ID, row.Tries, claimFor)
		if err == nil && mine {
			row.Tries++
			turns++
			err = r.turn(inside, row)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("run %s: %w", xid.Import.Format(row.ID), err))
		}
	}
	return turns, failed
}

// turn works on a claimed job for a while.
func (r *Resolver) turn(ctx context.Context, row *db.ImportJob) error {
	if !slices.Contains(unfinished, row.Status) { // kept long enough
		if row.ImagesPending > 0 && row.Status != state.ImportCancelled {
			return r.queue().Delay(ctx, row.StoreID, row.ID, row.Tries, day)
		}
		return r.commit(ctx, func(ctx context.Context) error { return r.remove(ctx, []xid.ID{row.ID}) })
	}
	done, err := r.proceed(ctx, row)
	if stop, ok := errors.AsType[*stopped](err); ok {
		return r.end(ctx, row, state.ImportFailed, stop)
	}
	settling := context.WithoutCancel(ctx)
	f, isFault := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, lease.ErrLost):
		return nil
	case err == nil && done:
		return r.end(ctx, row, state.ImportCompleted, nil)
	case err == nil, ctx.Err() != nil:
		return r.queue().Return(settling, row.StoreID, row.ID, row.Tries)
	case isFault && f.RetryAfter > 0:
		return r.queue().Delay(settling, row.StoreID, row.ID, row.Tries, f.RetryAfter)
	case isFault && f.Kind == fault.LimitReached:
		return r.end(ctx, row, state.ImportFailed, &stopped{string(f.Kind), f.Detail})
	}
	return errors.Join(err, r.failed(settling, row))
}

// failed delays a job, or ends it after too many failures.
func (r *Resolver) failed(ctx context.Context, row *db.ImportJob) error {
	if row.Failures+1 >= maxFailures {
		return r.end(ctx, row, state.ImportFailed, &stopped{"import_failed",
			"The import could not be continued. Start it again; if that fails too, ask the operator of the service."})
	}
	return r.commit(ctx, func(ctx context.Context) error {
		err := r.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ID), importjob.Tries(row.Tries)).
			AddFailures(1).Exec(ctx)
		if err != nil {
			return fmt.Errorf("count a failure: %w", err)
		}
		return r.queue().Delay(ctx, row.StoreID, row.ID, row.Tries, min(time.Second<<row.Failures, lastPause))
	})
}

// commit runs a change in a transaction. The operations that it uses record what they change.
func (r *Resolver) commit(ctx context.Context, f func(context.Context) error) error {
	return r.Commit(ctx, xid.Import, func(ctx context.Context) (*change.Record, error) { return nil, f(ctx) })
}

// end records the end of a job, unless another process has claimed it.
func (r *Resolver) end(ctx context.Context, row *db.ImportJob, to state.ImportStatus, why *stopped) error {
	return r.commit(ctx, func(ctx context.Context) error {
		now := micros.Now()
		u := r.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ID), importjob.Tries(row.Tries),
			importjob.StatusIn(unfinished...)).SetStatus(to).SetCompletedAt(now).SetDueAt(now.Add(keptFor))
		if why != nil {
			u.SetErrorCode(why.code).SetErrorMessage(why.text)
		}
		return u.Exec(ctx)
	})
}

// proceed works on a job until the end of its file, which done reports, or of the turn.
func (r *Resolver) proceed(ctx context.Context, row *db.ImportJob) (done bool, err error) {
	ctx, err = r.asRequester(ctx, row)
	if err != nil {
		return false, err
	}
	if row.ObjectID == nil {
		if err := r.fetch(ctx, row); err != nil {
			return false, err
		}
	}
	form, err := r.form(ctx, row)
	if err != nil {
		return false, err
	}
	if row.BytesDone == 0 {
		if err := r.begin(ctx, row, form); err != nil {
			return false, err
		}
	}
	file, err := r.Images.ReadFile(ctx, *row.ObjectID, row.BytesDone)
	if err != nil {
		return false, err
	}
	defer file.Close()
	reader := form.Open(file, row.BytesDone, row.LinesDone)
	for began := time.Now(); ctx.Err() == nil && time.Since(began) < turnTime; {
		chunk, err := r.read(kinds[row.Kind], reader)
		if len(chunk) > 0 {
			if err := r.write(ctx, row, chunk, reader); err != nil {
				return false, err
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, invalid(err)
		}
	}
	return false, ctx.Err()
}

// invalid turns the error of a malformed file into the end of its job.
func invalid(err error) error {
	if f, ok := errors.AsType[*intake.FormatError](err); ok {
		return &stopped{"invalid_file", f.Text}
	}
	return err
}

// form reads the form of the file.
func (r *Resolver) form(ctx context.Context, row *db.ImportJob) (*intake.Form, error) {
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	file, err := r.Images.ReadFile(ctx, *row.ObjectID, 0)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(file, intake.HeadBytes))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	fields, err := r.fieldsFor(ctx, row.Kind)
	if err != nil {
		return nil, err
	}
	form, err := intake.Sniff(head, row.Kind, shop.Currency, fields...)
	if err != nil {
		return nil, invalid(err)
	}
	var mapping []intake.Column
	if row.Mapping != nil {
		if err := json.Unmarshal(row.Mapping, &mapping); err != nil {
			return nil, fmt.Errorf("read the mapping of an import: %w", err)
		}
	}
	return form, invalid(form.Use(mapping))
}

// begin records the start of a job, and which columns it ignores.
func (r *Resolver) begin(ctx context.Context, row *db.ImportJob, form *intake.Form) error {
	row.BytesDone, row.LinesDone = form.Start()
	t := &tally{}
	if ignored := form.Ignored(); len(ignored) > 0 {
		t.warn(&intake.Record{Line: 1, Start: 0, End: 0},
			"These columns are not imported: "+strings.Join(ignored, ", ")+".")
	}
	err := r.commit(ctx, func(ctx context.Context) error {
		return r.record(ctx, row, t, row.BytesDone, row.LinesDone)
	})
	if err == nil {
		row.Findings, row.StartedAt = len(t.findings), new(micros.Now())
	}
	return err
}

// fetch stores the file at the address of a job.
func (r *Resolver) fetch(ctx context.Context, row *db.ImportJob) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	last := time.Now()
	up := r.Images.FetchFile(ctx, *row.SourceURL, maxFile, func() {
		if time.Since(last) < claimFor/4 {
			return
		}
		last = time.Now()
		if err := r.queue().Delay(ctx, row.StoreID, row.ID, row.Tries, claimFor); err != nil {
			stop(err)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if why, ok := images.Refused(up.Err); ok {
		return &stopped{"file_unreachable", "The file could not be fetched: " + strings.TrimSuffix(why, ".") + "."}
	}
	if up.Err != nil {
		return up.Err
	}
	row.ObjectID, row.SizeBytes = &up.ObjectID, up.Size
	return r.commit(ctx, func(ctx context.Context) error {
		if err := r.queue().Delay(ctx, row.StoreID, row.ID, row.Tries, claimFor); err != nil {
			return err
		}
		return r.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ID)).SetObjectID(up.ObjectID).
			SetSizeBytes(up.Size).Exec(ctx)
	})
}
