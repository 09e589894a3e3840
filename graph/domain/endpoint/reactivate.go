package endpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/model"
)

// WebhookEndpointReactivate reactivates a suspended or disabled endpoint; backlog says what to do
// with the events that it missed. An app's endpoint requires that the app has a grant in the store.
func (m Mutation) WebhookEndpointReactivate(ctx context.Context, id string, expectedVersion int64,
	backlog state.WebhookBacklog, since *micros.Time,
) (*model.WebhookEndpointPayload, error) {
	c := &core.Check{}
	switch {
	case backlog != state.BacklogFrom && since != nil:
		c.Add("since", fault.UnknownMember, "Only the backlog FROM can have a time.")
	case backlog == state.BacklogFrom && since == nil:
		c.Required("since", false)
	case since != nil:
		checkLogged(c, "since", *since)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	const action = "webhook_endpoint.reactivate"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(ctx context.Context, e *endpointEdit) error {
		row := e.Row
		err := core.CheckTransition("webhook endpoint", row.Status, state.EndpointActive,
			state.EndpointSuspended, state.EndpointDisabled)
		if err != nil {
			return err
		}
		if err := m.requireGrant(ctx, row); err != nil {
			return err
		}
		row.Status, row.StoppedAt, row.StoppedReason = state.EndpointActive, nil, nil
		e.Update.SetStatus(row.Status).ClearStoppedAt().ClearStoppedReason()
		e.Changed = append(e.Changed, "status")
		afterWrite(e, m.resume(backlog, since))
		return nil
	})
}

// resume returns the engine's operation for a backlog.
func (m Mutation) resume(backlog state.WebhookBacklog, since *micros.Time) func(context.Context, xid.ID) error {
	switch backlog {
	case state.BacklogFrom:
		return func(ctx context.Context, id xid.ID) error { return m.Webhooks.ResumeFrom(ctx, id, *since) }
	case state.BacklogDrop:
		return m.Webhooks.ResumeEmpty
	}
	return m.Webhooks.Resume
}

// checkLogged checks that a time is within the event log: not in the future, and not older than the
// log.
func checkLogged(c *core.Check, name string, t micros.Time) {
	now := micros.Now()
	switch {
	case t > now:
		c.Add(name, fault.OutOfRange, "The time is in the future.")
	case t < now.Add(-outbox.Retention):
		c.Add(name, fault.OutOfRange,
			fmt.Sprintf("The event log reaches back %d days.", outbox.Retention/(24*time.Hour)))
	}
}

// requireGrant returns an error for an app's endpoint if the app has no active grant in the store.
// The read waits for concurrent revocations: these either see the endpoint active, or are seen
// here.
func (m Mutation) requireGrant(ctx context.Context, e *db.WebhookEndpoint) error {
	if e.AppID == nil {
		return nil
	}
	stands, err := oauth.Installed(ctx, m.Client(ctx), *e.AppID)
	if err != nil {
		return err
	}
	if !stands {
		return fault.State(fault.InvalidTransition, "The app that owns the endpoint no longer has access to the store.")
	}
	return nil
}

// WebhookEndpointReplay resends the events of a period. An endpoint has at most one replay at a
// time.
func (m Mutation) WebhookEndpointReplay(ctx context.Context, id string, from, to micros.Time,
) (*model.WebhookEndpointPayload, error) {
	c := &core.Check{}
	checkLogged(c, "from", from)
	switch {
	case to > micros.Now():
		c.Add("to", fault.OutOfRange, "The time is in the future.")
	case to <= from:
		c.Add("to", fault.OutOfRange, "The end must be after the beginning.")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.replay(ctx, id, "webhook_endpoint.replay", from.String()+" "+to.String(),
		func(ctx context.Context, e *db.WebhookEndpoint) error { return m.Webhooks.Replay(ctx, e.ID, from, to) })
}

// WebhookEventReplay resends one logged event to an endpoint that subscribes to it. As with any
// replay, the engine decides whether the endpoint may get it.
func (m Mutation) WebhookEventReplay(ctx context.Context, id, endpointID string) (
	*model.WebhookEndpointPayload, error,
) {
	uid, err := core.ParseID(xid.Event, id)
	if err != nil {
		return nil, err
	}
	one := func(ctx context.Context, e *db.WebhookEndpoint) error {
		row, err := m.event(ctx, uid)
		if err != nil {
			return core.Explain("event", err)
		}
		if !slices.Contains(strings.Fields(e.Events), string(row.Type)) {
			return fault.State(fault.InvalidTransition, "The endpoint does not subscribe to "+string(row.Type)+".")
		}
		return m.Webhooks.ReplayOne(ctx, e.ID, row.ID)
	}
	return m.replay(ctx, endpointID, "webhook_endpoint.replay_event", id, one)
}

// replay begins a replay of an active endpoint, one at a time.
func (m Mutation) replay(ctx context.Context, id, action, detail string,
	begin func(context.Context, *db.WebhookEndpoint) error,
) (*model.WebhookEndpointPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	var shown *model.WebhookEndpoint
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		row, err := m.endpoint(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if err := running(row); err != nil {
			return nil, err
		}
		switch err := begin(ctx, row); {
		case errors.Is(err, webhook.ErrReplaying):
			return nil, fault.State(fault.ReplayPending,
				"Another replay of this endpoint is running. Wait until it has ended.")
		case err != nil:
			return nil, err
		}
		shown, err = m.shownEndpoint(ctx, row)
		return m.endpoints().Created(row, action, detail), err
	})
	if err != nil {
		return nil, err
	}
	return &model.WebhookEndpointPayload{WebhookEndpoint: shown}, nil
}

func running(e *db.WebhookEndpoint) error {
	if e.Status != state.EndpointActive {
		return fault.State(fault.InvalidTransition,
			"The webhook endpoint is "+core.Words(e.Status)+". Reactivate it first.")
	}
	return nil
}

// DisableOf disables the endpoints of an app whose last grant in the viewer's store ends, and
// cancels their waiting deliveries, in the transaction of ctx. Endpoints that are already disabled
// keep their reason.
func (r *Resolver) DisableOf(ctx context.Context, app xid.ID) error {
	query := r.Client(ctx).WebhookEndpoint.Query().
		Where(endpoints.AppID(app), endpoints.DeletedAtIsNil()).Order(endpoints.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(endpointIndex))
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the endpoints of an app: %w", err)
	}
	for _, row := range rows {
		if err := r.disableOrphan(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// disableOrphan disables an endpoint whose app has lost its grant.
func (r *Resolver) disableOrphan(ctx context.Context, row *db.WebhookEndpoint) error {
	return r.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		if row.Status == state.EndpointDisabled {
			return nil, r.Webhooks.Cancel(ctx, row.ID) // already disabled: no audit row
		}
		return r.endpoints().Apply(ctx, row, "webhook_endpoint.disable",
			func(_ context.Context, e *endpointEdit) error {
				disable(e, state.StoppedByGrant)
				e.Detail = string(state.StoppedByGrant)
				afterWrite(e, r.Webhooks.Cancel)
				return nil
			})
	})
}
