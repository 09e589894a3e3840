package shopify

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

type past struct {
	paid, refunded int64
	method         *string
	reference      *string
	sent           []int // the lines that were shipped
	all            bool  // all lines were shipped
	cancelled      bool
}

func (i *importer) history(c *record, o *order) (p past, err error) {
	r := c.rows[0]
	p.method, p.reference = short(r.opt("payment method")), line(r.opt("payment reference"))
	total, err := sum(r, "total", i.currency)
	if err != nil {
		return p, err
	}
	if err := p.money(i, r, total); err != nil {
		return p, err
	}
	if err := p.goods(c, o.rows); err != nil {
		return p, err
	}
	p.cancelled = p.cancelled || r.get("cancelled at") != ""
	if p.cancelled && (p.all || p.sent != nil) {
		p.cancelled = false
		i.note(c, "it was canceled after a shipment and is imported as shipped")
	}
	return p, nil
}

func (p *past) money(i *importer, r row, total int64) error {
	back, err := sum(r, "refunded amount", i.currency)
	if err != nil {
		return err
	}
	switch status := strings.ToLower(r.get("financial status")); status {
	case "", "pending", "authorized", "expired":
	case "voided":
		p.cancelled = true
	case "paid":
		p.paid = total
	case "refunded", "partially_refunded":
		p.paid, p.refunded = total, back
		if status == "refunded" && back == 0 {
			p.refunded = total
		}
		if p.refunded == 0 || p.refunded > total {
			return wrong("Refunded Amount: %q exceeds the total", r.get("refunded amount"))
		}
	case "partially_paid":
		open, err := money(r, "outstanding balance", i.currency)
		if err != nil {
			return err
		}
		if open == nil || *open < 1 || *open >= total {
			return wrong("it was partially paid, but Outstanding Balance does not say how much")
		}
		p.paid = total - *open
	default:
		return wrong("Financial Status: unknown value %q", r.get("financial status"))
	}
	return nil
}

func (p *past) goods(c *record, lines []int) error {
	switch status := strings.ToLower(c.rows[0].get("fulfillment status")); status {
	case "", "unfulfilled", "restocked", "pending", "on_hold", "scheduled", "in_progress":
	case "fulfilled":
		p.all = true
	case "partial":
		for n, at := range lines {
			if strings.EqualFold(c.rows[at].get("lineitem fulfillment status"), "fulfilled") {
				p.sent = append(p.sent, n)
			}
		}
	default:
		return wrong("Fulfillment Status: unknown value %q", c.rows[0].get("fulfillment status"))
	}
	return nil
}

// way takes an order through its history.
type way struct {
	graph.Mutation
	order *model.Order
}

func (w *way) changed(p *model.OrderPayload, err error) error {
	if err == nil {
		w.order = p.Order
	}
	return err
}

func (w *way) id() string { return xid.Order.Format(w.order.ID) }

// follow repeats the history of the order in its sequence.
func (w *way) follow(ctx context.Context, o *order) error {
	for _, step := range []func(context.Context, *order) error{w.pay, w.send, w.giveBack, w.end, w.annotate} {
		if err := step(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// pay records the payment; a free order is paid already.
func (w *way) pay(ctx context.Context, o *order) error {
	if o.past.paid == 0 {
		return nil
	}
	return w.changed(w.OrderRecordPayment(ctx, w.id(), w.order.Version, model.PaymentInput{AmountMinor: o.past.paid,
		Method: o.past.method, Reference: o.past.reference}))
}

func (w *way) send(ctx context.Context, o *order) error {
	if o.past.sent == nil && !o.past.all {
		return nil
	}
	in := model.FulfillInput{} // everything
	for _, n := range o.past.sent {
		l := w.order.Lines[n]
		in.Lines = append(in.Lines, &model.LineQuantityInput{LineItemID: xid.OrderLine.Format(l.ID),
			Quantity: l.Quantity})
	}
	return w.changed(w.OrderFulfill(ctx, w.id(), w.order.Version, in))
}

func (w *way) giveBack(ctx context.Context, o *order) error {
	if o.past.refunded == 0 {
		return nil
	}
	return w.changed(w.OrderRefund(ctx, w.id(), w.order.Version, model.RefundInput{AmountMinor: o.past.refunded}))
}

// end cancels a canceled order, and completes one that was paid and shipped.
func (w *way) end(ctx context.Context, o *order) error {
	switch {
	case o.past.cancelled:
		return w.changed(w.OrderCancel(ctx, w.id(), w.order.Version, false, nil))
	case w.order.FulfillmentStatus == state.FulfillmentFulfilled && w.order.FinancialStatus != state.FinancialPending &&
		w.order.FinancialStatus != state.FinancialPartiallyPaid:
		return w.changed(w.OrderComplete(ctx, w.id(), w.order.Version))
	}
	return nil
}

func (w *way) annotate(ctx context.Context, o *order) error {
	if o.note == nil {
		return nil
	}
	_, err := w.OrderNoteAppend(ctx, w.id(), model.OrderNoteInput{Body: *o.note, Visibility: state.NoteInternal})
	return err
}
