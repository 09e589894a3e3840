package rest

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listOrders(c *call) error {
	q := &c.query
	filter := model.OrderFilter{
		Status:            enum[state.OrderStatus](q, "status"),
		FinancialStatus:   enum[state.FinancialStatus](q, "financial_status"),
		FulfillmentStatus: enum[state.FulfillmentStatus](q, "fulfillment_status"),
		CustomerID:        q.id("customer_id", xid.Customer),
		Tag:               q.text("tag", limit.Label),
		ExternalNumber:    q.text("external_number", limit.Label),
		CreatedFrom:       q.time("created_from"),
		CreatedTo:         q.time("created_to"),
		UpdatedFrom:       q.time("updated_from"),
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Orders(sales.WithPacked(c.ctx), q.limit, q.cursor, &filter, nil, nil)
	w := orderWriter{lines: &c.lines}
	if err := list(c, page, err, w.append); err != nil {
		return err
	}
	return w.err
}

func (a *API) getOrder(c *call) error {
	o, err := a.Core.Query().Order(sales.WithPacked(c.ctx), c.pathID())
	if err != nil {
		return err
	}
	w := orderWriter{lines: &c.lines}
	c.out = w.append(c.out, o)
	return w.err
}

// orderWriter writes orders and unpacks their lines one order after the other.
type orderWriter struct {
	lines *lineset.Unpacker
	err   error // of the first order that could not be written
}

func (w *orderWriter) append(b []byte, o *model.Order) []byte {
	if !lineset.Holds(o.Order) {
		return wire.AppendOrder(b, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
	}
	lines, err := w.lines.Unpack(o.StoreID, o.ID, o.LineSet)
	if err != nil {
		w.err = cmp.Or(w.err, fmt.Errorf("%s: %w", o.PublicID(), err))
		return b
	}
	return wire.AppendOrder(b, o.Order, len(lines), func(i int) *db.OrderLine { return lines[i] })
}

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
	// A note has no address of its own: Location names its order.
	c.code, c.location = http.StatusCreated, Base+"/orders/"+done.Note.PublicOrderID()
	c.out = wire.AppendNote(c.out, done.Note.Note, done.Note.Author().ID)
	return nil
}
