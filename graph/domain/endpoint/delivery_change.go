package endpoint

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// WebhookDeliveryRetry makes the next attempt of a waiting delivery due now, or resends an ended
// one as a new delivery at the end of the queue.
func (m Mutation) WebhookDeliveryRetry(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	return m.changeDelivery(ctx, id, "webhook_delivery.retry", func(ctx context.Context, d *model.WebhookDelivery,
		row *db.Delivery,
	) (*model.WebhookDelivery, error) {
		if d.State != state.DeliveryWaiting {
			return m.resend(ctx, d)
		}
		return m.changeWaiting(ctx, id, row, m.Webhooks.RetryNow)
	})
}

func (m Mutation) resend(ctx context.Context, d *model.WebhookDelivery) (*model.WebhookDelivery, error) {
	known, err := m.Client(ctx).Event.Query().Where(dbevent.ID(d.Event)).Exist(ctx)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, fault.State(fault.InvalidTransition,
			"The event is no longer in the log and cannot be sent again.")
	}
	row, err := m.Webhooks.Resend(ctx, d.Endpoint, d.Event, d.Resource)
	if err != nil {
		return nil, err
	}
	return &model.WebhookDelivery{Key: row.ID, Endpoint: row.EndpointID, Event: row.EventID, Resource: row.ResourceID,
		Sequence: row.Sequence, Type: d.Type, ResourceType: d.ResourceType, State: state.DeliveryWaiting}, nil
}

// WebhookDeliverySkip gives up a waiting delivery. The resource's next one proceeds.
func (m Mutation) WebhookDeliverySkip(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	return m.changeDelivery(ctx, id, "webhook_delivery.skip", func(ctx context.Context, d *model.WebhookDelivery,
		row *db.Delivery,
	) (*model.WebhookDelivery, error) {
		if err := core.CheckTransition("delivery", d.State, state.DeliverySkipped, state.DeliveryWaiting); err != nil {
			return nil, err
		}
		return m.changeWaiting(ctx, id, row, m.Webhooks.SkipOne)
	})
}

// changeWaiting runs a change of the engine on a waiting delivery, and reads it again.
func (m Mutation) changeWaiting(ctx context.Context, id string, row *db.Delivery,
	change func(context.Context, *db.Delivery) (bool, error),
) (*model.WebhookDelivery, error) {
	switch done, err := change(ctx, row); {
	case err != nil:
		return nil, err
	case !done: // it was attempted or ended concurrently
		return nil, fault.State(fault.InvalidTransition, "The delivery was changed in the meantime. Read it again.")
	}
	d, _, err := m.delivery(ctx, id)
	return d, err
}

// deliveryStep changes one delivery and returns it as it is afterwards.
type deliveryStep func(context.Context, *model.WebhookDelivery, *db.Delivery) (*model.WebhookDelivery, error)

// changeDelivery runs a step on one delivery. It fails while the endpoint is stopped.
func (m Mutation) changeDelivery(ctx context.Context, id, action string, step deliveryStep,
) (*model.WebhookDeliveryPayload, error) {
	var shown *model.WebhookDelivery
	err := m.Commit(ctx, xid.Delivery, func(ctx context.Context) (*change.Record, error) {
		d, row, err := m.delivery(ctx, id)
		if err != nil {
			return nil, err
		}
		e, err := m.endpoint(ctx, d.Endpoint, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if err := running(e); err != nil {
			return nil, err
		}
		shown, err = step(ctx, d, row)
		return m.endpoints().Created(e, action, id), err
	})
	if err != nil {
		return nil, err
	}
	m.shareDeliveryLoaders(shown.Endpoint, []*model.WebhookDelivery{shown})
	return &model.WebhookDeliveryPayload{Delivery: shown}, nil
}
