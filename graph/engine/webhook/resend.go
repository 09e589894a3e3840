package webhook

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// DeliveryRef is a delivery to send again.
type DeliveryRef struct {
	Sequence        int64
	Event, Resource xid.ID
}

// RetryAllNow makes the next attempts of waiting deliveries due now and returns their number.
// Deliveries that are already due are left alone. It runs in the transaction in which they were
// read.
func (e *Engine) RetryAllNow(ctx context.Context, endpoint xid.ID, list []DeliveryRef) (int, error) {
	now, store := e.wallTime(), viewer.From(ctx).Store
	args := []any{now, now, now}
	for _, a := range list {
		args = append(args, store, endpoint, a.Sequence)
	}
	n, err := e.exec(ctx, "UPDATE deliveries SET due_at = ?, tried_at = ? WHERE due_at > ? AND "+
		e.among("store_id, endpoint_id, sequence", len(list)), args...)
	if err != nil || n == 0 {
		return 0, wrap("hurry deliveries", err)
	}
	return n, e.nudge(ctx, endpoint, nil)
}

// ResendAll creates new deliveries of events at the end of the endpoint's queue, in the given
// order.
func (e *Engine) ResendAll(ctx context.Context, endpoint xid.ID, list []DeliveryRef) error {
	err := e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) { u.AddLastSequence(int64(len(list))) })
	if err != nil {
		return err
	}
	q, err := ent.Only(e.Store.DB(ctx).WebhookQueue.Query().Where(webhookqueue.ID(endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	key := schedule.Key{Store: viewer.From(ctx).Store, Endpoint: endpoint}
	first, now := q.LastSequence-int64(len(list))+1, micros.Now()
	rows := make([]any, 0, deliveryColumns*len(list))
	for i, a := range list {
		rows = append(rows, deliveryRow(key, first+int64(i), pending{event: a.Event, resource: a.Resource}, now)...)
	}
	return wrap("send again", e.insertDeliveries(ctx, rows))
}
