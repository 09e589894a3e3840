package webhook

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// announce makes an event of how an endpoint does, for the store's other endpoints, in
// the transaction that notes it. The endpoint itself stays as it is.
func (d *dispatcher) announce(ctx context.Context, k schedule.Key, t event.Type) error {
	ctx = viewer.Operator(ctx, k.Store)
	c := d.Store.DB(ctx)
	e, err := ent.Only(c.WebhookEndpoint.Query().Where(endpoints.ID(k.Endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read endpoint: %w", err)
	}
	before := e.EventSequence
	e.EventSequence, e.UpdatedAt = before+1, outbox.After(e.UpdatedAt)
	n, err := c.WebhookEndpoint.Update().Where(endpoints.ID(e.ID), endpoints.EventSequence(before)).
		SetEventSequence(e.EventSequence).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if err == nil && n == 0 {
		err = errRaced // another event of it was made meanwhile: all is written anew
	}
	if err != nil {
		return fmt.Errorf("announce %s: %w", t, err)
	}
	return d.tell(ctx, e, t)
}
