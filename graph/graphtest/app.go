package graphtest

import (
	"testing"

	"github.com/storefront-go/storefront/graph/model"
)

// Bridge returns an input for an app that may read products.
func Bridge() model.AppCreateInput {
	return model.AppCreateInput{Name: "Bridge", RedirectUris: []string{"https://bridge.example/cb"},
		Scopes: []string{"products.read"}}
}

// NewApp registers an app with the scopes.
func (p *Shop) NewApp(t testing.TB, scopes ...string) *model.App {
	t.Helper()
	in := Bridge()
	in.Scopes = scopes
	return Must[*model.AppPayload](t)(p.Mutation().AppCreate(p.Ctx, in)).App
}
