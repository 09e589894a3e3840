package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

const (
	// auditBatch is how many rows one statement looks through where several filters are
	// set, and auditMost how many one page does: what it found by then is the page.
	auditBatch = 1000
	auditMost  = 5 * auditBatch
)

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

// auditRows reads up to limit entries behind a position. One filter is what an index
// leads to; the others are looked for among its rows, in batches. stopped is where that
// ended before the limit and before the last row; nil where it did not.
func (q Query) auditRows(ctx context.Context, f auditFilter, after *page.Position, limit int) (
	found []*model.AuditEntry, stopped *page.Position, err error,
) {
	batch := limit
	if f.several() {
		batch = auditBatch
	}
	for read := 0; read < auditMost; read += batch {
		query := q.Client(ctx).Audit.Query()
		f.where(query)
		query.Modify(core.Window{After: after, Limit: batch, Index: f.index()}.Apply)
		rows, err := query.Load(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, row := range rows {
			if f.fits(row) {
				found = append(found, &model.AuditEntry{Audit: row})
			}
			if len(found) == limit {
				return found, nil, nil
			}
		}
		if len(rows) < batch {
			return found, nil, nil
		}
		after = new(core.ByID(rows[batch-1].ID))
	}
	return found, after, nil
}
