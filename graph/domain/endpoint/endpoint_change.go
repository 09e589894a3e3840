package endpoint

import (
	"context"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

type endpointEdit = change.Edit[*db.WebhookEndpoint, *db.WebhookEndpointUpdate]

func (r *Resolver) endpoints() *change.Versioned[*db.WebhookEndpoint, *db.WebhookEndpointUpdate] {
	return &change.Versioned[*db.WebhookEndpoint, *db.WebhookEndpointUpdate]{
		Kind: xid.WebhookEndpoint,
		Load: func(ctx context.Context, id xid.ID) (*db.WebhookEndpoint, error) {
			return r.endpoint(ctx, id, ent.NoLock)
		},
		Head: func(e *db.WebhookEndpoint) change.Head {
			return change.Head{Store: e.StoreID, ID: e.ID, Version: &e.Version, UpdatedAt: &e.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.WebhookEndpointUpdate {
			return r.Client(ctx).WebhookEndpoint.Update().Where(endpoints.ID(id), endpoints.Version(version))
		},
	}
}

// changeEndpoint runs edit on the endpoint if it has the expected version, in one transaction with
// the engine's changes to the queue. If a second secret has taken over in the meantime, this is
// written too.
func (m Mutation) changeEndpoint(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *endpointEdit) error,
) (*model.WebhookEndpointPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	var shown *model.WebhookEndpoint
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		row, err := m.endpoints().Expect(ctx, uid, expected)
		if err != nil {
			return nil, err
		}
		done, err := m.endpoints().Apply(ctx, row, action, func(ctx context.Context, e *endpointEdit) error {
			afterWrite(e, m.Webhooks.SettingsChanged)
			if model.PromotionDue(row, micros.Now()) {
				promote(e)
			}
			err := edit(ctx, e)
			e.Detail = strings.Join(e.Changed, " ")
			return err
		})
		if err != nil {
			return nil, err
		}
		shown, err = m.shownEndpoint(ctx, row)
		return done, err
	})
	if err != nil {
		return nil, err
	}
	return &model.WebhookEndpointPayload{WebhookEndpoint: shown}, nil
}

// afterWrite sets what the engine does to the queue after the row is written.
func afterWrite(e *endpointEdit, step func(context.Context, xid.ID) error) {
	e.Then = func(ctx context.Context) error { return step(ctx, e.Row.ID) }
}

// disable disables the endpoint, in the row and in the update.
func disable(e *endpointEdit, why state.EndpointStop) {
	now := micros.Now()
	e.Row.Status, e.Row.StoppedAt, e.Row.StoppedReason = state.EndpointDisabled, &now, &why
	e.Update.SetStatus(e.Row.Status).SetStoppedAt(now).SetStoppedReason(why)
	e.Changed = append(e.Changed, "status")
}

// WebhookEndpointUpdate changes the given members. Events go where the viewer says, so the viewer
// needs the scope of every event that the endpoint has afterwards.
func (m Mutation) WebhookEndpointUpdate(ctx context.Context, id string, expectedVersion int64,
	in model.WebhookEndpointUpdateInput,
) (*model.WebhookEndpointPayload, error) {
	c := &core.Check{}
	core.NotNull(c, "url", in.URL, func(s string) { checkReceiver(c, m.Webhooks, "url", s) })
	core.NotNull(c, "payload", in.Payload, func(state.WebhookPayload) {})
	core.Opt(in.Description.Value(), func(s string) { c.Line("description", s, limit.Line) })
	var events *string
	if in.Events.IsSet() {
		events = new(checkEvents(c, "events", in.Events.Value()))
	}
	checkOwn(c, in.RateLimit.Value(), in.Headers.Value(), in.Filters.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	const action = "webhook_endpoint.update"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(ctx context.Context, e *endpointEdit) error {
		row, u, before := e.Row, e.Update, *e.Row
		core.MemberOf(&e.Changed, in.URL, "url", &row.URL, u.SetURL)
		if row.URL != before.URL { // the same data go to another receiver
			if err := core.RequireProof(ctx); err != nil {
				return err
			}
		}
		core.Replace(&e.Changed, events, "events", &row.Events, u.SetEvents)
		if err := changePayload(e, in); err != nil {
			return err
		}
		core.MemberOpt(&e.Changed, in.Description, "description", &row.Description, u.SetDescription,
			u.ClearDescription)
		if in.RateLimit.IsSet() {
			rate := core.Given(rateOf(in.RateLimit.Value()))
			core.MemberOpt(&e.Changed, rate, "rate_limit", &row.RateLimit, u.SetRateLimit, u.ClearRateLimit)
		}
		if in.Filters.IsSet() {
			filters := core.Given(filtersOf(in.Filters.Value()))
			core.MemberOpt(&e.Changed, filters, "filters", &row.Filters, u.SetFilters, u.ClearFilters)
		}
		if err := checkChange(&before, row); err != nil {
			return err
		}
		if err := m.changeHeaders(e, before.URL, in); err != nil {
			return err
		}
		if err := subscribable(ctx, row.Events); err != nil {
			return err
		}
		return m.allowNew(ctx, row.URL, row.Events, wire.PayloadOf(row) != state.PayloadFull)
	})
}

// changePayload changes what messages contain. A selection that is kept has to cover the events.
func changePayload(e *endpointEdit, in model.WebhookEndpointUpdateInput) error {
	if !in.Payload.IsSet() && !in.Selection.IsSet() && !in.Events.IsSet() {
		return nil
	}
	sends, selection := wire.PayloadOf(e.Row), e.Row.Selection
	if in.Payload.IsSet() {
		sends = *in.Payload.Value()
	}
	if in.Selection.IsSet() {
		selection = in.Selection.Value()
	} else if sends != state.PayloadSelection {
		selection = nil
	}
	c := &core.Check{}
	payload, selection := checkSelection(c, sends, selection, e.Row.Events)
	if err := c.Err(); err != nil {
		return err
	}
	core.Replace(&e.Changed, &payload, "payload", &e.Row.Payload, e.Update.SetPayload)
	core.MemberOpt(&e.Changed, core.Given(selection), "selection", &e.Row.Selection, e.Update.SetSelection,
		e.Update.ClearSelection)
	return nil
}

// WebhookEndpointDisable stops deliveries. Waiting ones are held.
func (m Mutation) WebhookEndpointDisable(ctx context.Context, id string, expectedVersion int64,
) (*model.WebhookEndpointPayload, error) {
	const action = "webhook_endpoint.disable"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(_ context.Context, e *endpointEdit) error {
		err := core.CheckTransition("webhook endpoint", e.Row.Status, state.EndpointDisabled,
			state.EndpointActive, state.EndpointSuspended)
		if err != nil {
			return err
		}
		disable(e, state.StoppedByPerson)
		afterWrite(e, m.Webhooks.Hold)
		return nil
	})
}

// WebhookEndpointDelete removes the endpoint and cancels its waiting deliveries, in one
// transaction. The row stays, without its secrets, until its log has aged out.
func (m Mutation) WebhookEndpointDelete(ctx context.Context, id string) (*model.WebhookEndpointDeletePayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		row, err := m.endpoint(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		return m.endpoints().Apply(ctx, row, "webhook_endpoint.delete", func(_ context.Context, e *endpointEdit) error {
			e.Update.SetDeletedAt(micros.Now()).SetSecret([]byte{}).SetSecretHint("").
				ClearNextSecret().ClearNextSecretHint().ClearNextSecretAt().ClearHeaders()
			e.Changed = []string{"deleted_at"}
			afterWrite(e, m.Webhooks.Cancel)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return &model.WebhookEndpointDeletePayload{DeletedID: &id}, nil
}

// WebhookEndpointTest sends a ping to the endpoint, whatever its status, and returns the result. It
// waits for the receiver, so only the audit row is in a transaction.
func (m Mutation) WebhookEndpointTest(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	if m.Store.Within(ctx) {
		return nil, fault.New(fault.IdempotencyNotSupported, "A ping is sent each time. Leave out the Idempotency-Key.")
	}
	row, err := m.endpoint(ctx, uid, ent.NoLock)
	if err != nil {
		return nil, core.Explain("webhook endpoint", err)
	}
	if err := m.Within(ctx, limit.PingsPerMinute, time.Minute, uid); err != nil {
		return nil, core.Explain("webhook endpoint", err)
	}
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		return m.endpoints().Created(row, "webhook_endpoint.test", ""), nil
	})
	if err != nil {
		return nil, err
	}
	log, err := m.Webhooks.Test(ctx, row)
	if err != nil {
		return nil, core.Explain("webhook endpoint", err)
	}
	d := loggedDelivery(log)
	m.shareDeliveryLoaders(uid, []*model.WebhookDelivery{d})
	return &model.WebhookDeliveryPayload{Delivery: d}, nil
}

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
