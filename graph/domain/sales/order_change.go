package sales

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// orderEdit is a change of one order and its parts. An edit reads and computes; only
// [Resolver.saveParts] and the pipeline write.
type orderEdit struct {
	*model.Order
	*change.Edit[*model.Order, *db.OrderUpdate]
	// moved are the lines whose quantities changed.
	moved []*db.OrderLine
	// ledger, back, shipment and note are the rows that the change adds.
	ledger   []*db.PaymentCreate
	back     *db.PaymentRefundCreate
	shipment *db.FulfillmentCreate
	note     *db.NoteCreate
	// tracking changes an earlier shipment.
	tracking *db.FulfillmentUpdate
	// details is what the email to the shopper says about the change.
	details mailDetails
	// quiet suppresses the shopper's email: the change is their own.
	quiet bool
	// gaveBack says that the change returned a part of the payments.
	gaveBack bool
	// stock is restocked; spent is added to what the customer has spent.
	stock stock
	spent int64
	// places are the locations of its stock.
	places allocations
}

// newEdit returns a change of an order.
func newEdit(base *change.Edit[*model.Order, *db.OrderUpdate]) (e *orderEdit, err error) {
	e = &orderEdit{Order: base.Row, Edit: base}
	e.places.list, err = e.Allocations.List()
	return e, err
}

// lineOf returns the line of an order with a public id, or nil.
func lineOf(o *model.Order, id string) *db.OrderLine {
	uid, err := xid.OrderLine.Parse(id)
	for _, l := range o.Lines {
		if err == nil && l.ID == uid {
			return l.OrderLine
		}
	}
	return nil
}

// move marks a line as changed.
func (e *orderEdit) move(l *db.OrderLine) {
	if !slices.Contains(e.moved, l) {
		e.moved = append(e.moved, l)
	}
}

// orders returns how orders change.
func (r *Resolver) orders() *change.Versioned[*model.Order, *db.OrderUpdate] {
	return &change.Versioned[*model.Order, *db.OrderUpdate]{
		Kind: xid.Order,
		Load: r.orderWithLines,
		Head: func(o *model.Order) change.Head {
			return change.Head{Store: o.StoreID, ID: o.ID, Version: &o.Version, Sequence: &o.EventSequence,
				UpdatedAt: &o.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.OrderUpdate {
			return r.Client(ctx).Order.Update().Where(order.ID(id), order.Version(version))
		},
		Object: encodeOrder,
		Finish: keepLines,
		// The answer to the request may show the customer.
		Recorded: idem.About,
	}
}

// keepLines writes the lines into the order row, if they differ from what it holds.
func keepLines(e *change.Edit[*model.Order, *db.OrderUpdate]) {
	o := e.Row
	if set := lineset.Pack(o.ID, lineRows(o)); set != nil {
		if !bytes.Equal(set, o.LineSet) {
			o.LineSet = set
			e.Update.SetLineSet(set)
		}
		o.LineSetVersion = new(o.Version + 1)
		e.Update.SetLineSetVersion(o.Version + 1)
	}
}

// orderWithLines reads an order with its lines.
func (r *Resolver) orderWithLines(ctx context.Context, id xid.ID) (*model.Order, error) {
	o, err := r.order(ctx, id)
	if err != nil {
		return nil, err
	}
	rows := []*db.Order{o}
	lines, err := r.LinesOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	return r.assemble(rows, lines)[0], nil
}

// changeOrder runs edit on the order if it has the expected version, and writes everything that
// follows in the same transaction.
func (m Mutation) changeOrder(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *orderEdit) error,
) (*model.OrderPayload, error) {
	shown, err := core.Change(ctx, m.Core, m.orders(), id, expected, action,
		func(ctx context.Context, base *change.Edit[*model.Order, *db.OrderUpdate]) error {
			e, err := newEdit(base)
			if err != nil {
				return err
			}
			e.Then = func(ctx context.Context) error { return m.saveParts(ctx, e) }
			return edit(ctx, e)
		})
	if err != nil {
		return nil, err
	}
	return &model.OrderPayload{Order: shown}, nil
}

// saveParts writes the changed lines and new child rows, then the rows that orders share. All
// changes lock these in the same sequence: products and variants by key, then the customer.
func (m Mutation) saveParts(ctx context.Context, e *orderEdit) error {
	if err := m.saveLines(ctx, e); err != nil {
		return err
	}
	for _, p := range e.ledger {
		if err := p.Exec(ctx); err != nil {
			return fmt.Errorf("add payment: %w", err)
		}
	}
	if e.back != nil {
		if err := e.back.Exec(ctx); err != nil {
			return fmt.Errorf("add the refund: %w", err)
		}
		m.wakeReturns(ctx)
	}
	if e.tracking != nil {
		if err := e.tracking.Exec(ctx); err != nil {
			return fmt.Errorf("change tracking: %w", err)
		}
	}
	if e.shipment != nil {
		if err := e.shipment.Exec(ctx); err != nil {
			return fmt.Errorf("add fulfillment: %w", err)
		}
	}
	if err := m.saveNote(ctx, e); err != nil {
		return err
	}
	if err := m.returnStock(ctx, e.stock, e.Now); err != nil {
		return err
	}
	if err := m.saveShifts(ctx, e.places.shifts, e.Now); err != nil {
		return err
	}
	if e.places.changed {
		if err := m.saveAllocations(ctx, e.Order.Order, e.places.list); err != nil {
			return err
		}
	}
	if err := m.spend(ctx, e.CustomerID, e.spent, e.Now); err != nil {
		return err
	}
	if err := m.invoices.IssueDue(ctx, e.Order.Order, lineRows(e.Order), e.emailEvents()); err != nil || e.quiet {
		return err
	}
	news := e.emailEvents()
	if e.gaveBack {
		news = []event.Type{event.OrderRefunded}
	}
	if err := m.announceMoney(ctx, e, news); err != nil {
		return err
	}
	return m.sendEmails(ctx, e.Order, news, e.details)
}

// saveLines writes the quantities of changed lines into their own rows, while releases that read
// them there may run. Orders created after that have no such rows.
func (m Mutation) saveLines(ctx context.Context, e *orderEdit) error {
	if ent.Writes(ctx, ent.LinesInOrders) {
		return nil
	}
	for _, l := range e.moved {
		err := m.Client(ctx).OrderLine.Update().
			Where(orderline.OrderID(e.ID), orderline.Position(l.Position)).
			SetFulfilledQuantity(l.FulfilledQuantity).SetRefundedQuantity(l.RefundedQuantity).Exec(ctx)
		if err != nil {
			return fmt.Errorf("change an order's line: %w", err)
		}
	}
	return nil
}

// saveNote writes the note of the change, which emits order.note_added.
func (m Mutation) saveNote(ctx context.Context, e *orderEdit) error {
	if e.note == nil {
		return nil
	}
	note, err := e.note.Save(ctx)
	if err != nil {
		return fmt.Errorf("add note: %w", err)
	}
	for i := range e.Events {
		if e.Events[i].Type == event.OrderNoteAdded {
			e.Events[i].Object = encodeNote(note)
		}
	}
	return nil
}

// lineRows returns the lines of an order as stored.
func lineRows(o *model.Order) []*db.OrderLine {
	rows := make([]*db.OrderLine, len(o.Lines))
	for i, l := range o.Lines {
		rows[i] = l.OrderLine
	}
	return rows
}

// encodeOrder returns the representation of an order with its lines.
func encodeOrder(o *model.Order) []byte {
	return wire.AppendOrder(nil, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
}
