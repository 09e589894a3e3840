package webhook

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Test sends a ping to the endpoint, whatever its status, and logs the attempt. It waits for the
// receiver, up to [attempt.MaxTime], so it must not be called in a transaction. The ping is subject
// to the same egress policy as every delivery.
func (e *Engine) Test(ctx context.Context, endpoint *db.WebhookEndpoint) (*db.DeliveryLog, error) {
	target, headers, err := e.Vault.targetOf(endpoint)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Code: fault.SecretUnreadable, Detail: unreadable, Err: err}
	}
	var q *db.WebhookQueue
	err = e.Store.InTx(ctx, func(ctx context.Context) error {
		q, err = e.number(ctx, endpoint.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	about := xid.New()
	id, body := DeliveryID(endpoint.ID, q.LastSequence, about.Time()), ping(about, endpoint, q)
	r := e.Client.Do(ctx, attempt.Request{Target: target, Header: headers, Body: body, Number: 1,
		EventID: xid.Event.Format(about), EventType: string(event.Ping), DeliveryID: xid.Delivery.Format(id)})
	e.logAttempt(schedule.Key{Store: endpoint.StoreID, Endpoint: endpoint.ID},
		schedule.Item{ID: id, Event: about, Kind: event.Ping, Body: body}, r, 0)
	var log *db.DeliveryLog
	err = e.Store.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		began, ends := micros.Of(r.Began), state.DeliveryFailed
		if r.Outcome == attempt.Delivered {
			ends = state.DeliveryDelivered
		}
		row := e.Store.DB(ctx).DeliveryLog.Create().SetID(id).SetEndpointID(endpoint.ID).SetSequence(q.LastSequence).
			SetEventID(about).SetType(event.Ping).SetResourceID(endpoint.ID).SetState(ends).SetAttempts(1).
			SetSettledAt(micros.Now()).SetBeganAt(began).SetAttemptID(xid.At(began)).SetOutcome(string(r.Outcome)).
			SetStatus(r.Status).SetDuration(r.Duration.Microseconds()).SetResponse(r.Response).
			SetRequest(r.Request)
		if r.Detail != "" {
			row.SetDetail(r.Detail)
		}
		log, err = row.Save(ctx)
		return wrap("log ping", err)
	})
	return log, err
}

// ping returns the body of the event of a test. It is about the endpoint, has no number in its
// sequence, and is in no log but that of deliveries.
func ping(id xid.ID, endpoint *db.WebhookEndpoint, q *db.WebhookQueue) []byte {
	object := wire.AppendWebhookEndpoint(nil, endpoint, q, nil)
	if wire.PayloadOf(endpoint) != state.PayloadFull {
		object = nil
	}
	return wire.AppendEvent(nil, wire.Event{ID: id, Type: event.Ping, Occurred: id.Time(), Store: endpoint.StoreID,
		Kind: xid.WebhookEndpoint, Resource: endpoint.ID, Version: endpoint.Version,
		Object: object})
}

// number takes the next sequence of the endpoint's queue. The row stays locked until the
// transaction ends.
func (e *Engine) number(ctx context.Context, endpoint xid.ID) (*db.WebhookQueue, error) {
	c := e.Store.DB(ctx)
	n, err := c.WebhookQueue.Update().Where(webhookqueue.ID(endpoint)).AddLastSequence(1).AddWake(1).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("number delivery: %w", err)
	}
	if n == 0 {
		return nil, ErrNoQueue
	}
	q, err := ent.Only(c.WebhookQueue.Query().Where(webhookqueue.ID(endpoint)).Load(ctx))
	return q, wrap("read queue", err)
}
