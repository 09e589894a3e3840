package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/model"
)

// StaffTokens lists.
func (q Query) StaffTokens(ctx context.Context, first *int, after *string) (*model.StaffTokenConnection, error) {
	return nil, errPending
}

// StaffTokenCreate creates.
func (m Mutation) StaffTokenCreate(ctx context.Context, name string, expiresAt *micros.Time) (*model.StaffTokenPayload, error) {
	return nil, errPending
}

// StaffTokenRevoke revokes.
func (m Mutation) StaffTokenRevoke(ctx context.Context, id string) (*model.StaffTokenPayload, error) {
	return nil, errPending
}
