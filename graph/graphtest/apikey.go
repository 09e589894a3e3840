package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/graph/model"
)

// NewKey creates an API key with the scopes.
func (p *Shop) NewKey(t testing.TB, ctx context.Context, scopes ...string) *model.APIKeyPayload {
	t.Helper()
	return Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyCreate(ctx,
		model.APIKeyCreateInput{Name: "Sync", Scopes: scopes}))
}
