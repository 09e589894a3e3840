package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// auditIndex leads from a resource to its audit entries. No other filter has an index, since every
// change of the store would have to write it too.
const auditIndex = "audit_store_id_resource_id_id"

// AuditLog lists the audit entries, newest first.
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

// AuditBatch reads up to limit entries after a position, and returns the next position, nil at the
// end. A batch may be short, or empty, before the end. The caller checks permissions.
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

// auditRows reads up to limit entries after a position. stopped is where a filtered page ended
// before the limit and before the last row, nil otherwise.
func (q Query) auditRows(ctx context.Context, f auditFilter, after *page.Position, limit int) (
	found []*model.AuditEntry, stopped *page.Position, err error,
) {
	w, rest := core.Window{After: after, Limit: limit, Index: f.index()}, f.rest()
	read := func(to *page.Position) ([]*db.Audit, error) {
		query := q.Client(ctx).Audit.Query().Where(f.span()...).Where(rest...)
		query.Modify(w.Apply, w.To(to))
		return query.Load(ctx)
	}
	var rows []*db.Audit
	if len(rest) == 0 {
		rows, err = read(nil)
	} else {
		rows, stopped, err = core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
			return q.auditFloor(ctx, f, w, n)
		}, read)
	}
	found = make([]*model.AuditEntry, len(rows))
	for i, row := range rows {
		found[i] = &model.AuditEntry{Audit: row}
	}
	return found, stopped, err
}

// auditFloor returns the position of the last of the next n rows of the window, nil if fewer are
// left.
func (q Query) auditFloor(ctx context.Context, f auditFilter, w core.Window, n int) (*page.Position, error) {
	query := q.Client(ctx).Audit.Query().Where(f.span()...)
	w.Limit = n
	query.Modify(w.Apply)
	ids, err := query.IDs(ctx)
	if err != nil || len(ids) < n {
		return nil, err
	}
	return new(core.ByID(ids[n-1])), nil
}
