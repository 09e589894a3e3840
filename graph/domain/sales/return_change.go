package sales

import (
	"context"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// returnStep moves a return to another state.
type returnStep struct {
	action string
	to     state.ReturnState
	from   []state.ReturnState
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
			if err := core.CheckTransition("return", row.State, step.to, step.from...); err != nil {
				return nil, nil, err
			}
			o, err := m.orderWithLines(ctx, row.OrderID)
			if err != nil {
				return nil, nil, err
			}
			done, err := m.stepReturn(ctx, o, row, step)
			return &model.ReturnPayload{Return: &model.Return{OrderReturn: row, Order: o}}, done, err
		})
		return err
	})
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
		declined := row.State == state.ReturnDeclined
		if declined == (e == state.EmailReturnDeclined) && row.State != state.ReturnRequested {
			of, err = returnDetails(o, row)
			return of, true, err
		}
	}
	return of, false, err
}

// OrderReturnApprove accepts a return and emails the shopper how to send the items.
func (m Mutation) OrderReturnApprove(
	ctx context.Context, id string, expectedVersion int64, in model.ReturnApproveInput,
) (*model.ReturnPayload, error) {
	c := &core.Check{}
	core.Opt(in.Instructions, func(s string) { c.Long("instructions", s, limit.ReturnText) })
	core.Opt(in.LabelURL, func(s string) { c.HTTPS("label_url", s) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_approve",
		to: state.ReturnApproved, from: []state.ReturnState{state.ReturnRequested}, email: state.EmailReturnApproved,
		edit: func(_ context.Context, _ *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			row.Answer, row.LabelURL = in.Instructions, in.LabelURL
			u.SetNillableAnswer(in.Instructions).SetNillableLabelURL(in.LabelURL)
			return nil
		}})
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
		edit: func(_ context.Context, _ *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			row.Answer, row.LabelURL = &reason, nil
			u.SetAnswer(reason).ClearLabelURL()
			return nil
		}})
}

// OrderReturnReceive records that the items are back at the store.
func (m Mutation) OrderReturnReceive(
	ctx context.Context, id string, expectedVersion int64,
) (*model.ReturnPayload, error) {
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_receive",
		to: state.ReturnReceived, from: []state.ReturnState{state.ReturnApproved},
		edit: func(context.Context, *orderEdit, *db.OrderReturn, *db.OrderReturnUpdate) error { return nil }})
}

// OrderReturnRefund refunds the items of a return as [Mutation.OrderRefund] does.
func (m Mutation) OrderReturnRefund(
	ctx context.Context, id string, expectedVersion int64, in model.ReturnRefundInput,
) (*model.ReturnPayload, error) {
	c := &core.Check{}
	c.Within("amount_minor", in.AmountMinor, 0, maxAmount)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_refund",
		to: state.ReturnRefunded, from: []state.ReturnState{state.ReturnApproved, state.ReturnReceived},
		edit: func(ctx context.Context, e *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			list, err := row.Lines.List()
			if err != nil {
				return fault.Wrap("read the lines of a return", err)
			}
			wanted := core.Map(list, func(l document.ReturnLine) *model.LineQuantityInput {
				return &model.LineQuantityInput{LineItemID: l.LineID, Quantity: l.Quantity}
			})
			lines, err := e.pick(wanted, refundable)
			if err != nil {
				return err
			}
			row.RefundedMinor = &in.AmountMinor
			u.SetRefundedMinor(in.AmountMinor)
			return m.refund(ctx, e, model.RefundInput{AmountMinor: in.AmountMinor, Restock: in.Restock}, lines)
		}})
}
