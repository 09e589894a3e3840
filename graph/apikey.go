package graph

import (
	"context"

	"github.com/storefront-go/storefront/graph/model"
)

// APIKeys lists.
func (q Query) APIKeys(ctx context.Context, first *int, after *string) (*model.APIKeyConnection, error) {
	return nil, errPending
}

// APIKey returns one.
func (q Query) APIKey(ctx context.Context, id string) (*model.APIKey, error) {
	return nil, errPending
}

// APIKeyCreate creates.
func (m Mutation) APIKeyCreate(ctx context.Context, in model.APIKeyCreateInput) (*model.APIKeyPayload, error) {
	return nil, errPending
}

// APIKeyRotate rotates.
func (m Mutation) APIKeyRotate(ctx context.Context, id string) (*model.APIKeyPayload, error) {
	return nil, errPending
}

// APIKeyRevoke revokes.
func (m Mutation) APIKeyRevoke(ctx context.Context, id string) (*model.APIKeyPayload, error) {
	return nil, errPending
}
