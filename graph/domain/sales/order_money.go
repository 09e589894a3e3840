package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderMarkPaid records a payment of everything still owed.
func (m Mutation) OrderMarkPaid(
	ctx context.Context, id string, expectedVersion int64, method *string, reference *string,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	checkPayment(c, method, reference)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.mark_paid", func(ctx context.Context, e *orderEdit) error {
		return m.take(ctx, e,
			model.PaymentInput{AmountMinor: e.TotalMinor - e.PaidMinor, Method: method, Reference: reference})
	})
}

// OrderRecordPayment records a payment of an amount, up to what is still owed.
func (m Mutation) OrderRecordPayment(
	ctx context.Context, id string, expectedVersion int64, in model.PaymentInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	c.Within("amount_minor", in.AmountMinor, 1, maxAmount)
	checkPayment(c, in.Method, in.Reference)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.record_payment",
		func(ctx context.Context, e *orderEdit) error {
			return m.take(ctx, e, in)
		})
}

// checkPayment checks the texts of a payment.
func checkPayment(c *core.Check, method, reference *string) {
	core.Opt(method, func(s string) { c.Line("method", s, limit.Label) })
	core.Opt(reference, func(s string) { c.Line("reference", s, limit.Line) })
}

// take records a payment, up to what is still owed: the total less all payments ever made. A refund
// lowers what the store keeps, not what the order costs, so it never makes the shopper owe again.
// Payments add up, so the total is reached once and order.paid is emitted once. A canceled
// order takes no payment.
func (m Mutation) take(ctx context.Context, e *orderEdit, in model.PaymentInput) error {
	if e.Status == state.OrderCancelled {
		return fault.State(fault.InvalidTransition, "The order is cancelled and cannot be paid.")
	}
	owed := e.TotalMinor - e.PaidMinor
	if owed <= 0 {
		return fault.State(fault.InvalidTransition, "The order is already paid in full.")
	}
	if in.AmountMinor > owed {
		return fault.State(fault.AmountExceeded, "The amount exceeds the outstanding amount.")
	}
	e.PaidMinor += in.AmountMinor
	e.Update.SetPaidMinor(e.PaidMinor)
	e.settleMoney()
	emitted := event.OrderPartiallyPaid
	if e.PaidMinor == e.TotalMinor {
		emitted, e.PaidAt = event.OrderPaid, &e.Now
		e.Update.SetPaidAt(e.Now)
	}
	e.spent += in.AmountMinor
	e.details.amount = in.AmountMinor
	e.Then = inSequence(e.Then, func(ctx context.Context) error { return m.pollSoon(ctx, e.Order) })
	e.ledger = append(e.ledger, m.ledgerRow(ctx, e, state.LedgerPayment, in.AmountMinor).
		SetNillableMethod(in.Method).SetNillableReference(in.Reference))
	e.Emit(emitted)
	return nil
}

// settleMoney sets the financial status that follows from the ledger's sums.
func (e *orderEdit) settleMoney() {
	e.FinancialStatus = financialOf(e.Order.Order)
	e.Update.SetFinancialStatus(e.FinancialStatus)
}

// financialOf returns the financial status that follows from the sums of an order. An open order
// without a payment keeps its own.
func financialOf(o *db.Order) state.FinancialStatus {
	switch {
	case o.RefundedMinor > 0 && o.RefundedMinor == o.PaidMinor:
		return state.FinancialRefunded
	case o.RefundedMinor > 0:
		return state.FinancialPartiallyRefunded
	case o.PaidMinor == o.TotalMinor:
		return state.FinancialPaid
	case o.PaidMinor > 0:
		return state.FinancialPartiallyPaid
	case o.Status == state.OrderCancelled:
		return state.FinancialVoided
	}
	return o.FinancialStatus
}

// ledgerRow returns a new row of the order's ledger.
func (m Mutation) ledgerRow(
	ctx context.Context, e *orderEdit, kind state.PaymentKind, amount int64,
) *db.PaymentCreate {
	return m.Client(ctx).Payment.Create().SetOrderID(e.ID).SetKind(kind).
		SetAmountMinor(amount).SetCurrency(e.Currency).SetLines(document.NewLines(nil))
}

// OrderRefund refunds an amount, up to what was paid and not refunded yet. The lines say which
// units it is for; Restock returns these to the stock. Canceled and completed orders can be
// refunded too, since paid money can always be given back; the stock of a canceled order is back
// already. Lines can be refunded with amount 0: they cost nothing, or the whole payment was
// refunded already.
func (m Mutation) OrderRefund(
	ctx context.Context, id string, expectedVersion int64, in model.RefundInput,
) (*model.OrderPayload, error) {
	c, least := &core.Check{}, int64(1)
	if len(in.Lines) > 0 {
		least = 0
	}
	c.Within("amount_minor", in.AmountMinor, least, maxAmount)
	core.Opt(in.Reason, func(s string) { c.Line("reason", s, limit.Line) })
	checkQuantities(c, in.Lines)
	if in.Restock {
		c.Required("lines", len(in.Lines) > 0)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.refund", func(ctx context.Context, e *orderEdit) error {
		lines, err := e.pick(in.Lines, refundable)
		if err != nil {
			return err
		}
		return m.refund(ctx, e, in, lines)
	})
}

// refund refunds an amount for the picked lines, in the way in which the order was paid.
func (m Mutation) refund(ctx context.Context, e *orderEdit, in model.RefundInput, lines []picked) error {
	id := xid.New()
	err := m.bookRefund(ctx, e, in, lines, m.ledgerRow(ctx, e, state.LedgerRefund, in.AmountMinor).SetID(id))
	if err != nil {
		return err
	}
	return m.refundOnline(ctx, e, id, in.AmountMinor)
}

// bookRefund counts a refund of an amount for the picked lines, and adds its row to the ledger.
func (m Mutation) bookRefund(
	ctx context.Context, e *orderEdit, in model.RefundInput, lines []picked, row *db.PaymentCreate,
) error {
	taken := e.PaidMinor - e.RefundedMinor
	switch {
	case in.AmountMinor == 0 && e.FinancialStatus != state.FinancialPending:
		e.quiet = true // items come back, no money moves
	case taken <= 0:
		return fault.State(fault.InvalidTransition,
			"The order is "+core.Words(e.FinancialStatus)+". There is no payment to refund.")
	case in.AmountMinor > taken:
		return fault.State(fault.AmountExceeded, "The amount exceeds the refundable amount.")
	}
	if err := m.requireProof(ctx, e, in.AmountMinor); err != nil {
		return err
	}
	to, err := m.location(ctx, in.Location)
	if err != nil {
		return err
	}
	e.RefundedMinor += in.AmountMinor
	e.Update.SetRefundedMinor(e.RefundedMinor)
	e.settleMoney()
	e.spent -= in.AmountMinor
	e.details.amount, e.details.parts = in.AmountMinor, lines
	back := make([]document.Line, len(lines))
	for i, p := range lines {
		p.line.RefundedQuantity += p.quantity
		e.move(p.line)
		back[i] = p.document()
		if in.Restock && e.Status != state.OrderCancelled {
			back[i].Restocked = true
			e.restock(p.line, p.quantity, to)
		}
	}
	e.ledger = append(e.ledger, row.SetLines(document.NewLines(back)).SetNillableReason(in.Reason))
	if !slices.ContainsFunc(e.Events, func(of outbox.Entry) bool { return of.Type == event.OrderRefunded }) {
		e.Emit(event.OrderRefunded)
	}
	e.settleFulfillment()
	return nil
}

// giveBack returns a part of the payments, because the order costs less now. It is no refund: the reports
// count the sale as it is after the change, so a refund would lower it twice.
func (m Mutation) giveBack(ctx context.Context, e *orderEdit, amount int64) error {
	if err := m.requireProof(ctx, e, amount); err != nil {
		return err
	}
	id := xid.New()
	if err := m.refundOnline(ctx, e, id, amount); err != nil {
		return err
	}
	e.PaidMinor -= amount
	e.Update.SetPaidMinor(e.PaidMinor)
	e.Changed = append(e.Changed, "paid_minor")
	e.spent -= amount
	e.details.amount, e.gaveBack = amount, true
	e.ledger = append(e.ledger, m.ledgerRow(ctx, e, state.LedgerPayment, -amount).SetID(id))
	return nil
}

// requireProof returns an error if returning an amount needs a recent identity confirmation, see
// [core.RequireProof]: it does when it raises what was returned of the order above the sum that the store
// has set. Keys and apps, which cannot confirm anything, are refused then, unless the key was created for it.
func (m Mutation) requireProof(ctx context.Context, e *orderEdit, amount int64) error {
	unproved := core.RequireProof(ctx)
	if v := viewer.From(ctx); v.Kind == viewer.APIKey || v.Kind == viewer.OAuthApp {
		unproved = fault.New(fault.RefundProofRequired,
			"The store lets only people refund this much of an order, after they confirm their identity.")
	}
	if unproved == nil {
		return nil
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return err
	}
	if s.RefundProofMinor == nil {
		return nil
	}
	back, err := m.Client(ctx).Payment.Query().Where(payment.OrderID(e.ID), payment.AmountMinorLT(0)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read what was given back: %w", err)
	}
	amount += e.RefundedMinor
	for _, p := range back {
		amount -= p.AmountMinor
	}
	if amount <= *s.RefundProofMinor {
		return nil
	}
	allowed, err := m.Client(ctx).APIKey.Query().
		Where(apikey.ID(viewer.From(ctx).Credential), apikey.UnlimitedRefunds(true)).Exist(ctx)
	if err != nil || !allowed {
		return cmp.Or(err, unproved)
	}
	return nil
}
