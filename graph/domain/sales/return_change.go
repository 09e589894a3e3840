package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

// returnStep moves a return to another state.
type returnStep struct {
	action string
	to     state.ReturnState
	from   []state.ReturnState
	// unshipped also allows the step for a requested withdrawal from an order of which nothing was shipped.
	unshipped bool
	// edit may change the order and the return further.
	edit func(context.Context, *orderEdit, *db.OrderReturn, *db.OrderReturnUpdate) error
	// email is sent to the shopper, "" for none.
	email state.OrderEmail
}

// changeReturn runs a step of a return that has the expected version. Other changes of its order are no
// conflict.
func (m Mutation) changeReturn(
	ctx context.Context, id string, expected int64, step returnStep,
) (p *model.ReturnPayload, err error) {
	uid, err := core.ParseID(xid.Return, id)
	if err != nil {
		return nil, err
	}
	err = m.retryOnConflict(func() error {
		p, err = core.Commit(ctx, m.Core, xid.Return, func(ctx context.Context) (
			*model.ReturnPayload, *change.Record, error,
		) {
			row, err := core.Only(m.Client(ctx).OrderReturn.Query().Where(orderreturn.ID(uid)).Load(ctx))
			if err != nil {
				return nil, nil, err
			}
			if row.Version != expected {
				return nil, nil, change.Stale(xid.Return, expected, row.Version)
			}
			o, err := m.orderWithLines(ctx, row.OrderID)
			if err != nil {
				return nil, nil, err
			}
			from := step.from
			if step.unshipped && row.Withdrawal && o.FulfillmentStatus == state.FulfillmentUnfulfilled {
				from = append(slices.Clone(from), state.ReturnRequested)
			}
			if err := core.CheckTransition("return", row.State, step.to, from...); err != nil {
				return nil, nil, err
			}
			done, err := m.stepReturn(ctx, o, row, step)
			return &model.ReturnPayload{Return: &model.Return{OrderReturn: row, Order: o}}, done, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	of, err := m.filesOf(ctx, []xid.ID{uid})
	p.Return.Files = of[uid]
	return p, err
}

// stepReturn writes a step of a return.
func (m Mutation) stepReturn(
	ctx context.Context, o *model.Order, row *db.OrderReturn, step returnStep,
) (*change.Record, error) {
	u := m.Client(ctx).OrderReturn.Update().Where(orderreturn.ID(row.ID), orderreturn.Version(row.Version))
	return m.applyReturn(ctx, o, row, returnChange{action: step.action, event: event.OrderReturnUpdated,
		edit: func(ctx context.Context, e *orderEdit) error {
			row.State, row.Version = step.to, row.Version+1
			u.SetState(step.to).SetVersion(row.Version)
			return step.edit(ctx, e, row, u)
		},
		write: func(ctx context.Context, e *orderEdit) error {
			n, err := u.SetUpdatedAt(row.UpdatedAt).Save(ctx)
			if err := change.Swapped(xid.Return, n, err); err != nil || step.email == "" {
				return err
			}
			return m.emailReturn(ctx, e.Order, row, step.email)
		}})
}

// emailReturn sends an email about a return.
func (m Mutation) emailReturn(ctx context.Context, o *model.Order, row *db.OrderReturn, email state.OrderEmail) error {
	if !hasEmails(o) || !m.Notifier.Sends() {
		return nil
	}
	of, err := returnDetails(o, row)
	if err == nil {
		err = m.addLabel(ctx, row, &of)
	}
	if err != nil {
		return err
	}
	return fault.Wrap("email a shopper", m.sendEmail(ctx, o, email, of))
}

// returnDetails returns what an email says about a return.
func returnDetails(o *model.Order, row *db.OrderReturn) (of mailDetails, err error) {
	core.Opt(row.Answer, func(s string) { of.tracking = strings.Split(s, "\n") })
	core.Opt(row.LabelURL, func(s string) { of.trackingURL = s })
	lines, err := row.Lines.List()
	for _, l := range lines {
		if line := lineOf(o, l.LineID); line != nil {
			of.parts = append(of.parts, picked{line, l.Quantity})
		}
	}
	return of, fault.Wrap("read the lines of a return", err)
}

// detailsOfReturn returns what an email about the last return says that was approved, or declined.
func (m Mutation) detailsOfReturn(ctx context.Context, o *model.Order, e state.OrderEmail) (
	of mailDetails, happened bool, err error,
) {
	rows, err := m.returnsOf(ctx, o.ID)
	for _, row := range slices.Backward(rows) {
		if e == receiptOf(row) {
			of, err = returnDetails(o, row)
			of.received = row
			return of, true, err
		}
		if e == state.EmailReturnRequested || e == state.EmailWithdrawn {
			continue
		}
		declined := row.State == state.ReturnDeclined
		if declined == (e == state.EmailReturnDeclined) && row.State != state.ReturnRequested {
			if of, err = returnDetails(o, row); err == nil {
				err = m.addLabel(ctx, row, &of)
			}
			return of, true, err
		}
	}
	return of, false, err
}

// OrderReturnApprove accepts a return and emails the shopper how to send the items. Approving it again replaces
// what is given: the instructions, or the label and its address, of which there is one.
func (m Mutation) OrderReturnApprove(
	ctx context.Context, id string, expectedVersion int64, in model.ReturnApproveInput,
) (*model.ReturnPayload, error) {
	c := &core.Check{}
	core.Opt(in.Instructions, func(s string) { c.Long("instructions", s, limit.ReturnText) })
	core.Opt(in.LabelURL, func(s string) { c.HTTPS("label_url", s) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	label, ours, err := m.labelOf(ctx, in)
	if err != nil {
		return nil, err
	}
	p, err := m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_approve",
		to: state.ReturnApproved, from: []state.ReturnState{state.ReturnRequested, state.ReturnApproved},
		email: state.EmailReturnApproved,
		edit: func(ctx context.Context, _ *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			row.Answer = cmp.Or(in.Instructions, row.Answer)
			u.SetNillableAnswer(in.Instructions)
			if label == nil && in.LabelURL == nil {
				return nil
			}
			row.LabelURL = in.LabelURL
			if u.SetNillableLabelURL(in.LabelURL); in.LabelURL == nil {
				u.ClearLabelURL()
			}
			if err := m.dropLabel(ctx, row); err != nil || label == nil {
				return err
			}
			return m.addFiles(ctx, row, labelPosition, []*images.Upload{label})
		}})
	if err != nil && ours { // else the surrounding transaction may run again
		m.Images.Discard(ctx, label)
	}
	return p, err
}

// OrderReturnDecline declines a return and emails the shopper why. Its items can be returned again.
func (m Mutation) OrderReturnDecline(
	ctx context.Context, id string, expectedVersion int64, reason string,
) (*model.ReturnPayload, error) {
	c := &core.Check{}
	c.Long("reason", reason, limit.ReturnText)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_decline",
		to:    state.ReturnDeclined,
		from:  []state.ReturnState{state.ReturnRequested, state.ReturnApproved, state.ReturnReceived},
		email: state.EmailReturnDeclined,
		edit: func(ctx context.Context, _ *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			row.Answer, row.LabelURL = &reason, nil
			u.SetAnswer(reason).ClearLabelURL()
			return m.dropLabel(ctx, row)
		}})
}

// OrderReturnReceive records that the items are back at the store, and at which location. A refund or an
// exchange restocks them there if it names no other.
func (m Mutation) OrderReturnReceive(
	ctx context.Context, id string, expectedVersion int64, location *string,
) (*model.ReturnPayload, error) {
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_receive",
		to: state.ReturnReceived, from: []state.ReturnState{state.ReturnApproved},
		edit: func(ctx context.Context, _ *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) (err error) {
			row.LocationID, err = m.location(ctx, location)
			u.SetNillableLocationID(row.LocationID)
			return err
		}})
}

// OrderReturnRefund refunds the items of a return as [Mutation.OrderRefund] does.
func (m Mutation) OrderReturnRefund(
	ctx context.Context, id string, expectedVersion int64, in model.ReturnRefundInput,
) (*model.ReturnPayload, error) {
	c := &core.Check{}
	core.Opt(in.AmountMinor, func(n int64) { c.Within("amount_minor", n, 0, maxAmount) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_refund",
		to: state.ReturnRefunded, from: []state.ReturnState{state.ReturnApproved, state.ReturnReceived},
		unshipped: true,
		edit: func(ctx context.Context, e *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			lines, err := unitsOf(e.Order, row)
			if err != nil {
				return err
			}
			amount := worthOf(e.Order, lines)
			core.Opt(in.AmountMinor, func(n int64) { amount = n })
			row.RefundedMinor = &amount
			u.SetRefundedMinor(amount)
			return m.refund(ctx, e, model.RefundInput{AmountMinor: amount, Restock: in.Restock,
				Location: cmp.Or(in.Location, row.PublicLocationID())}, lines)
		}})
}

// unitsOf returns the units of a return, which must not be refunded yet.
func unitsOf(o *model.Order, row *db.OrderReturn) ([]picked, error) {
	list, err := row.Lines.List()
	if err != nil {
		return nil, fault.Wrap("read the lines of a return", err)
	}
	return pick(o, core.Map(list, func(l document.ReturnLine) *model.LineQuantityInput {
		return &model.LineQuantityInput{LineItemID: l.LineID, Quantity: l.Quantity}
	}), refundable)
}

// refusals are the texts of refusals; never changed.
var refusals = map[state.ReturnRefusal]string{
	state.RefusedOff:       "The store takes no such requests online.",
	state.RefusedCancelled: "The order is cancelled.",
	state.RefusedUnpaid:    "The order is not paid yet.",
	state.RefusedExcluded:  "The product cannot be returned.",
	state.RefusedNoneLeft:  "All units are refunded or in a return.",
	state.RefusedUnshipped: "The item is not shipped yet.",
	state.RefusedExpired:   "The time to return the order is over.",
}

// check refuses lines that the shopper may not return.
func (t *Returnable) check(o *model.Order, in model.ReturnInput, way ReturnWay, now micros.Time) error {
	for _, wanted := range in.Lines {
		l := lineOf(o, wanted.LineItemID)
		if l == nil {
			continue // picking the lines refuses it
		}
		units, why, err := t.MayReturn(l, way, now)
		switch {
		case err != nil:
			return err
		case why != "":
			return fault.State(fault.InvalidTransition, refusals[why])
		case wanted.Quantity > units:
			return fault.State(fault.QuantityExceeded, "Fewer units can be returned.")
		}
	}
	return nil
}

// OrderReturnable returns how many units of the lines of an order can be returned.
func (q Query) OrderReturnable(ctx context.Context, id string) ([]*model.ReturnableLine, error) {
	return core.Get(ctx, xid.Order, id, func(ctx context.Context, id xid.ID) ([]*model.ReturnableLine, error) {
		o, err := q.orderWithLines(ctx, id)
		if err != nil {
			return nil, err
		}
		of, err := q.Returnable(ctx, o.Order, lineRows(o))
		if err != nil {
			return nil, err
		}
		return of.lines(o, micros.Now())
	})
}

// lines returns how many units of each line can be returned by staff, and what the shopper may do.
func (t *Returnable) lines(o *model.Order, now micros.Time) ([]*model.ReturnableLine, error) {
	way := t.Best()
	until, err := t.Until(way)
	if err != nil {
		return nil, err
	}
	list := make([]*model.ReturnableLine, len(o.Lines))
	for i, l := range o.Lines {
		_, why, err := t.MayReturn(l.OrderLine, way, now)
		if err != nil {
			return nil, err
		}
		list[i] = &model.ReturnableLine{LineItemID: l.PublicID(), Quantity: t.left(l.OrderLine), Until: until}
		if why != "" {
			list[i].Refusal = &why
		}
	}
	return list, nil
}

// OrderReturnRequest creates a return that the shopper of an order asks for. name is who withdraws from the
// contract; a request has none. The shopper gets a receipt by email, and staff a notice.
func (m Mutation) OrderReturnRequest(
	ctx context.Context, order xid.ID, way ReturnWay, name string, in model.ReturnInput, photos ...*images.Upload,
) (row *db.OrderReturn, err error) {
	if err := checkReturn(in); err != nil {
		return nil, err
	}
	if way == ByWithdrawal {
		c := &core.Check{}
		c.Name("name", name, limit.Line)
		if err := c.Err(); err != nil {
			return nil, err
		}
	}
	err = m.retryOnConflict(func() error {
		return m.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			if len(photos) > 0 {
				if _, err := m.LockedStore(ctx); err != nil { // before the order, as other uploads do
					return nil, err
				}
			}
			o, err := m.orderWithLines(ctx, order)
			if err != nil {
				return nil, err
			}
			if row, err = m.requested(ctx, o, way, name, in); err != nil {
				return nil, err
			}
			return m.addReturn(ctx, o, row, func(ctx context.Context, e *orderEdit) error {
				if err := m.addFiles(ctx, row, labelPosition+1, photos); err != nil {
					return err
				}
				return m.acknowledge(ctx, e.Order, row)
			})
		})
	})
	return row, err
}

// requested returns the return that a shopper asks for, if they may. It is not written yet.
func (m Mutation) requested(
	ctx context.Context, o *model.Order, way ReturnWay, name string, in model.ReturnInput,
) (*db.OrderReturn, error) {
	if !ent.Writes(ctx, ent.ShopperReturns) {
		return nil, fault.State(fault.InvalidTransition, refusals[state.RefusedOff])
	}
	of, err := m.Returnable(ctx, o.Order, lineRows(o))
	if err != nil {
		return nil, err
	}
	if err := of.check(o, in, way, micros.Now()); err != nil {
		return nil, err
	}
	row, err := m.newReturn(ctx, o, in)
	if err != nil {
		return nil, err
	}
	row.ByShopper = true
	if way == ByWithdrawal {
		row.Withdrawal, row.Name, row.Email = true, &name, o.Email
	}
	return row, nil
}

// acknowledge sends the receipt of a return to its shopper and a notice to the staff, in the transaction of
// ctx.
func (m Mutation) acknowledge(ctx context.Context, o *model.Order, row *db.OrderReturn) error {
	if m.Notifier.Sends() {
		of, err := returnDetails(o, row)
		if err != nil {
			return err
		}
		of.received = row
		if err := m.sendEmail(ctx, o, receiptOf(row), of); err != nil {
			return fmt.Errorf("email a shopper: %w", err)
		}
	}
	notice := notify.Notice{Level: state.NotificationInfo, Kind: xid.Order, ID: o.ID,
		Title: "Return requested for order #" + strconv.FormatInt(o.Number, 10),
		Body:  "Approve or decline it on the page of the order."}
	if row.Withdrawal {
		notice.Title = "Withdrawal from order #" + strconv.FormatInt(o.Number, 10)
		notice.Body = "The shopper withdrew from the contract and got a receipt. "
		if o.FulfillmentStatus == state.FulfillmentUnfulfilled {
			notice.Body += "Nothing was shipped: do not ship these items, and refund them on the page of the order."
		} else {
			notice.Body += "Answer on the page of the order how to send the items back."
		}
	}
	return m.Notifier.Append(viewer.Operator(ctx, o.StoreID), m.Store, notice)
}

// receiptOf returns the email that confirms a return to its shopper, "" for a return by staff.
func receiptOf(row *db.OrderReturn) state.OrderEmail {
	switch {
	case row.Withdrawal:
		return state.EmailWithdrawn
	case row.ByShopper:
		return state.EmailReturnRequested
	}
	return ""
}

// receiptLines say when a return arrived, and who withdrew. A name could carry an advertisement, so it has no
// links.
func receiptLines(texts *phrase.Texts, s *db.Store, row *db.OrderReturn) ([]string, error) {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", s.Timezone, err)
	}
	lines := []string{ReceivedAt(texts, row, zone)}
	core.Opt(row.Name, func(name string) {
		lines = append(lines, texts.Say(phrase.Name)+": "+notify.Unlink(clipped(name)))
	})
	core.Opt(row.Email, func(address string) { lines = append(lines, texts.Say(phrase.Email)+": "+address) })
	return lines, nil
}

// ReceivedAt returns the date and time of a return, with the zone.
func ReceivedAt(texts *phrase.Texts, row *db.OrderReturn, zone *time.Location) string {
	at := row.ID.Time().Time().In(zone)
	return texts.Date(at) + at.Format(", 15:04:05 MST")
}
