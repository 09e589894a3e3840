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
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// announcer writes events and notices about endpoints.
type announcer struct{ *base }

// announce writes an event about an endpoint's health for the store's other endpoints, in the
// transaction that records it. The endpoint's own row changes only in its event sequence.
func (a *announcer) announce(ctx context.Context, k schedule.Key, t event.Type) error {
	err := a.change(viewer.Operator(ctx, k.Store), k.Endpoint, "", func(e *endpointEdit) error {
		e.SameVersion = true
		e.Emit(t)
		return nil
	})
	return wrap("announce "+string(t), err)
}

// endpointEdit is a change of an endpoint in progress.
type endpointEdit = change.Edit[*db.WebhookEndpoint, *db.WebhookEndpointUpdate]

// change runs edit on an endpoint in the transaction of ctx. If the endpoint was changed meanwhile,
// or has another event, it fails with [errRaced].
func (a *announcer) change(ctx context.Context, id xid.ID, action string, edit func(*endpointEdit) error) error {
	c := a.Store.DB(ctx)
	row, err := ent.Only(c.WebhookEndpoint.Query().Where(endpoints.ID(id)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read endpoint: %w", err)
	}
	q, err := ent.Only(c.WebhookQueue.Query().Where(webhookqueue.ID(id)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	v := change.Versioned[*db.WebhookEndpoint, *db.WebhookEndpointUpdate]{
		Kind: xid.WebhookEndpoint,
		Head: func(e *db.WebhookEndpoint) change.Head {
			return change.Head{Store: e.StoreID, ID: e.ID, Version: &e.Version, Sequence: &e.EventSequence,
				UpdatedAt: &e.UpdatedAt}
		},
		Update: func(_ context.Context, id xid.ID, version int64) *db.WebhookEndpointUpdate {
			return c.WebhookEndpoint.Update().Where(endpoints.ID(id), endpoints.Version(version),
				endpoints.EventSequence(row.EventSequence))
		},
		Object: func(e *db.WebhookEndpoint) []byte { return wire.AppendWebhookEndpoint(nil, e, q, nil) },
		Lost:   errRaced,
	}
	return v.Write(ctx, c, row, action, func(_ context.Context, e *endpointEdit) error { return edit(e) })
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
