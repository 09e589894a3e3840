package endpoint

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

const maxPause = 7 * 24 * time.Hour

// WebhookEndpointPause stops sending to the endpoint until a time. Its deliveries queue up, and
// each has its full 24 h when the pause ends.
func (m Mutation) WebhookEndpointPause(ctx context.Context, id string, expectedVersion int64, until micros.Time,
) (*model.WebhookEndpointPayload, error) {
	c := &core.Check{}
	if now := micros.Now(); until <= now || until > now.Add(maxPause) {
		c.Add("until", fault.OutOfRange, "A pause must end within the next seven days.")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	const action = "webhook_endpoint.pause"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(_ context.Context, e *endpointEdit) error {
		if err := running(e.Row); err != nil {
			return err
		}
		e.Row.PausedUntil = &until
		e.Update.SetPausedUntil(until)
		e.Changed = append(e.Changed, "paused_until")
		afterWrite(e, func(ctx context.Context, id xid.ID) error { return m.Webhooks.Pause(ctx, id, until) })
		return nil
	})
}

// WebhookEndpointUnpause ends a pause now.
func (m Mutation) WebhookEndpointUnpause(ctx context.Context, id string, expectedVersion int64,
) (*model.WebhookEndpointPayload, error) {
	const action = "webhook_endpoint.unpause"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(_ context.Context, e *endpointEdit) error {
		if p := e.Row.PausedUntil; p == nil || *p <= micros.Now() {
			return fault.State(fault.InvalidTransition, "The webhook endpoint is not paused.")
		}
		e.Row.PausedUntil = nil
		e.Update.ClearPausedUntil()
		e.Changed = append(e.Changed, "paused_until")
		afterWrite(e, m.Webhooks.Resume)
		return nil
	})
}
