package sales

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/wire"
)

// orderEdit is a change of one order: the entity as it will be, the update that
// makes it so, and all that goes with it. An edit reads and computes; only
// saveOrder writes, the order first, so that of two changes of one order the
// second finds out before it has touched a product or a customer.
type orderEdit struct {
	*model.Order
	update *db.OrderUpdate
	// now is the time of the change.
	now micros.Time
	// events are what the change tells, one of a type; none means no change.
	events []event.Type
	// changed are the members that order.updated names.
	changed []string
	// moved are the lines whose quantities changed.
	moved []*db.OrderLine
	// ledger, shipment and note are the rows that the change adds.
	ledger   []*db.PaymentCreate
	shipment *db.FulfillmentCreate
	note     *db.NoteCreate
	// stock goes back to products; spent changes what the customer has spent.
	stock map[xid.ID]int64
	spent int64
}

// tell adds an event.
func (e *orderEdit) tell(t event.Type) { e.events = append(e.events, t) }

// line returns the line with the public id, or nil.
func (e *orderEdit) line(id string) *db.OrderLine {
	uid, err := xid.OrderLine.Parse(id)
	for _, l := range e.Lines {
		if err == nil && l.ID == uid {
			return l.OrderLine
		}
	}
	return nil
}

// move marks a line whose quantities changed.
func (e *orderEdit) move(l *db.OrderLine) {
	if !slices.Contains(e.moved, l) {
		e.moved = append(e.moved, l)
	}
}

// giveBack returns units of a line to the stock of its product.
func (e *orderEdit) giveBack(l *db.OrderLine, quantity int64) {
	if l.ProductID == nil || quantity <= 0 {
		return
	}
	if e.stock == nil {
		e.stock = map[xid.ID]int64{}
	}
	e.stock[*l.ProductID] += quantity
}

// changeOrder runs edit on the order if it has the expected version, in one
// transaction with everything that follows from it. An edit that tells nothing
// leaves everything as it is.
func (m Mutation) changeOrder(ctx context.Context, id string, expected int64, action string, edit func(context.Context, *orderEdit) error) (*model.OrderPayload, error) {
	uid, err := core.ParseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	var shown *model.Order
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		o, err := m.order(ctx, uid)
		if err != nil {
			return err
		}
		if o.Version != expected {
			return core.Stale(xid.Order, expected, o.Version)
		}
		rows := []*db.Order{o}
		lines, err := m.lines(ctx, rows)
		if err != nil {
			return err
		}
		shown = m.assemble(rows, lines)[0]
		e := &orderEdit{Order: shown, now: core.UpdateTime(o.UpdatedAt),
			update: m.Client(ctx).Order.Update().Where(order.ID(uid), order.Version(expected))}
		if err := edit(ctx, e); err != nil || len(e.events) == 0 {
			return err
		}
		return m.saveOrder(ctx, e, action)
	})
	if err != nil {
		return nil, core.Explain("order", err)
	}
	return &model.OrderPayload{Order: shown}, nil
}

// saveOrder writes the edit: the order, its lines and new rows, then what other
// orders share, in one order everywhere: products by key, the customer.
func (m Mutation) saveOrder(ctx context.Context, e *orderEdit, action string) error {
	e.Version++
	e.EventSequence += int64(len(e.events))
	e.UpdatedAt = e.now
	n, err := e.update.SetVersion(e.Version).SetEventSequence(e.EventSequence).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if err := core.Swapped(xid.Order, n, err); err != nil {
		return err
	}
	note, err := m.saveParts(ctx, e)
	if err != nil {
		return err
	}
	if err := m.returnStock(ctx, e.stock, e.now); err != nil {
		return err
	}
	if err := m.spend(ctx, e.CustomerID, e.spent, e.now); err != nil {
		return err
	}
	if err := audit.Write(ctx, m.Client(ctx), action, xid.Order, e.ID, ""); err != nil {
		return err
	}
	return m.tellOrder(ctx, e, note)
}

// saveParts writes the lines that moved and the new rows below the order.
func (m Mutation) saveParts(ctx context.Context, e *orderEdit) (note *db.Note, err error) {
	for _, l := range e.moved {
		n, err := m.Client(ctx).OrderLine.Update().
			Where(orderline.OrderID(e.ID), orderline.Position(l.Position)).
			SetFulfilledQuantity(l.FulfilledQuantity).SetRefundedQuantity(l.RefundedQuantity).Save(ctx)
		if err := core.Swapped(xid.OrderLine, n, err); err != nil {
			return nil, err
		}
	}
	for _, p := range e.ledger {
		if _, err := p.Save(ctx); err != nil {
			return nil, fmt.Errorf("add payment: %w", err)
		}
	}
	if e.shipment != nil {
		if _, err := e.shipment.Save(ctx); err != nil {
			return nil, fmt.Errorf("add fulfillment: %w", err)
		}
	}
	if e.note != nil {
		if note, err = e.note.Save(ctx); err != nil {
			return nil, fmt.Errorf("add note: %w", err)
		}
	}
	return note, nil
}

// tellOrder writes the events; note is what order.note_added is about.
func (m Mutation) tellOrder(ctx context.Context, e *orderEdit, note *db.Note) error {
	object := encodeOrder(e.Order)
	entries := make([]outbox.Entry, len(e.events))
	for i, t := range e.events {
		entries[i] = outbox.Entry{Type: t, Object: object}
		switch t {
		case event.OrderUpdated:
			entries[i].Changed = e.changed
		case event.OrderNoteAdded:
			entries[i].Object = appendNote(note)
		}
	}
	return outbox.Append(ctx, m.Client(ctx), orderResource(e.Order.Order), entries...)
}

// encodeOrder is the representation of an order with its lines.
func encodeOrder(o *model.Order) []byte {
	return wire.AppendOrder(nil, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
}

// orderResource is what an order's events are about.
func orderResource(o *db.Order) outbox.Resource {
	return outbox.Resource{Store: o.StoreID, ID: o.ID, Version: o.Version, Sequence: o.EventSequence, At: o.UpdatedAt}
}
