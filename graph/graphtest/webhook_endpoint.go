package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// Receiver returns an input for an endpoint.
func Receiver(events ...string) model.WebhookEndpointCreateInput {
	return model.WebhookEndpointCreateInput{URL: "https://hooks.example.com/in", Events: events}
}

// NewEndpoint creates an endpoint as the viewer of ctx.
func (p *Shop) NewEndpoint(t testing.TB, ctx context.Context, events ...string) *model.WebhookEndpoint {
	t.Helper()
	if len(events) == 0 {
		events = []string{"order.paid", "product.updated"}
	}
	return Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(ctx,
		Receiver(events...))).WebhookEndpoint
}

// AsApp returns a context for an app, and the grant of the store to it.
func (p *Shop) AsApp(t testing.TB, a *model.App, scopes ...string) (context.Context, *db.Grant) {
	t.Helper()
	g, set := p.AddGrants(t, a, 1, nil)[0], scope.Of(scopes...).Effective()
	return viewer.With(p.Ctx,
		&viewer.Viewer{Kind: viewer.OAuthApp, Store: p.Model.ID, Actor: a.ID, Principal: a.ID, Name: a.Name,
			Grant: g.ID, Granted: set, Scopes: set, Currency: "EUR"}), g
}

// Queue returns the queue of an endpoint.
func (p *Shop) Queue(t testing.TB, id xid.ID) *db.WebhookQueue {
	t.Helper()
	return Must[*db.WebhookQueue](t)(p.Client(p.Ctx).WebhookQueue.Query().Where(webhookqueue.ID(id)).Only(p.Ctx))
}

// WriteRows writes rows directly, without the operations.
func (p *Shop) WriteRows(t testing.TB, f func(ctx context.Context, c *db.Client) error) {
	t.Helper()
	if err := p.Resolver.Store.InTx(p.Ctx,
		func(ctx context.Context) error { return f(ctx, p.Client(ctx)) }); err != nil {
		t.Fatal(err)
	}
}

// Other returns another shop in the same database.
func (p *Shop) Other(t testing.TB) *Shop { return NewShop(t, p.Resolver) }
