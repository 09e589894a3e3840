package endpoint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/store"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/model"
)

// WebhookEndpointCreate registers an endpoint that belongs to the viewer: to an app, or else to the
// store. Its secret is only in this answer. Several endpoints may have the same address.
func (m Mutation) WebhookEndpointCreate(ctx context.Context, in model.WebhookEndpointCreateInput,
) (*model.WebhookEndpointPayload, error) {
	in.Payload = cmp.Or(in.Payload, state.PayloadFull)
	c := core.NewCheck(in)
	checkReceiver(c, m.Webhooks, "url", in.URL)
	events := checkEvents(c, "events", in.Events)
	core.Opt(in.Description, func(s string) { c.Line("description", s, limit.Line) })
	checkOwn(c, in.RateLimit, in.Headers, in.Filters)
	if err := c.Err(); err != nil {
		return nil, err
	}
	in.Payload, in.Selection = checkSelection(c, in.Payload, in.Selection, events)
	for i, f := range in.Filters {
		checkMember(c, i, events, f.Field)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := subscribable(ctx, events); err != nil {
		return nil, err
	}
	headers, err := headersOf(in.Headers, nil)
	if err != nil {
		return nil, err
	}
	id, secret := xid.New(), webhook.NewSecret()
	var shown *model.WebhookEndpoint
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		if err := m.roomForEndpoint(ctx); err != nil {
			return nil, err
		}
		if err := m.allowNew(ctx, in.URL, events, in.Payload != state.PayloadFull || in.Selection != nil); err != nil {
			return nil, err
		}
		row, err := m.registerEndpoint(ctx, id, in, registration{events, secret, headers})
		if err != nil {
			return nil, err
		}
		shown, err = m.shownEndpoint(ctx, row)
		// The address is left out: it may contain secrets of the receiver.
		return m.endpoints().Created(row, "webhook_endpoint.create", truncated(events)), err
	})
	if err != nil {
		return nil, err
	}
	return &model.WebhookEndpointPayload{WebhookEndpoint: shown, Secret: &secret}, nil
}

// registration is what a new endpoint has besides its input, in stored form.
type registration struct {
	events, secret string
	headers        []webhook.Header
}

func (m Mutation) registerEndpoint(ctx context.Context, id xid.ID, in model.WebhookEndpointCreateInput, r registration,
) (*db.WebhookEndpoint, error) {
	row := m.Client(ctx).WebhookEndpoint.Create().SetID(id).SetURL(in.URL).SetEvents(r.events).
		SetNillableDescription(in.Description).SetPayload(in.Payload).SetNillableSelection(in.Selection).
		SetStatus(state.EndpointActive).
		SetSecret(m.Webhooks.Vault.Seal(id, r.secret)).SetSecretHint(webhook.Hint(r.secret)).SetUpdatedAt(id.Time()).
		SetNillableRateLimit(rateOf(in.RateLimit)).SetNillableFilters(filtersOf(in.Filters))
	if sealed := m.Webhooks.Vault.SealHeaders(id, r.headers); sealed != nil {
		row.SetHeaders(sealed)
	}
	if v := viewer.From(ctx); v.Kind == viewer.OAuthApp {
		g, err := core.Only(m.Client(ctx).Grant.Query().Where(grant.ID(v.Grant)).Load(ctx))
		if err != nil {
			return nil, fmt.Errorf("read the grant of the app: %w", err)
		}
		row.SetAppID(g.AppID).SetAppStoreID(g.AppStoreID)
	}
	made, err := row.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("register endpoint: %w", err)
	}
	return made, m.Webhooks.Create(ctx, id)
}

// allowNew refuses queues, messages that are not full and events of stock as long as there may be a program of an
// earlier release, which would send nothing or too much. With the first subscription to events of
// stock, the store has them.
func (m Mutation) allowNew(ctx context.Context, address, events string, reduced bool) error {
	ofStock := slices.Contains(strings.Fields(events), string(event.InventoryChanged))
	if !ofStock && !attempt.IsQueue(address) && !reduced {
		return nil
	}
	if !ent.Writes(ctx, ent.CustomFields) { // all came with the same release
		return fault.State(fault.InvalidTransition, "Queues, thin messages, selections and events of stock are available once the "+
			"upgrade is finished (storefront migrate finalize).")
	}
	if !ofStock {
		return nil
	}
	return fault.Wrap("turn on events of stock", m.Client(ctx).Store.Update().
		Where(store.ID(viewer.From(ctx).Store), store.StockEvents(false)).SetStockEvents(true).AddVersion(1).
		Modify(change.RaiseUpdatedAt(micros.Now())).Exec(ctx))
}

// roomForEndpoint returns an error if the store has as many endpoints as allowed.
func (m Mutation) roomForEndpoint(ctx context.Context) error {
	return m.Room(ctx, limit.Endpoints, ent.Primary,
		func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).WebhookEndpoint.Query().Where(endpoints.DeletedAtIsNil()).Modify(pick).Scan(ctx, ids)
		})
}

func checkOwn(c *core.Check, rate *int64, headers []*model.WebhookHeaderInput, filters filter.Set) {
	core.Opt(rate, func(n int64) { c.Within("rate_limit", n, 1, limit.EndpointRate) })
	checkHeaders(c, headers)
	filters.Check("filters", c.Add)
}

func rateOf(rate *int64) *int {
	if rate == nil {
		return nil
	}
	return new(int(*rate))
}

// filtersOf returns the stored form of conditions, nil for none.
func filtersOf(filters filter.Set) *string {
	if len(filters) == 0 {
		return nil
	}
	return new(filters.Text())
}

// checkReceiver validates the form of an endpoint's address. It makes no lookup.
func checkReceiver(c *core.Check, engine *webhook.Engine, name, address string) {
	if len(address) > limit.URL {
		c.Add(name, fault.TooLong, "The address has more than "+strconv.Itoa(limit.URL)+" bytes.")
		return
	}
	if wrong := attempt.CheckURL(engine.Egress, address); wrong != "" {
		c.Add(name, fault.InvalidFormat, wrong)
	}
}

// checkEvents validates the subscribed events and returns their stored form: sorted, each name
// once.
func checkEvents(c *core.Check, name string, names []string) string {
	switch {
	case len(names) == 0:
		c.Add(name, fault.TooShort, "An endpoint needs at least one event.")
	case len(names) > limit.EventNames:
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(limit.EventNames)+" events.")
		return ""
	}
	for i, s := range names {
		if _, ok := event.Find(event.Type(s)); !ok {
			c.Add(name+"/"+strconv.Itoa(i), fault.UnknownValue, "Unknown event.")
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	return strings.Join(slices.Compact(sorted), " ")
}

// subscribable returns an error if the viewer lacks the scope of an event: what they may not read
// must not be sent to them either (contract, section 5, Ownership).
func subscribable(ctx context.Context, events string) error {
	var types []event.Type
	for name := range strings.FieldsSeq(events) {
		types = append(types, event.Type(name))
	}
	return core.RequireReadScope(ctx, "", types...)
}

// truncated truncates the detail of an audit row.
func truncated(detail string) string {
	const most = limit.Line
	if len(detail) > most {
		return detail[:most-1] + "…"
	}
	return detail
}
