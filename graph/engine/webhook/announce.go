package webhook

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// announce writes an event about an endpoint's health for the store's other endpoints, in the
// transaction that records it. The endpoint's own row changes only in its event sequence.
func (b *base) announce(ctx context.Context, k schedule.Key, t event.Type) error {
	err := b.changeEndpoint(viewer.Operator(ctx, k.Store), k.Endpoint, "", func(e *endpointEdit) error {
		e.SameVersion = true
		e.Emit(t)
		return nil
	})
	return wrap("announce "+string(t), err)
}

// endpointEdit is a change of an endpoint in progress.
type endpointEdit = change.Edit[*db.WebhookEndpoint, *db.WebhookEndpointUpdate]

// changeEndpoint runs edit on an endpoint in the transaction of ctx. If the endpoint was changed meanwhile,
// or has another event, it fails with [errRaced].
func (b *base) changeEndpoint(ctx context.Context, id xid.ID, action string, edit func(*endpointEdit) error) error {
	c := b.Store.DB(ctx)
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
func (b *base) notify(ctx context.Context, k schedule.Key, compose func(url string) notify.Notice) error {
	ctx = viewer.Operator(ctx, k.Store)
	e, err := ent.Only(b.Store.DB(ctx).WebhookEndpoint.Query().Where(endpoints.ID(k.Endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read endpoint: %w", err)
	}
	n := compose(e.URL)
	n.Kind, n.ID, n.Topic = xid.WebhookEndpoint, k.Endpoint, state.AlertWebhook
	return b.Notifier.Append(ctx, b.Store, n)
}

// unreadable is the error of an endpoint none of whose secrets can be opened: the root secret that
// sealed them is gone.
const unreadable = "The signing secret can no longer be decrypted. Rotate it and promote the new one."

// noteUnreadable notifies the people of a store once that an endpoint's deliveries wait because
// none of its secrets can be opened.
func (l *leaser) noteUnreadable(ctx context.Context, r *row) error {
	if r.target != nil {
		return nil
	}
	return wrap("record an unreadable secret", l.Store.InTx(viewer.Operator(ctx, r.Store),
		func(ctx context.Context) error {
			n, err := l.Store.DB(ctx).WebhookQueue.Update().
				Where(webhookqueue.ID(r.Endpoint), webhookqueue.LeaseToken(r.Token),
					webhookqueue.Or(webhookqueue.LastErrorIsNil(), webhookqueue.LastErrorNEQ(unreadable))).
				SetLastError(unreadable).Save(ctx)
			if err != nil || n == 0 {
				return err
			}
			return l.notify(ctx, r.Key, func(url string) notify.Notice {
				return notify.Notice{Level: state.NotificationCritical, Title: "Webhook deliveries are blocked",
					Body: "The deliveries to " + url + " wait. " + unreadable}
			})
		}))
}
