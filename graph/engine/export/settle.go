package export

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

const (
	// maxFailures is how often in a row a job may fail without progress.
	maxFailures = 10
	// firstPause and lastPause bound the pauses between such attempts.
	firstPause = time.Second
	lastPause  = time.Minute
	// failedCode is the code of a job that was given up. The cause is only in the log, because it
	// may reveal what callers should not know.
	failedCode    = "export_failed"
	failedMessage = "The file could not be written. Start the export again; if that fails too, ask the operator of " +
		"the service."
)

// checkpoint records a completed part and last, the last resource in it.
func (e *Engine) checkpoint(ctx context.Context, r *run, last xid.ID) error {
	hash, err := r.out.state()
	if err != nil {
		return err
	}
	var asked time.Time
	err = e.Store.InTx(ctx, func(ctx context.Context) error {
		asked = time.Now()
		set, args := "rows_done = ?, resources_done = ?, parts = ?, size_bytes = ?, failures = 0, position = ?, "+
			"hash_state = ?, "+terms.Renewal(lease.Now(e.Store.Dialect())), []any{r.job.RowsDone + r.rows,
			r.job.ResourcesDone + r.resources, r.out.number, r.job.SizeBytes + r.out.size, last, hash}
		if total := r.total.Load(); total >= 0 {
			set, args = set+", resources_total = ?", append(args, total)
		}
		if err := e.change(ctx, r, set, args...); err != nil {
			return err
		}
		return e.part(ctx, r)
	})
	if err != nil {
		return fmt.Errorf("note a checkpoint: %w", err)
	}
	r.held.Renewed(asked)
	e.metrics.wrote(r.rows, r.out.size)
	r.job.RowsDone, r.job.ResourcesDone, r.job.Parts = r.job.RowsDone+r.rows, r.job.ResourcesDone+r.resources,
		r.out.number
	r.job.SizeBytes += r.out.size
	r.rows, r.resources = 0, 0
	return nil
}

func (e *Engine) part(ctx context.Context, r *run) error {
	return e.Store.DB(ctx).ExportPart.Create().SetExportID(r.key.job).SetNumber(r.out.number).SetToken(r.token).
		SetSizeBytes(r.out.size).Exec(ctx)
}

// settle records the outcome of a turn that did not complete the job: released or given up.
func (e *Engine) settle(ctx context.Context, r *run, err error) error {
	switch {
	case err == nil, errors.Is(err, errLost), r.held.Lost():
		return nil // the new owner records the outcome
	case errors.Is(err, errYields), errors.Is(err, context.Canceled): // the process stops
		return e.release(ctx, r, 0)
	}
	e.metrics.failures.Inc()
	failures := r.job.Failures + 1
	e.log(r).WarnContext(ctx, "exports: a job met an error", "try", failures, "error", err)
	if failures < maxFailures {
		return e.release(ctx, r, min(firstPause<<(failures-1), lastPause))
	}
	if err := e.fail(ctx, r); !errors.Is(err, errLost) {
		return err
	}
	return nil
}

func (e *Engine) complete(ctx context.Context, r *run) error {
	last := r.out.part != nil
	if last {
		if err := r.out.finish(); err != nil {
			return err
		}
	}
	err := e.Store.InTx(ctx, func(ctx context.Context) error {
		err := e.end(ctx, r, event.ExportCompleted, func(ed *jobEdit) {
			job, now, sum := ed.Row, micros.Now(), hex.EncodeToString(r.out.hash.Sum(nil))
			expires := now.Add(Retention)
			if last {
				job.RowsDone, job.ResourcesDone = job.RowsDone+r.rows, job.ResourcesDone+r.resources
				job.Parts, job.SizeBytes = r.out.number, job.SizeBytes+r.out.size
			}
			job.Status, job.CompletedAt, job.ExpiresAt, job.Sha256 = state.ExportCompleted, &now, &expires, &sum
			ed.Update.SetParts(job.Parts).SetRowsDone(job.RowsDone).SetResourcesDone(job.ResourcesDone).
				SetResourcesTotal(job.ResourcesDone).SetSizeBytes(job.SizeBytes).SetSha256(sum).
				SetExpiresAt(expires).SetDueAt(expires)
		})
		if err != nil || !last {
			return err
		}
		return e.part(ctx, r)
	})
	if err == nil {
		e.metrics.wrote(r.rows, r.out.size)
		e.metrics.ended(state.ExportCompleted, time.Since(r.job.StartedAt.Time()))
	}
	return err
}

func (e *Engine) fail(ctx context.Context, r *run) error {
	err := e.Store.InTx(ctx, func(ctx context.Context) error {
		return e.end(ctx, r, event.ExportFailed, func(ed *jobEdit) {
			now := micros.Now()
			ed.Row.Status, ed.Row.CompletedAt = state.ExportFailed, &now
			ed.Row.ErrorCode, ed.Row.ErrorMessage = new(failedCode), new(failedMessage)
			ed.Update.SetErrorCode(failedCode).SetErrorMessage(failedMessage).SetDueAt(now)
		})
	})
	if err == nil {
		e.metrics.ended(state.ExportFailed, time.Since(r.job.StartedAt.Time()))
	}
	return err
}

// end writes the end of a job that this process still owns, its event and its notice.
func (e *Engine) end(ctx context.Context, r *run, t event.Type, edit func(*jobEdit)) error {
	c, job := e.Store.DB(ctx), *r.job
	rows, err := c.Export.Query().Where(dbexport.ID(job.ID)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read export: %w", err)
	}
	if len(rows) == 0 {
		return errLost
	}
	job.Version, job.EventSequence, job.UpdatedAt = rows[0].Version, rows[0].EventSequence, rows[0].UpdatedAt
	owned := jobs(c, dbexport.LeaseToken(r.token), dbexport.LeaseOwner(e.Process),
		dbexport.StatusEQ(state.ExportRunning))
	err = owned.Write(ctx, c, &job, "", func(_ context.Context, ed *jobEdit) error {
		edit(ed)
		ed.Update.SetStatus(job.Status).SetCompletedAt(*job.CompletedAt).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0)
		ed.Emit(t)
		return nil
	})
	if err != nil {
		return err
	}
	return e.Notifier.Append(ctx, e.Store, notice(&job))
}

func notice(job *db.Export) notify.Notice {
	n := notify.Notice{Level: state.NotificationInfo, Kind: xid.Export, ID: job.ID,
		Title: "An export of " + job.Kind.Words() + " is ready",
		Body: FileName(job) + " has " + strconv.FormatInt(job.RowsDone, 10) +
			" rows. You can download it for 7 days in the dashboard, under Exports."}
	if job.Status == state.ExportFailed {
		n.Level, n.Title = state.NotificationWarning, "An export of "+job.Kind.Words()+" failed"
		n.Body = *job.ErrorMessage
	}
	return n
}
