package report

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	reports "github.com/storefront-go/storefront/ent/db/report"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// keptReports is how many reports a store has at most, keptFor how long it has one, and
	// openReports how many of them may wait for a worker.
	keptReports = 20
	keptFor     = 7 * 24 * time.Hour
	openReports = 3
	// maxReportDays is the longest period.
	maxReportDays = 366
)

// Report returns a report of the viewer's store.
func (q Query) Report(ctx context.Context, id string) (*model.Report, error) {
	uid, err := core.ParseID(xid.Report, id)
	if err != nil {
		return nil, err
	}
	row, err := core.Row(ctx, q.Client(ctx).Report.Query().Where(reports.ID(uid)), ent.ForceIndex(ent.Primary))
	if err != nil {
		return nil, core.Explain("report", err)
	}
	return shownReport(row)
}

// Reports returns the reports of the viewer's store without their results, newest first.
func (q Query) Reports(ctx context.Context) ([]*model.Report, error) {
	rows, err := q.reportRows(ctx)
	if err != nil {
		return nil, core.Explain("reports", err)
	}
	return core.Map(rows, func(row *db.Report) *model.Report { return &model.Report{Report: row} }), nil
}

// reportRows returns the reports of the viewer's store that are kept, newest first. They have no results.
func (r *Resolver) reportRows(ctx context.Context) ([]*db.Report, error) {
	query := r.Client(ctx).Report.Query().Where(reports.IDGTE(xid.First(micros.Now().Add(-keptFor))))
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) { s.OrderBy(sql.Desc(s.C(reports.FieldID))) })
	return query.Select(reports.FieldID, reports.FieldStoreID, reports.FieldFirstDay, reports.FieldLastDay,
		reports.FieldTimezone, reports.FieldCurrency, reports.FieldStatus, reports.FieldCompletedAt).All(ctx)
}

func shownReport(row *db.Report) (*model.Report, error) {
	shown := &model.Report{Report: row}
	if row.Result == nil {
		return shown, nil
	}
	if err := json.Unmarshal(row.Result, &shown.Result); err != nil {
		return nil, fmt.Errorf("read the result of a report: %w", err)
	}
	return shown, nil
}

// ReportCreate starts a report of the viewer's store.
func (m Mutation) ReportCreate(ctx context.Context, in model.ReportCreateInput) (*model.ReportPayload, error) {
	c := &core.Check{}
	first, last := checkDay(c, "first_day", in.FirstDay), checkDay(c, "last_day", in.LastDay)
	if err := c.Err(); err != nil {
		return nil, err
	}
	switch days := int(last.Sub(first).Hours()/24) + 1; {
	case days < 1:
		c.Add("last_day", fault.OutOfRange, "This must not be before the first day.")
	case days > maxReportDays:
		c.Add("last_day", fault.OutOfRange, "A report has at most 366 days.")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Report, func(ctx context.Context) (
		*model.ReportPayload, *change.Record, error,
	) {
		s, err := m.LockedStore(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := m.roomForReport(ctx); err != nil {
			return nil, nil, err
		}
		row, err := m.Client(ctx).Report.Create().SetID(xid.New()).SetBucket(bucket.Of(s.ID)).
			SetFirstDay(in.FirstDay).SetLastDay(in.LastDay).SetTimezone(s.Timezone).SetCurrency(s.Currency).
			SetStatus(state.ReportQueued).SetDueAt(0).Save(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("create report: %w", err)
		}
		ent.OnCommit(ctx, m.wake)
		return &model.ReportPayload{Report: &model.Report{Report: row}}, &change.Record{Action: "report.create",
			Kind: xid.Report, ID: row.ID, Detail: in.FirstDay + " to " + in.LastDay}, nil
	})
}

// checkDay reads a day.
func checkDay(c *core.Check, name, text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 2000 || day.Year() > 2100 {
		c.Add(name, fault.InvalidFormat, "This is not a day such as 2026-01-31.")
	}
	return day
}

// roomForReport removes old reports. It fails if too many wait. The store's row is locked.
func (m Mutation) roomForReport(ctx context.Context) error {
	rows, err := m.reportRows(ctx)
	if err != nil {
		return fmt.Errorf("read the reports of a store: %w", err)
	}
	open := 0
	for _, r := range rows {
		if r.Status == state.ReportQueued {
			open++
		}
	}
	if open >= openReports {
		return &fault.Error{Kind: fault.LimitReached,
			Detail: "Three reports are being computed. Try again when one is done."}
	}
	before := xid.First(micros.Now().Add(-keptFor))
	if len(rows) >= keptReports {
		before = rows[keptReports-2].ID // the last one to stay
	}
	_, err = m.Client(ctx).Report.Delete().Where(reports.IDLT(before)).Exec(ctx)
	return fault.Wrap("remove old reports", err)
}

// wake makes the worker of this process look for reports now.
func (r *Resolver) wake() {
	select {
	case r.wakeups <- struct{}{}:
	default:
	}
}

// ReportWakeups receives when a report was created.
func (r *Resolver) ReportWakeups() <-chan struct{} { return r.wakeups }

// periodOf returns the days of a report, and when as many days before began.
func periodOf(row *db.Report) (days []day, before micros.Time, err error) {
	zone, err := time.LoadLocation(row.Timezone)
	if err != nil {
		return nil, 0, err
	}
	first, err := time.Parse(time.DateOnly, row.FirstDay)
	if err != nil {
		return nil, 0, err
	}
	last, err := time.Parse(time.DateOnly, row.LastDay)
	if err != nil {
		return nil, 0, err
	}
	n := int(last.Sub(first).Hours()/24) + 1
	noon := time.Date(last.Year(), last.Month(), last.Day(), 12, 0, 0, 0, zone)
	year, month, date := first.Date()
	return lastDays(noon, n), midnight(year, month, date-n, zone), nil
}
