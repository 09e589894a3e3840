package graph

import (
	"context"

	"github.com/storefront-go/storefront/graph/model"
)

// AuditLog lists.
func (q Query) AuditLog(ctx context.Context, first *int, after *string) (*model.AuditEntryConnection, error) {
	return nil, errPending
}
