package webhook

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// announcer writes events and notices about endpoints.
type announcer struct{ *base }

// announce writes an event about an endpoint's health for the store's other endpoints, in the
// transaction that records it. The endpoint's own row changes only in its event sequence.
func (a *announcer) announce(ctx context.Context, k schedule.Key, t event.Type) error {
	ctx = viewer.Operator(ctx, k.Store)
	c := a.Store.DB(ctx)
	e, err := ent.Only(c.WebhookEndpoint.Query().Where(endpoints.ID(k.Endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read endpoint: %w", err)
	}
	before := e.EventSequence
	e.EventSequence, e.UpdatedAt = before+1, outbox.After(e.UpdatedAt)
	n, err := c.WebhookEndpoint.Update().Where(endpoints.ID(e.ID), endpoints.EventSequence(before)).
		SetEventSequence(e.EventSequence).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if err == nil && n == 0 {
		err = errRaced // another of its events was written meanwhile: the transaction runs again
	}
	if err != nil {
		return fmt.Errorf("announce %s: %w", t, err)
	}
	return a.appendEvent(ctx, e, t)
}

// appendEvent writes an event about an endpoint whose row was changed for it.
func (a *announcer) appendEvent(ctx context.Context, e *db.WebhookEndpoint, t event.Type) error {
	c := a.Store.DB(ctx)
	q, err := ent.Only(c.WebhookQueue.Query().Where(webhookqueue.ID(e.ID)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	about := outbox.Resource{Store: e.StoreID, ID: e.ID, Version: e.Version, Sequence: e.EventSequence, At: e.UpdatedAt}
	return outbox.Append(ctx, c, about,
		outbox.Entry{Type: t, Object: wire.AppendWebhookEndpoint(nil, e, q, nil)})
}

// notify writes a notice about an endpoint.
func (a *announcer) notify(ctx context.Context, k schedule.Key, compose func(url string) notify.Notice) error {
	ctx = viewer.Operator(ctx, k.Store)
	e, err := ent.Only(a.Store.DB(ctx).WebhookEndpoint.Query().Where(endpoints.ID(k.Endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read endpoint: %w", err)
	}
	n := compose(e.URL)
	n.Kind, n.ID, n.Developers = xid.WebhookEndpoint, k.Endpoint, true
	return a.Notifier.Append(ctx, a.Store, n)
}
