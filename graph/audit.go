package graph

import (
	"context"

	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// AuditLog lists who did what, newest first.
func (q Query) AuditLog(ctx context.Context, first *int, after *string) (*model.AuditEntryConnection, error) {
	return connect(ctx, q.Resolver, list[*model.AuditEntry]{
		name: "audit_log",
		at:   func(a *model.AuditEntry) page.Position { return byID(a.ID) },
		read: func(ctx context.Context, after *page.Position, limit int) ([]*model.AuditEntry, error) {
			query := q.client(ctx).Audit.Query()
			query.Modify(window{after: after, limit: limit, index: primary}.apply)
			rows, err := query.Load(ctx)
			entries := make([]*model.AuditEntry, len(rows))
			for i, row := range rows {
				entries[i] = &model.AuditEntry{Audit: row}
			}
			return entries, err
		},
	}, first, after)
}
