package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	reports "github.com/storefront-go/storefront/ent/db/report"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// reportLease is how long a claim lasts. Every batch of rows prolongs it.
	reportLease = 2 * time.Minute
	// reportTries is how often a report is begun.
	reportTries = 5
	// dueReports is how many reports are read at once.
	dueReports = 20
)

func (r *Resolver) reportQueue() lease.Queue {
	return lease.Queue{Store: r.Store, Table: reports.Table, Owner: reports.FieldStoreID, Tries: reports.FieldTries}
}

// WriteReports computes the reports that wait, and returns their number. It is safe to run in several
// processes; if one is killed, another begins its report again.
func (r *Resolver) WriteReports(ctx context.Context) (int, error) {
	return r.Store.SumShards(ctx, r.writeDue)
}

// writeDue is [Resolver.WriteReports] on one shard. A report that fails does not block the others.
func (r *Resolver) writeDue(ctx context.Context) (total int, failed error) {
	q := r.Store.Seek(ctx).Report.Query().Where(reports.BucketIn(bucket.All()...))
	q.Modify(lease.Due(dueReports))
	rows, err := q.Load(viewer.Everywhere(ctx))
	if err != nil {
		return 0, fmt.Errorf("read the reports to compute: %w", err)
	}
	for _, row := range rows {
		done, err := r.writeReport(viewer.Operator(ctx, row.StoreID), row)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("compute %s: %w", xid.Report.Format(row.ID), err))
		}
		if done {
			total++
		}
	}
	return total, failed
}

// writeReport claims a report, unless another process has it, and computes it. A failed one is due again when
// the claim ends.
func (r *Resolver) writeReport(ctx context.Context, row *db.Report) (done bool, err error) {
	mine, err := r.reportQueue().Claim(ctx, row.StoreID, row.ID, row.Tries, reportLease)
	if err != nil || !mine {
		return false, err
	}
	row.Tries++
	status, result := state.ReportCompleted, []byte(nil)
	t, err := r.newTally(row)
	if err == nil {
		err = t.read(ctx)
	}
	if err == nil {
		result, err = json.Marshal(t.finish())
	}
	if err != nil {
		if row.Tries < reportTries && !errors.Is(err, errTooLarge) {
			return false, err
		}
		status = state.ReportFailed
	}
	return true, errors.Join(err, r.endReport(ctx, row, status, result))
}

// endReport records the outcome of a report, unless another process has claimed it.
func (r *Resolver) endReport(ctx context.Context, row *db.Report, status state.ReportStatus, result []byte) error {
	return r.Commit(ctx, xid.Report, func(ctx context.Context) (*change.Record, error) {
		update := r.Client(ctx).Report.Update().Where(reports.ID(row.ID), reports.Tries(row.Tries),
			reports.StatusEQ(state.ReportQueued)).SetStatus(status).SetCompletedAt(micros.Now()).ClearDueAt()
		if result != nil {
			update.SetResult(result)
		}
		return nil, update.Exec(ctx)
	})
}
