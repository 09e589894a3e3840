package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	webhooks "github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listWebhooks(c *call) error {
	page, err := a.Core.Query().WebhookEndpoints(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, e *model.WebhookEndpoint) []byte { return appendWebhook(b, e, nil) })
}

func appendWebhook(b []byte, e *model.WebhookEndpoint, secret *string) []byte {
	return wire.AppendWebhookEndpoint(b, e.WebhookEndpoint, e.Health, secret)
}

// createWebhook is POST /webhooks. Only its answer, and replays of it, show the secret.
func (a *API) createWebhook(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	address, events, payload := r.String("url"), r.Strings("events"), r.String("payload")
	in := model.WebhookEndpointCreateInput{Events: events, Description: r.String("description"),
		Payload: state.PayloadFull, Selection: r.String("selection")}
	faults := required(r.Fields(), "url", address, &in.URL)
	faults = choice(faults, "payload", payload, &in.Payload, "The value is full, thin or selection.")
	c.keep(present(faults, "events", events != nil))
	done, err := a.Core.Mutation().WebhookEndpointCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/webhooks/"+done.WebhookEndpoint.PublicID()
	c.out = appendWebhook(c.out, done.WebhookEndpoint, done.Secret)
	return nil
}

// deleteWebhook is DELETE /webhooks/{id}, which takes no members.
func (a *API) deleteWebhook(c *call) error {
	if err := c.noMembers(); err != nil {
		return err
	}
	if _, err := a.Core.Mutation().WebhookEndpointDelete(c.ctx, c.pathID()); err != nil {
		return err
	}
	c.code = http.StatusNoContent
	return nil
}

// listEvents answers with the bodies that webhooks deliver.
func (a *API) listEvents(c *call) error {
	q := &c.query
	filter := model.EventFilter{OccurredFrom: q.time("occurred_from")}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Events(c.ctx, q.limit, q.cursor, &filter)
	if err != nil {
		return err
	}
	kept := page.Nodes[:0]
	bodies := map[*model.Event]string{}
	for _, e := range page.Nodes {
		body, err := webhooks.EventFields{}.Payload(c.ctx, e)
		if err != nil {
			return err
		}
		if body != nil { // otherwise it aged out meanwhile
			kept, bodies[e] = append(kept, e), *body
		}
	}
	page.Nodes = kept
	return list(c, page, nil, func(b []byte, e *model.Event) []byte { return append(b, bodies[e]...) })
}

func (a *API) getEvent(c *call) error {
	e, err := a.Core.Query().Event(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	body, err := webhooks.EventFields{}.Payload(c.ctx, e)
	if err != nil {
		return err
	}
	if body == nil {
		return fault.Missing("event")
	}
	c.out = append(c.out, *body...)
	return nil
}
