package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// AuditLog lists who did what, newest first.
func (q Query) AuditLog(ctx context.Context, first *int, after *string) (*model.AuditEntryConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.AuditEntry]{
		Name: "audit_log",
		At:   func(a *model.AuditEntry) page.Position { return core.ByID(a.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.AuditEntry, error) {
			query := q.Client(ctx).Audit.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			entries := make([]*model.AuditEntry, len(rows))
			for i, row := range rows {
				entries[i] = &model.AuditEntry{Audit: row}
			}
			return entries, err
		},
	}, first, after)
}
