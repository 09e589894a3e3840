package export

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/exportpart"
	"github.com/storefront-go/storefront/ent/db/predicate"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const (
	// maxRestarts is how often redactions may restart a job. The pause before the next attempt
	// grows up to a minute, so only redactions that go on for a quarter of an hour exhaust it.
	maxRestarts = 20
	// redactedCode is the code of a job that has no file because a customer was redacted.
	redactedCode   = "customer_redacted"
	removedMessage = "The file was removed: a customer whose data it can contain was redacted after the export had " +
		"begun. Start the export again."
)

// stoppedMessage is the error of a job that was restarted too often.
var stoppedMessage = fmt.Sprintf("Customers whose data the file can contain were redacted while it was written. "+
	"The export began again %d times and met another redaction each time. Start it again later.", maxRestarts)

// Bounds returns the range of ids that a job that has begun reads; to is excluded.
func Bounds(job *db.Export) (from, to xid.ID) {
	to = xid.First(*job.StartedAt + 1)
	if job.CreatedFrom != nil {
		from = xid.First(*job.CreatedFrom)
	}
	if job.CreatedTo != nil {
		if end := xid.First(*job.CreatedTo); end.Compare(to) < 0 {
			to = end
		}
	}
	return from, to
}

// Redacted describes the redaction of a customer to the jobs that may have read their data.
type Redacted struct {
	// Number is the store's count of redactions including this one. It is nil if an earlier release
	// cleaned the customer's rows.
	Number *int64
	// CleanBefore is a time at which those rows were clean. It decides if a job or the redaction
	// has no number.
	CleanBefore micros.Time
}

// reached is the condition that a job may have read rows before they were clean.
func (r Redacted) reached() predicate.Export {
	early := dbexport.StartedAtLT(r.CleanBefore)
	if r.Number == nil {
		return early
	}
	return dbexport.Or(dbexport.RedactionsLT(*r.Number), dbexport.And(dbexport.RedactionsIsNil(), early))
}

// Begun returns the jobs of some kinds after an id, ordered by id, that have or write a file and
// may have read rows of a redacted customer before they were clean.
func Begun(
	ctx context.Context, c *db.Client, after xid.ID, r Redacted, most int, kinds ...state.ExportKind,
) ([]*db.Export, error) {
	query := c.Export.Query().Where(dbexport.IDGT(after), dbexport.KindIn(kinds...), r.reached(),
		dbexport.StatusIn(state.ExportCompleted, state.ExportRunning), dbexport.DeletedAtIsNil()).
		Order(dbexport.ByID()).Limit(most)
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	return rows, fault.Wrap("read exports", err)
}

// Withdraw removes the files of jobs that can contain a redacted customer, in the transaction of
// ctx, and returns the jobs that ended. A completed job expires, and an engine removes its objects
// next. A running job restarts; after [maxRestarts] restarts it fails and emits its event.
func Withdraw(ctx context.Context, c *db.Client, ids []xid.ID, r Redacted) ([]*db.Export, error) {
	query := c.Export.Query().Where(dbexport.IDIn(ids...), r.reached()).Order(dbexport.ByID())
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read exports: %w", err)
	}
	var ended []*db.Export
	for _, job := range rows {
		switch {
		case job.Status == state.ExportCompleted:
			err = expire(ctx, c, job)
		case job.Status != state.ExportRunning:
			continue // it has ended meanwhile
		case orZero(job.Restarts) < maxRestarts:
			if err := restart(ctx, c, job); err != nil {
				return nil, fmt.Errorf("restart export: %w", err)
			}
			continue
		default:
			err = stop(ctx, c, job)
		}
		if err != nil {
			return nil, fmt.Errorf("withdraw export: %w", err)
		}
		ended = append(ended, job)
	}
	return slices.Clip(ended), nil
}

// Redactions returns how many redactions of the viewer's store were counted.
func Redactions(ctx context.Context, c *db.Client) (int64, error) {
	shop, err := ent.Only(c.Store.Query().Where(dbstore.ID(viewer.From(ctx).Store)).Load(ctx))
	if err != nil {
		return 0, fmt.Errorf("read the store's redactions: %w", err)
	}
	return orZero(shop.Redactions), nil
}

// orZero returns a count, which is null before anything was counted.
func orZero[T int | int64](count *T) (n T) {
	if count != nil {
		n = *count
	}
	return n
}

// restart makes a running job begin again after a pause. The process that writes it has lost it,
// and the next owner removes its objects once that lease is over. A job that already waits to begin
// again has read nothing yet, so it keeps its due time.
func restart(ctx context.Context, c *db.Client, job *db.Export) error {
	count, err := Redactions(ctx, c)
	if err != nil {
		return err
	}
	update := c.Export.Update().Where(dbexport.ID(job.ID), dbexport.LeaseToken(job.LeaseToken)).SetRedactions(count)
	if job.LeaseOwner == nil && job.Parts == 0 {
		return update.Exec(ctx)
	}
	if _, err := c.ExportPart.Delete().Where(exportpart.ExportID(job.ID)).Exec(ctx); err != nil {
		return err
	}
	pause := min(firstPause<<orZero(job.Restarts), lastPause)
	return update.AddRestarts(1).AddLeaseToken(1).ClearLeaseOwner().ClearPosition().ClearHashState().
		SetRowsDone(0).SetResourcesDone(0).SetParts(0).SetSizeBytes(0).
		Modify(func(u *sql.UpdateBuilder) { u.Set(dbexport.FieldDueAt, sql.Expr(lease.Now(u.Dialect()).In(pause))) }).
		Exec(ctx)
}

type jobEdit = change.Edit[*db.Export, *db.ExportUpdate]

// jobs describes how jobs that meet conditions change; for another job it fails with [errLost].
func jobs(c *db.Client, only ...predicate.Export) *change.Versioned[*db.Export, *db.ExportUpdate] {
	return &change.Versioned[*db.Export, *db.ExportUpdate]{
		Kind: xid.Export,
		Head: func(job *db.Export) change.Head {
			return change.Head{Store: job.StoreID, ID: job.ID, Version: &job.Version, Sequence: &job.EventSequence,
				UpdatedAt: &job.UpdatedAt}
		},
		Update: func(_ context.Context, id xid.ID, version int64) *db.ExportUpdate {
			return c.Export.Update().Where(dbexport.ID(id), dbexport.Version(version)).Where(only...)
		},
		Object: func(job *db.Export) []byte { return wire.AppendExport(nil, job, nil) },
		Lost:   errLost,
	}
}

func expire(ctx context.Context, c *db.Client, job *db.Export) error {
	return jobs(c).Write(ctx, c, job, "", func(_ context.Context, e *jobEdit) error {
		job.Status, job.ExpiresAt = state.ExportExpired, &e.Now
		job.ErrorCode, job.ErrorMessage = new(redactedCode), new(removedMessage)
		e.Update.SetStatus(job.Status).SetExpiresAt(e.Now).SetDueAt(e.Now).
			SetErrorCode(redactedCode).SetErrorMessage(removedMessage)
		e.Changed = []string{"status"}
		return nil
	})
}

// stop ends a job. Its objects may be removed once its writer must have noticed.
func stop(ctx context.Context, c *db.Client, job *db.Export) error {
	return jobs(c).Write(ctx, c, job, "", func(_ context.Context, e *jobEdit) error {
		job.Status, job.CompletedAt = state.ExportFailed, &e.Now
		job.ErrorCode, job.ErrorMessage = new(redactedCode), new(stoppedMessage)
		e.Update.SetStatus(job.Status).SetCompletedAt(e.Now).SetDueAt(max(micros.Now(), job.LeaseUntil)).
			SetErrorCode(redactedCode).SetErrorMessage(stoppedMessage).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0)
		e.Emit(event.ExportFailed)
		return nil
	})
}
