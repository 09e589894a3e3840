package demo

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// The demo's app (contract, section 11). The redirect address matches any port.
const (
	appName     = "Demo App"
	appRedirect = "http://127.0.0.1/callback"
)

// app returns the store's app: the one of the file, or one with its name, so that losing the file
// changes no client id, or a new one. Changes by people are undone, because the file states what
// the app can do.
func (s *seeder) app(ctx context.Context, known *OAuthApp) (*OAuthApp, error) {
	ctx = viewer.With(ctx, s.person())
	a, err := s.findApp(ctx, known)
	switch {
	case err != nil:
	case a == nil:
		a, err = registered(s.AppCreate(ctx, model.AppCreateInput{
			Name: appName, RedirectUris: []string{appRedirect}, Scopes: scope.Names(),
		}))
	default:
		a, err = s.repairApp(ctx, a)
	}
	if err != nil {
		return nil, fmt.Errorf("OAuth app: %w", err)
	}
	return &OAuthApp{ID: a.PublicID(), ClientID: a.ClientID, Name: a.Name, RedirectURIs: a.RedirectURIs(),
		AllowedScopes: a.Scopes()}, nil
}

// findApp searches the store's apps, which are few, for the demo's; nil if there is none.
func (s *seeder) findApp(ctx context.Context, known *OAuthApp) (found *model.App, err error) {
	page, err := s.Core.Query().Apps(ctx, new(100), nil)
	if err != nil {
		return nil, err
	}
	for _, a := range page.Nodes {
		if known != nil && a.ClientID == known.ClientID {
			return a, nil
		}
		if a.Name == appName {
			found = a // the oldest with that name
		}
	}
	return found, nil
}

func (s *seeder) repairApp(ctx context.Context, a *model.App) (_ *model.App, err error) {
	if a.DisabledAt != nil {
		if a, err = registered(s.AppEnable(ctx, a.PublicID(), a.Version)); err != nil {
			return nil, err
		}
	}
	return registered(s.AppUpdate(ctx, a.PublicID(), a.Version, model.AppUpdateInput{Name: model.Some(appName),
		RedirectUris: model.Given([]string{appRedirect}), Scopes: model.Given(scope.Names())}))
}

func registered(p *model.AppPayload, err error) (*model.App, error) {
	if err != nil {
		return nil, err
	}
	return p.App, nil
}
