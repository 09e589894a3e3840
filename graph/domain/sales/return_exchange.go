package sales

import (
	"cmp"
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// byExchange is the source of orders in exchange, and the method of their payment by what they are exchanged
// for.
const byExchange = "exchange"

// exchange is a new order in exchange for the items of a return.
type exchange struct {
	in    model.ReturnExchangeInput
	order model.OrderCreateInput
	draft *orderDraft
	// number, id and consultation are from before the transaction.
	number       int64
	id           xid.ID
	consultation *string

	// units are the returned items, and row and lines the new order.
	units []picked
	row   *db.Order
	lines []*db.OrderLine
	// worth is the value of the returned items, and credit the part of it that pays the new order.
	worth, credit int64
}

// newExchange checks what does not depend on the order.
func newExchange(in model.ReturnExchangeInput) (*exchange, error) {
	c := &core.Check{}
	x := &exchange{in: in, id: xid.New(), order: model.OrderCreateInput{Lines: in.Lines, Source: byExchange,
		Pricing: &model.OrderPricingInput{}}}
	core.Opt(in.Pricing, func(p model.OrderPricingInput) { x.order.Pricing = &p })
	x.draft = checkOrder(c, &x.order)
	core.Opt(in.Payment, func(p model.PaymentRequestInput) { c.Within("payment/days", p.Days, 1, maxPaymentDays) })
	return x, c.Err()
}

// compute computes the new order for the customer of an order, and what pays it.
func (m Mutation) compute(ctx context.Context, x *exchange, o *model.Order, row *db.OrderReturn) (err error) {
	if x.units, err = unitsOf(o, row); err != nil {
		return err
	}
	c, d, in, pricing := &core.Check{}, *x.draft, x.order, *x.order.Pricing
	in.Email, in.Pricing, d.customerID, d.vatConsultation = o.Email, &pricing, o.CustomerID, x.consultation
	if pricing.VatID == nil {
		pricing.VatID, d.vatConsultation = o.VatID, o.VatConsultation
	}
	if d.billing, err = o.DecodedBillingAddress(); err != nil {
		return fault.Wrap("read the billing address", err)
	}
	if d.shipping, err = o.DecodedShippingAddress(); err != nil {
		return fault.Wrap("read the shipping address", err)
	}
	if err := m.resolve(ctx, c, &d, in); err != nil {
		return err
	}
	if o.CustomerID != nil && d.customer == nil {
		return fault.State(fault.InvalidTransition, "The order's customer is redacted and cannot get another order.")
	}
	if err := c.Err(); err != nil {
		return err
	}
	if d.store.Currency != o.Currency {
		return fault.State(fault.CurrencyMismatch,
			"The store sells in "+d.store.Currency+", but the order is in "+o.Currency+".")
	}
	if x.row, x.lines, err = d.compute(in); err != nil {
		return err
	}
	x.row.ID, x.row.Number, x.row.ExchangeOf, x.row.Language = x.id, x.number, &o.ID, o.Language
	x.draft, x.worth = &d, worthOf(o, x.units)
	x.credit = min(x.worth, x.row.TotalMinor)
	return nil
}

// OrderReturnExchangePreview returns what [Mutation.OrderReturnExchange] would do.
func (q Query) OrderReturnExchangePreview(
	ctx context.Context, id string, in model.ReturnExchangeInput,
) (*model.ExchangePreview, error) {
	x, err := newExchange(in)
	if err != nil {
		return nil, err
	}
	return core.Get(ctx, xid.Return, id, func(ctx context.Context, id xid.ID) (*model.ExchangePreview, error) {
		row, err := core.Only(q.Client(ctx).OrderReturn.Query().Where(orderreturn.ID(id)).Load(ctx))
		if err != nil {
			return nil, err
		}
		o, err := q.orderWithLines(ctx, row.OrderID)
		if err != nil {
			return nil, err
		}
		if err := q.Mutation().compute(ctx, x, o, row); err != nil {
			return nil, err
		}
		return &model.ExchangePreview{Order: x.draft.preview(x.row, x.lines), WorthMinor: x.worth,
			CreditMinor: x.credit, DueMinor: x.row.TotalMinor - x.credit, RestMinor: x.worth - x.credit}, nil
	})
}

// OrderReturnExchange creates an order in exchange for the items of a return. What these are worth is refunded
// by the method exchange, as far as it pays the new order by that method.
func (m Mutation) OrderReturnExchange(
	ctx context.Context, id string, expectedVersion int64, in model.ReturnExchangeInput,
) (_ *model.ReturnPayload, err error) {
	x, err := newExchange(in)
	if err != nil {
		return nil, err
	}
	if err := core.RequireScope(ctx, scope.RefundsWrite, "An exchange"); err != nil {
		return nil, err
	}
	if x.consultation, err = m.consultVIES(ctx, x.order.Pricing); err != nil {
		return nil, err
	}
	if x.number, err = m.numbers.next(ctx); err != nil { // outside the transaction, see numbers.next
		return nil, core.Explain("store", err)
	}
	var made *model.Order
	p, err := m.changeReturn(ctx, id, expectedVersion, returnStep{action: "order.return_exchange",
		to: state.ReturnRefunded, from: []state.ReturnState{state.ReturnApproved, state.ReturnReceived},
		edit: func(ctx context.Context, e *orderEdit, row *db.OrderReturn, u *db.OrderReturnUpdate) error {
			at := *x // the transaction may run again
			if err := m.compute(ctx, &at, e.Order, row); err != nil {
				return err
			}
			if err := m.credit(ctx, e, &at, row, u); err != nil {
				return err
			}
			e.Then = inSequence(e.Then, func(ctx context.Context) (err error) {
				made, err = m.placeExchange(ctx, &at, row)
				return err
			})
			return nil
		}})
	if err != nil {
		return nil, err
	}
	p.Return.Exchange = made
	return p, nil
}

// credit refunds what the items of a return are worth: the part that pays the new order by the method exchange,
// which moves no money, and the rest if wanted.
func (m Mutation) credit(
	ctx context.Context, e *orderEdit, x *exchange, row *db.OrderReturn, u *db.OrderReturnUpdate,
) error {
	ledger := m.ledgerRow(ctx, e, state.LedgerRefund, x.credit).SetID(xid.New()).SetMethod(byExchange).
		SetReference(row.PublicID())
	err := m.bookRefund(ctx, e, model.RefundInput{AmountMinor: x.credit, Restock: x.in.Restock,
		Location: cmp.Or(x.in.Location, row.PublicLocationID())}, x.units, ledger)
	if err != nil {
		return err
	}
	e.quiet = true // the email about the new order says it
	row.ExchangeID, row.RefundedMinor = &x.id, &x.credit
	if rest := x.worth - x.credit; x.in.RefundRest && rest > 0 {
		if err := m.refund(ctx, e, model.RefundInput{AmountMinor: rest}, nil); err != nil {
			return err
		}
		e.quiet, row.RefundedMinor = false, &x.worth
	}
	u.SetExchangeID(x.id).SetRefundedMinor(*row.RefundedMinor)
	return nil
}

// placeExchange writes the new order and its payment, and lets the customer pay the rest if wanted.
func (m Mutation) placeExchange(ctx context.Context, x *exchange, row *db.OrderReturn) (o *model.Order, err error) {
	err = m.Commit(ctx, xid.Order, func(ctx context.Context) (_ *change.Record, err error) {
		if err := m.takeDiscount(ctx, x.draft); err != nil {
			return nil, err
		}
		events := begin(ctx, x.row)
		if o, err = m.insertOrder(ctx, x.draft, x.row, x.lines); errors.Is(err, errRedacted) {
			return nil, unknownCustomer()
		} else if err != nil {
			return nil, err
		}
		if err := m.invoices.IssueDue(ctx, o.Order, lineRows(o), events); err != nil {
			return nil, err
		}
		return m.orders().Created(o, "order.create", "", events...), nil
	})
	if err != nil {
		return nil, err
	}
	if x.credit > 0 {
		o, err = m.payExchange(ctx, o, x, row)
	}
	switch owed := err == nil && owed(o.Order) > 0; {
	case err != nil:
		return nil, err
	case !owed && hasEmails(o) && m.Notifier.Sends():
		return o, fault.Wrap("email a shopper", m.sendEmail(ctx, o, state.EmailPlaced, mailDetails{}))
	case owed && x.in.Payment != nil:
		p, err := m.OrderRequestPayment(ctx, o.PublicID(), o.Version, *x.in.Payment)
		if f, ok := errors.AsType[*fault.Error](err); ok && len(f.Fields) > 0 { // the days were checked before
			return nil, core.Invalid("payment/method", f.Fields[0].Code, f.Fields[0].Detail)
		}
		if err != nil {
			return nil, err
		}
		return p.Order, nil
	}
	return o, nil
}

// payExchange pays the new order with the credit.
func (m Mutation) payExchange(
	ctx context.Context, o *model.Order, x *exchange, row *db.OrderReturn,
) (*model.Order, error) {
	p, err := m.changeOrder(ctx, o.PublicID(), o.Version, "order.record_payment",
		func(ctx context.Context, e *orderEdit) error {
			e.quiet = true // the email about the order follows
			return m.take(ctx, e, model.PaymentInput{AmountMinor: x.credit, Method: new(byExchange),
				Reference: new(row.PublicID())})
		})
	if err != nil {
		return nil, err
	}
	return p.Order, nil
}
