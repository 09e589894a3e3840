package endpoint

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// endpointEdit is a change of one endpoint: the entity as it will be, the update
// that makes it so, the members that differ, and what the engine is to do.
type endpointEdit struct {
	*db.WebhookEndpoint
	update  *db.WebhookEndpointUpdate
	changed []string
	engine  func(context.Context, xid.ID) error
}

// changeEndpoint runs edit on the endpoint if it has the expected version, in one
// transaction with the audit row and what the engine does to the queue. An edit
// that changes nothing leaves everything as it is. A second secret that has taken
// over by itself is written as such on the way.
func (m Mutation) changeEndpoint(ctx context.Context, id string, expected int64, action string, edit func(context.Context, *endpointEdit) error) (*model.WebhookEndpointPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	var shown *model.WebhookEndpoint
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := m.endpoint(ctx, uid, ent.NoLock)
		if err != nil {
			return err
		}
		if row.Version != expected {
			return core.Stale(xid.WebhookEndpoint, expected, row.Version)
		}
		e := &endpointEdit{WebhookEndpoint: row, engine: m.Webhooks.Changed,
			update: m.Client(ctx).WebhookEndpoint.Update().Where(endpoints.ID(uid), endpoints.Version(expected))}
		if model.PromotionDue(row, micros.Now()) {
			e.promote()
		}
		if err := edit(ctx, e); err != nil {
			return err
		}
		if len(e.changed) > 0 {
			if err := m.saveEndpoint(ctx, e, action); err != nil {
				return err
			}
		}
		shown, err = m.shownEndpoint(ctx, row)
		return err
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.WebhookEndpoint), err)
	}
	return &model.WebhookEndpointPayload{WebhookEndpoint: shown}, nil
}

// saveEndpoint writes the edit and its audit row, and tells the engine.
func (m Mutation) saveEndpoint(ctx context.Context, e *endpointEdit, action string) error {
	e.Version++
	e.UpdatedAt = core.UpdateTime(e.UpdatedAt)
	n, err := e.update.SetVersion(e.Version).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if err := core.Swapped(xid.WebhookEndpoint, n, err); err != nil {
		return err
	}
	if err := e.engine(ctx, e.ID); err != nil {
		return err
	}
	return audit.Write(ctx, m.Client(ctx), action, xid.WebhookEndpoint, e.ID, strings.Join(e.changed, " "))
}

// stop takes the endpoint out of service, in hand and in the update.
func (e *endpointEdit) stop(to state.EndpointStatus, why state.EndpointStop) {
	now := micros.Now()
	e.Status, e.StoppedAt, e.StoppedReason = to, &now, &why
	e.update.SetStatus(to).SetStoppedAt(now).SetStoppedReason(why)
	e.changed = append(e.changed, "status")
}

// WebhookEndpointUpdate changes the members that are given. Whoever says where
// events go gets them, so the viewer needs the scope of every event that the
// endpoint then has.
func (m Mutation) WebhookEndpointUpdate(ctx context.Context, id string, expectedVersion int64, in model.WebhookEndpointUpdateInput) (*model.WebhookEndpointPayload, error) {
	c := &core.Check{}
	core.NotNull(c, "url", in.URL, func(s string) { checkReceiver(c, m.Webhooks, "url", s) })
	core.Opt(in.Description.Value(), func(s string) { c.Line("description", s, limit.Line) })
	var events *string
	if in.Events.IsSet() {
		events = new(checkEvents(c, "events", in.Events.Value()))
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeEndpoint(ctx, id, expectedVersion, "webhook_endpoint.update", func(ctx context.Context, e *endpointEdit) error {
		row, u := e.WebhookEndpoint, e.update
		core.MemberOf(&e.changed, in.URL, "url", &row.URL, u.SetURL)
		core.Replace(&e.changed, events, "events", &row.Events, u.SetEvents)
		core.MemberOpt(&e.changed, in.Description, "description", &row.Description, u.SetDescription, u.ClearDescription)
		return subscribable(ctx, row.Events)
	})
}

// WebhookEndpointDisable stops deliveries; those that wait are held.
func (m Mutation) WebhookEndpointDisable(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	return m.changeEndpoint(ctx, id, expectedVersion, "webhook_endpoint.disable", func(_ context.Context, e *endpointEdit) error {
		err := core.Allowed("webhook endpoint", e.Status, state.EndpointDisabled, state.EndpointActive, state.EndpointSuspended)
		if err != nil {
			return err
		}
		e.stop(state.EndpointDisabled, state.StoppedByPerson)
		e.engine = m.Webhooks.Hold
		return nil
	})
}

// WebhookEndpointDelete removes the endpoint and cancels what waits for it, in
// one transaction. The row stays, without its secrets, until its log has aged
// out.
func (m Mutation) WebhookEndpointDelete(ctx context.Context, id string) (*model.WebhookEndpointDeletePayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := m.endpoint(ctx, uid, ent.ForUpdate)
		if err != nil {
			return err
		}
		n, err := m.Client(ctx).WebhookEndpoint.Update().Where(endpoints.ID(uid), endpoints.Version(row.Version)).
			SetDeletedAt(micros.Now()).SetSecret([]byte{}).SetSecretHint("").
			ClearNextSecret().ClearNextSecretHint().ClearNextSecretAt().
			SetVersion(row.Version + 1).SetUpdatedAt(core.UpdateTime(row.UpdatedAt)).Save(ctx)
		if err := core.Swapped(xid.WebhookEndpoint, n, err); err != nil {
			return err
		}
		if err := m.Webhooks.Cancel(ctx, uid); err != nil {
			return err
		}
		return audit.Write(ctx, m.Client(ctx), "webhook_endpoint.delete", xid.WebhookEndpoint, uid, "")
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.WebhookEndpoint), err)
	}
	return &model.WebhookEndpointDeletePayload{DeletedID: &id}, nil
}

// WebhookEndpointTest sends a ping to the endpoint, whatever its status, and
// tells what came of it. It waits for the receiver, so nothing of it is in a
// transaction but the audit row.
func (m Mutation) WebhookEndpointTest(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	if m.Store.Within(ctx) {
		return nil, fault.New(fault.IdempotencyNotSupported, "A ping is sent each time: leave the Idempotency-Key out.")
	}
	row, err := m.endpoint(ctx, uid, ent.NoLock)
	if err != nil {
		return nil, core.Explain(core.KindName(xid.WebhookEndpoint), err)
	}
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		return audit.Write(ctx, m.Client(ctx), "webhook_endpoint.test", xid.WebhookEndpoint, uid, "")
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.WebhookEndpoint), err)
	}
	log, err := m.Webhooks.Test(ctx, row)
	if err != nil {
		return nil, core.Explain(core.KindName(xid.WebhookEndpoint), err)
	}
	d := loggedDelivery(log)
	m.besides(uid, []*model.WebhookDelivery{d})
	return &model.WebhookDeliveryPayload{Delivery: d}, nil
}
