package export

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/wire"
)

const (
	// withdrawnCode is the code of a job that was stopped since a customer was redacted
	// whose data it may have written already.
	withdrawnCode    = "customer_redacted"
	withdrawnMessage = "A customer was redacted while the file was written. Start the export again."
)

// Bounds returns the ids between which a job that has begun reads, the second excluded.
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

// Begun returns the jobs of some kinds behind an id, by their ids, that began before a
// time and have a file, or write one.
func Begun(
	ctx context.Context, c *db.Client, after xid.ID, before micros.Time, most int, kinds ...state.ExportKind,
) ([]*db.Export, error) {
	query := c.Export.Query().Where(dbexport.IDGT(after), dbexport.KindIn(kinds...), dbexport.StartedAtLT(before),
		dbexport.StatusIn(state.ExportCompleted, state.ExportRunning), dbexport.DeletedAtIsNil()).
		Order(dbexport.ByID()).Limit(most)
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read exports: %w", err)
	}
	return rows, nil
}

// Withdraw ends jobs whose files hold what was erased since, in the transaction of ctx:
// nobody gets a file any more, and an engine removes its objects next. One that is
// still written fails, with its event. It returns those that it ended.
func Withdraw(ctx context.Context, c *db.Client, ids []xid.ID) ([]*db.Export, error) {
	query := c.Export.Query().Where(dbexport.IDIn(ids...)).Order(dbexport.ByID())
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read exports: %w", err)
	}
	var ended []*db.Export
	for _, job := range rows {
		switch job.Status {
		case state.ExportCompleted:
			err = expire(ctx, c, job)
		case state.ExportRunning:
			err = stop(ctx, c, job)
		default:
			continue // it has ended meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("withdraw export: %w", err)
		}
		ended = append(ended, job)
	}
	return slices.Clip(ended), nil
}

// expire ends the file of a job before its time.
func expire(ctx context.Context, c *db.Client, job *db.Export) error {
	now := outbox.After(job.UpdatedAt)
	job.Status, job.ExpiresAt, job.UpdatedAt = state.ExportExpired, &now, now
	job.Version++
	return c.Export.Update().Where(dbexport.ID(job.ID)).SetStatus(job.Status).SetExpiresAt(now).SetDueAt(now).
		SetVersion(job.Version).SetUpdatedAt(now).Exec(ctx)
}

// stop takes a job from whoever writes it. Its objects may be removed when the writer
// must have noticed.
func stop(ctx context.Context, c *db.Client, job *db.Export) error {
	now, noticed := outbox.After(job.UpdatedAt), max(micros.Now(), job.LeaseUntil)
	job.Status, job.CompletedAt, job.UpdatedAt = state.ExportFailed, &now, now
	job.ErrorCode, job.ErrorMessage = new(withdrawnCode), new(withdrawnMessage)
	job.Version++
	job.EventSequence++
	err := c.Export.Update().Where(dbexport.ID(job.ID)).SetStatus(job.Status).SetCompletedAt(now).SetDueAt(noticed).
		SetErrorCode(withdrawnCode).SetErrorMessage(withdrawnMessage).SetVersion(job.Version).SetUpdatedAt(now).
		SetEventSequence(job.EventSequence).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0).Exec(ctx)
	if err != nil {
		return err
	}
	return outbox.Append(ctx, c,
		outbox.Resource{Store: job.StoreID, ID: job.ID, Version: job.Version, Sequence: job.EventSequence, At: now},
		outbox.Entry{Type: event.ExportFailed, Object: wire.AppendExport(nil, job, nil)})
}
