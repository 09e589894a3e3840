package rest

import (
	"github.com/storefront-go/storefront/ent/fault"
	webhooks "github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/model"
)

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
