package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/graph/model"
)

var errPending = errors.New("not written yet")

// Customers lists.
func (q Query) Customers(ctx context.Context, first *int, after *string, filter *model.CustomerFilter) (*model.CustomerConnection, error) {
	return nil, errPending
}

// Customer returns one.
func (q Query) Customer(ctx context.Context, id string) (*model.Customer, error) {
	return nil, errPending
}

// CustomerCreate creates.
func (m Mutation) CustomerCreate(ctx context.Context, in model.CustomerCreateInput) (*model.CustomerPayload, error) {
	return nil, errPending
}

// CustomerUpdate updates.
func (m Mutation) CustomerUpdate(ctx context.Context, id string, expectedVersion int64, in model.CustomerUpdateInput) (*model.CustomerPayload, error) {
	return nil, errPending
}

// CustomerDisable disables.
func (m Mutation) CustomerDisable(ctx context.Context, id string, expectedVersion int64) (*model.CustomerPayload, error) {
	return nil, errPending
}

// CustomerEnable enables.
func (m Mutation) CustomerEnable(ctx context.Context, id string, expectedVersion int64) (*model.CustomerPayload, error) {
	return nil, errPending
}

// CustomerRedact redacts.
func (m Mutation) CustomerRedact(ctx context.Context, id string, expectedVersion int64) (*model.CustomerPayload, error) {
	return nil, errPending
}
