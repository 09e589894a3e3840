package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// Staff lists.
func (q Query) Staff(ctx context.Context, first *int, after *string) (*model.StaffConnection, error) {
	return nil, errPending
}

// StaffAdd adds.
func (m Mutation) StaffAdd(ctx context.Context, in model.StaffAddInput) (*model.StaffPayload, error) {
	return nil, errPending
}

// StaffUpdateRole changes a role.
func (m Mutation) StaffUpdateRole(ctx context.Context, id string, role viewer.Role, expectedVersion int64) (*model.StaffPayload, error) {
	return nil, errPending
}

// StaffRemove removes.
func (m Mutation) StaffRemove(ctx context.Context, id string) (*model.StaffRemovePayload, error) {
	return nil, errPending
}
