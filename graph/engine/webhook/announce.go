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

// announce writes an event about an endpoint's health for the store's other endpoints, in the
// transaction that records it. The endpoint's own row changes only in its event sequence.
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
		err = errRaced // another of its events was written meanwhile: the transaction runs again
	}
	if err != nil {
		return fmt.Errorf("announce %s: %w", t, err)
	}
	return d.appendEvent(ctx, e, t)
}
