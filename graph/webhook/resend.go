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
	"github.com/storefront-go/storefront/graph/webhook/schedule"
)

// Again is an event that is sent to an endpoint once more.
type Again struct{ Event, Resource xid.ID }

// ResendAll makes new deliveries of events to the endpoint, in their order, at the end
// of its queue.
func (e *Engine) ResendAll(ctx context.Context, endpoint xid.ID, list []Again) error {
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
