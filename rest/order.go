package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/wire"
)

// listOrders is GET /orders.
func (a *API) listOrders(c *call) error {
	q := &c.query
	filter := model.OrderFilter{
		Status:            enum[state.OrderStatus](q, "status"),
		FinancialStatus:   enum[state.FinancialStatus](q, "financial_status"),
		FulfillmentStatus: enum[state.FulfillmentStatus](q, "fulfillment_status"),
		CustomerID:        q.id("customer_id", xid.Customer),
		CreatedFrom:       q.time("created_from"),
		CreatedTo:         q.time("created_to"),
		UpdatedFrom:       q.time("updated_from"),
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Orders(c.ctx, q.limit, q.cursor, &filter, nil, nil)
	if err != nil {
		return err
	}
	list(c, page, appendOrder)
	return nil
}

// getOrder is GET /orders/{id}.
func (a *API) getOrder(c *call) error {
	o, err := a.Core.Query().Order(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = appendOrder(c.out, o)
	return nil
}

func appendOrder(b []byte, o *model.Order) []byte {
	return wire.AppendOrder(b, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
}

// createOrderNote is POST /orders/{id}/notes.
func (a *API) createOrderNote(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.OrderNoteInput{Visibility: state.NoteInternal}
	body, visibility := r.String("body"), r.String("visibility")
	faults := required(r.Fields(), "body", body, &in.Body)
	faults = choice(faults, "visibility", visibility, &in.Visibility, "The value is internal or customer.")
	in.Decoded = model.NewDecoded(faults)
	done, err := a.Core.Mutation().OrderNoteAppend(c.ctx, c.pathID(), in)
	if err != nil {
		return err
	}
	// A note has no address of its own: Location names the order that it stands on.
	c.code, c.location = http.StatusCreated, Base+"/orders/"+done.Note.PublicOrderID()
	c.out = wire.AppendNote(c.out, done.Note.Note, done.Note.Author().ID)
	return nil
}
