package graphtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
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
	inTx(t, p.Ctx, p.Resolver.Store, func(ctx context.Context) error { return f(ctx, p.Client(ctx)) })
}

// Other returns another shop in the same database.
func (p *Shop) Other(t testing.TB) *Shop { return NewShop(t, p.Resolver) }

// DeliveryFate is the outcome of a delivery of the fixture: a state of the delivery log, [DeliveryWaiting] or
// [DeliveryFailed].
type DeliveryFate string

// Fates without a row in the delivery log.
const (
	DeliveryWaiting DeliveryFate = "waits"
	DeliveryFailed  DeliveryFate = "gave up"
)

// AddDeliveries adds deliveries to an endpoint like the engine does, one for each fate, each with its own
// event, and returns their ids, the oldest first.
func (p *Shop) AddDeliveries(t testing.TB, e *model.WebhookEndpoint, fates ...DeliveryFate) (ids []string) {
	t.Helper()
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		ids = nil
		last := p.Queue(t, e.ID).LastSequence
		for i, f := range fates {
			n, now := last+int64(i)+1, micros.Now()
			id, ev, resource := webhook.DeliveryID(e.ID, n, now), xid.New(), xid.New()
			ids = append(ids, xid.Delivery.Format(id))
			err := c.Event.Create().SetID(ev).SetType(event.OrderPaid).SetResourceType("order").SetResourceID(resource).
				SetSequence(1).SetBody(fmt.Appendf(nil, `{"n":%d}`, n)).Exec(ctx)
			if err != nil {
				return err
			}
			if f == DeliveryWaiting || f == DeliveryFailed {
				err = c.Delivery.Create().SetID(id).SetEndpointID(e.ID).SetSequence(n).SetEventID(ev).
					SetResourceID(resource).SetAttempts(1).SetFirstAt(now).SetDueAt(now.Add(time.Minute)).
					SetFailed(f == DeliveryFailed).Exec(ctx)
			} else {
				err = c.DeliveryLog.Create().SetID(id).SetEndpointID(e.ID).SetSequence(n).SetEventID(ev).
					SetType(event.OrderPaid).SetResourceID(resource).SetState(state.DeliveryState(f)).SetAttempts(2).
					SetSettledAt(now).SetBeganAt(now).SetAttemptID(xid.New()).SetOutcome("delivered").SetStatus(200).
					SetDuration(1500).SetResponse([]byte("ok \xff")).Exec(ctx)
			}
			if err != nil {
				return err
			}
			err = c.Attempt.Create().SetEndpointID(e.ID).SetSequence(n).SetNumber(1).SetBeganAt(now - 10).
				SetNextAt(now).SetOutcome("timeout").SetDetail("No answer within 5 s.").SetDuration(5_000_000).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetLastSequence(last + int64(len(fates))).Exec(ctx)
	})
	return ids
}
