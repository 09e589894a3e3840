package graph

import (
	"context"

	"github.com/storefront-go/storefront/graph/model"
)

// Me returns who calls.
func (q Query) Me(ctx context.Context) (*model.Identity, error) {
	return nil, errPending
}
