package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// auditWindow is how many rows a page looks through for those that a filter leaves: no
// index leads to them, since every change of the store would have to write it too.
const auditWindow = 10_000

// AuditLog lists who did what, newest first.
func (q Query) AuditLog(ctx context.Context, first *int, after *string, filter *model.AuditFilter) (
	*model.AuditEntryConnection, error,
) {
	f, err := readAuditFilter(filter)
	if err != nil {
		return nil, err
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*model.AuditEntry]{
		Name: "audit_log", Filters: f.pairs(),
		At: func(a *model.AuditEntry) page.Position { return core.ByID(a.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*model.AuditEntry, err error) {
			rows, stopped, err = q.auditRows(ctx, f, after, limit)
			return rows, err
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.AuditEntry{Audit: &db.Audit{ID: stopped.ID}})
	}
	return c, err
}

// AuditBatch reads up to limit entries behind a position, and where to go on: nil at
// the end. A batch may be short, or empty, before the end. Who may call it is the
// caller's to decide.
func (q Query) AuditBatch(ctx context.Context, filter *model.AuditFilter, after *page.Position, limit int) (
	rows []*model.AuditEntry, next *page.Position, err error,
) {
	f, err := readAuditFilter(filter)
	if err != nil {
		return nil, nil, err
	}
	rows, next, err = q.auditRows(ctx, f, after, limit)
	if err == nil && len(rows) == limit {
		next = new(core.ByID(rows[limit-1].ID))
	}
	return rows, next, core.Explain("audit_log", err)
}

// auditRows reads up to limit entries behind a position. stopped is where the window of a
// filter ended before the limit and before the last row; nil where it did not.
func (q Query) auditRows(ctx context.Context, f auditFilter, after *page.Position, limit int) (
	found []*model.AuditEntry, stopped *page.Position, err error,
) {
	query := q.Client(ctx).Audit.Query().Where(f.span()...)
	if rest := f.rest(); len(rest) > 0 {
		if stopped, err = q.auditFloor(ctx, f, after); err != nil {
			return nil, nil, err
		}
		if query.Where(rest...); stopped != nil {
			query.Where(audit.IDGTE(stopped.ID))
		}
	}
	query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	found = make([]*model.AuditEntry, len(rows))
	for i, row := range rows {
		found[i] = &model.AuditEntry{Audit: row}
	}
	if len(found) == limit {
		stopped = nil
	}
	return found, stopped, nil
}

// auditFloor returns the last row of the window that begins behind a position; nil where
// fewer rows are left.
func (q Query) auditFloor(ctx context.Context, f auditFilter, after *page.Position) (*page.Position, error) {
	query := q.Client(ctx).Audit.Query().Where(f.span()...)
	query.Modify(core.Window{After: after, Limit: auditWindow, Index: ent.Primary}.Apply)
	ids, err := query.IDs(ctx)
	if err != nil || len(ids) < auditWindow {
		return nil, err
	}
	return new(core.ByID(ids[auditWindow-1])), nil
}
