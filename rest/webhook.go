package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/wire"
)

// listWebhooks is GET /webhooks.
func (a *API) listWebhooks(c *call) error {
	page, err := a.Core.Query().WebhookEndpoints(c.ctx, c.query.limit, c.query.cursor)
	if err != nil {
		return err
	}
	list(c, page, func(b []byte, e *model.WebhookEndpoint) []byte { return appendWebhook(b, e, nil) })
	return nil
}

func appendWebhook(b []byte, e *model.WebhookEndpoint, secret *string) []byte {
	return wire.AppendWebhookEndpoint(b, e.WebhookEndpoint, e.Health, secret)
}

// createWebhook is POST /webhooks. Its answer alone, and its replays, show the
// secret.
func (a *API) createWebhook(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	address, events := r.String("url"), r.Strings("events")
	in := model.WebhookEndpointCreateInput{Events: events, Description: r.String("description")}
	fields := r.Fields()
	if address == nil {
		fields = missing(fields, "url")
	} else {
		in.URL = *address
	}
	if events == nil {
		fields = missing(fields, "events")
	}
	done, err := a.Core.Mutation().WebhookEndpointCreate(core.WithFields(c.ctx, fields), in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/webhooks/"+done.WebhookEndpoint.PublicID()
	c.out = appendWebhook(c.out, done.WebhookEndpoint, done.Secret)
	return nil
}

// deleteWebhook is DELETE /webhooks/{id}, which takes no members.
func (a *API) deleteWebhook(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	if fields := r.Fields(); len(fields) > 0 {
		return fault.Invalid(fields...)
	}
	if _, err := a.Core.Mutation().WebhookEndpointDelete(c.ctx, c.pathID()); err != nil {
		return err
	}
	c.code = http.StatusNoContent
	return nil
}
