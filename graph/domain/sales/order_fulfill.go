package sales

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/model"
)

const maxAmount = currency.MaxMinor

// left returns how many units of a line are still to be shipped. Refunded units count as unshipped
// ones as long as there are any, because they are no longer shipped.
func left(l *db.OrderLine) int64 {
	return max(0, l.Quantity-l.FulfilledQuantity-l.RefundedQuantity)
}

// refundable returns how many units of a line were not refunded yet, shipped or not.
func refundable(l *db.OrderLine) int64 { return l.Quantity - l.RefundedQuantity }

// picked is a quantity of one line.
type picked struct {
	line     *db.OrderLine
	quantity int64
}

func (p picked) document() document.Line {
	return document.Line{LineID: xid.OrderLine.Format(p.line.ID), Quantity: p.quantity}
}

// checkQuantities validates the form of picked lines.
func checkQuantities(c *core.Check, lines []*model.LineQuantityInput) {
	if len(lines) > limit.Lines {
		c.Add("lines", fault.TooLong, "There are more than "+strconv.Itoa(limit.Lines)+" lines.")
		return
	}
	for i, l := range lines {
		c.Within("lines/"+strconv.Itoa(i)+"/quantity", l.Quantity, 1, limit.Quantity)
	}
}

// pick finds the lines of an input in the order and adds up the quantities of a line that is named
// twice. It fails if a quantity exceeds what has returns for the line.
func (e *orderEdit) pick(in []*model.LineQuantityInput, has func(*db.OrderLine) int64) ([]picked, error) {
	return pick(e.Order, in, has)
}

// pick is [orderEdit.pick] for an order that is not being changed.
func pick(o *model.Order, in []*model.LineQuantityInput, has func(*db.OrderLine) int64) ([]picked, error) {
	var all []picked
	var c core.Check
	at := map[*db.OrderLine]int{}
	for i, l := range in {
		line := lineOf(o, l.LineItemID)
		if line == nil {
			checkUnknown(&c, "lines/"+strconv.Itoa(i)+"/line_item_id", xid.OrderLine)
			continue
		}
		if j, again := at[line]; again {
			all[j].quantity += l.Quantity
			continue
		}
		at[line] = len(all)
		all = append(all, picked{line, l.Quantity})
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.quantity > has(p.line) {
			return nil, fault.State(fault.QuantityExceeded,
				"The quantity exceeds the unfulfilled quantity of "+xid.OrderLine.Format(p.line.ID)+".")
		}
	}
	return all, nil
}

// OrderFulfill ships the given lines, or everything that is left to ship. Unpaid orders can be
// shipped.
func (m Mutation) OrderFulfill(
	ctx context.Context, id string, expectedVersion int64, in model.FulfillInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	checkQuantities(c, in.Lines)
	if in.Lines != nil && len(in.Lines) == 0 {
		c.Add("lines", fault.TooShort, "Send at least one line, or leave this out for all lines.")
	}
	checkTracking(c, in.Carrier, in.TrackingNumber, in.TrackingURL)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.fulfill", func(ctx context.Context, e *orderEdit) error {
		if err := e.mayShip(); err != nil {
			return err
		}
		lines, err := e.pick(in.Lines, left)
		if err != nil {
			return err
		}
		if in.Lines == nil {
			lines = e.rest()
		}
		return m.ship(ctx, e, in, lines)
	})
}

// OrderFulfillmentUpdate changes how a shipment is tracked, in every state of the order.
func (m Mutation) OrderFulfillmentUpdate(ctx context.Context, id string, expectedVersion int64, fulfillmentID string,
	in model.FulfillmentUpdateInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	checkTracking(c, in.Carrier.Value(), in.TrackingNumber.Value(), in.TrackingURL.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Fulfillment, fulfillmentID)
	if err != nil {
		return nil, err
	}
	const action = "order.fulfillment_update"
	return m.changeOrder(ctx, id, expectedVersion, action, func(ctx context.Context, e *orderEdit) error {
		of := []predicate.Fulfillment{fulfillment.OrderID(e.ID), fulfillment.ID(uid)}
		row, err := core.Only(m.Client(ctx).Fulfillment.Query().Where(of...).Load(ctx))
		if err != nil {
			return core.Explain("fulfillment", err)
		}
		u := m.Client(ctx).Fulfillment.Update().Where(of...)
		core.MemberOpt(&e.Changed, in.Carrier, "fulfillments", &row.Carrier, u.SetCarrier, u.ClearCarrier)
		core.MemberOpt(&e.Changed, in.TrackingNumber, "fulfillments", &row.TrackingNumber, u.SetTrackingNumber,
			u.ClearTrackingNumber)
		core.MemberOpt(&e.Changed, in.TrackingURL, "fulfillments", &row.TrackingURL, u.SetTrackingURL,
			u.ClearTrackingURL)
		if len(e.Changed) == 0 {
			return nil
		}
		e.Changed, e.tracking = e.Changed[:1], u
		e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
		e.Then = m.reindex(e)
		return nil
	})
}

// checkTracking checks how a shipment is tracked.
func checkTracking(c *core.Check, carrier, number, address *string) {
	core.Opt(carrier, func(s string) { c.Line("carrier", s, limit.Line) })
	core.Opt(number, func(s string) { c.Line("tracking_number", s, limit.Line) })
	core.Opt(address, func(s string) { c.HTTPS("tracking_url", s) })
}

// mayShip returns an error if the order's state forbids a shipment.
func (e *orderEdit) mayShip() error {
	if e.Status != state.OrderOpen {
		return fault.State(fault.InvalidTransition, "The order is "+core.Words(e.Status)+" and cannot be fulfilled.")
	}
	return core.CheckTransition("order", e.FulfillmentStatus, state.FulfillmentFulfilled,
		state.FulfillmentUnfulfilled, state.FulfillmentPartiallyFulfilled)
}

// rest returns everything that is left to ship.
func (e *orderEdit) rest() (all []picked) {
	for _, l := range e.Lines {
		if n := left(l.OrderLine); n > 0 {
			all = append(all, picked{l.OrderLine, n})
		}
	}
	return all
}

// ship records a shipment.
func (m Mutation) ship(ctx context.Context, e *orderEdit, in model.FulfillInput, lines []picked) error {
	if len(lines) == 0 {
		return fault.State(fault.QuantityExceeded, "All items are already fulfilled.")
	}
	from, err := m.location(ctx, in.Location)
	if err != nil {
		return err
	}
	shipped, used := make([]document.Line, len(lines)), map[xid.ID]bool{}
	for i, p := range lines {
		e.shipFrom(p.line, p.quantity, from, used)
		p.line.FulfilledQuantity += p.quantity
		e.move(p.line)
		shipped[i] = p.document()
	}
	e.shipment = m.Client(ctx).Fulfillment.Create().SetOrderID(e.ID).SetLines(document.NewLines(shipped)).
		SetNillableCarrier(in.Carrier).SetNillableTrackingNumber(in.TrackingNumber).
		SetNillableTrackingURL(in.TrackingURL)
	if at := slices.Collect(maps.Keys(used)); len(at) == 1 {
		e.shipment.SetLocationID(at[0])
	}
	e.details.tracking, e.details.parts, e.quiet = tracked(in), lines, in.Notify != nil && !*in.Notify
	core.Opt(in.TrackingURL, func(s string) { e.details.trackingURL = s })
	if in.TrackingNumber != nil {
		e.Then = m.reindex(e)
	}
	if e.FulfillmentStatus = state.FulfillmentPartiallyFulfilled; e.settleFulfillment() {
		return nil
	}
	e.Update.SetFulfillmentStatus(e.FulfillmentStatus)
	e.Emit(event.OrderPartiallyFulfilled)
	return nil
}

// settleFulfillment makes a partially fulfilled order fulfilled once nothing is left to ship,
// because the last units were shipped or refunded. Otherwise the order could never be completed.
func (e *orderEdit) settleFulfillment() bool {
	if e.FulfillmentStatus != state.FulfillmentPartiallyFulfilled || len(e.rest()) > 0 {
		return false
	}
	e.FulfillmentStatus, e.FulfilledAt = state.FulfillmentFulfilled, &e.Now
	e.Update.SetFulfillmentStatus(e.FulfillmentStatus).SetFulfilledAt(e.Now)
	e.Emit(event.OrderFulfilled)
	return true
}

// OrderComplete completes an open order that is fulfilled, paid or not.
func (m Mutation) OrderComplete(ctx context.Context, id string, expectedVersion int64) (*model.OrderPayload, error) {
	return m.changeOrder(ctx, id, expectedVersion, "order.complete", func(ctx context.Context, e *orderEdit) error {
		if err := core.CheckTransition("order", e.Status, state.OrderCompleted, state.OrderOpen); err != nil {
			return err
		}
		if e.FulfillmentStatus != state.FulfillmentFulfilled {
			return fault.State(fault.InvalidTransition,
				"The order is "+core.Words(e.FulfillmentStatus)+" and cannot become completed.")
		}
		e.Status, e.CompletedAt = state.OrderCompleted, &e.Now
		e.Update.SetStatus(e.Status).SetCompletedAt(e.Now)
		e.Emit(event.OrderCompleted)
		return nil
	})
}
