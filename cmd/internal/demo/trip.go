package demo

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

type trip struct {
	*seeder
	order *model.Order
	r     *rand.Rand
}

func (t *trip) run(ctx context.Context, way scenario) error {
	for _, step := range []func(context.Context, scenario) error{t.pay, t.send, t.giveBack, t.end, t.note} {
		if err := step(ctx, way); err != nil {
			return err
		}
	}
	return nil
}

func (t *trip) changed(p *model.OrderPayload, err error) error {
	if err == nil {
		t.order = p.Order
	}
	return err
}

func (t *trip) id() string { return xid.Order.Format(t.order.ID) }

// pay records the payment of the path; a free order is paid already.
func (t *trip) pay(ctx context.Context, way scenario) error {
	if way.money == unpaid || t.order.FinancialStatus == state.FinancialPaid {
		return nil
	}
	method := []string{"card", "card", "invoice", "bank_transfer", "cash"}[t.r.IntN(5)]
	reference := fmt.Sprintf("REF-%06d", t.order.Number)
	if way.money == partPaid || t.r.IntN(10) == 0 {
		first := model.PaymentInput{AmountMinor: max(t.order.TotalMinor/3, 1), Method: &method, Reference: &reference}
		if err := t.changed(t.OrderRecordPayment(ctx, t.id(), t.order.Version, first)); err != nil {
			return fmt.Errorf("record payment: %w", err)
		}
	}
	if way.money == partPaid {
		return nil
	}
	return t.changed(t.OrderMarkPaid(ctx, t.id(), t.order.Version, &method, &reference))
}

func (t *trip) send(ctx context.Context, way scenario) error {
	if way.goods == kept {
		return nil
	}
	first := t.order.Lines[0]
	if way.goods == partSent || first.Quantity > 1 && t.r.IntN(3) == 0 {
		parcel := t.parcel(1)
		parcel.Lines = []*model.LineQuantityInput{{LineItemID: xid.OrderLine.Format(first.ID), Quantity: 1}}
		if err := t.changed(t.OrderFulfill(ctx, t.id(), t.order.Version, parcel)); err != nil {
			return fmt.Errorf("send a part: %w", err)
		}
	}
	if way.goods == partSent {
		return nil
	}
	return t.changed(t.OrderFulfill(ctx, t.id(), t.order.Version, t.parcel(2)))
}

func (t *trip) parcel(n int) model.FulfillInput {
	if t.r.IntN(4) == 0 {
		return model.FulfillInput{} // handed over in the shop
	}
	number := fmt.Sprintf("%d%08d", n, t.order.Number)
	return model.FulfillInput{Carrier: &t.Carrier, TrackingNumber: &number, TrackingURL: new(t.Tracking + number)}
}

func (t *trip) giveBack(ctx context.Context, way scenario) error {
	in := model.RefundInput{AmountMinor: t.order.PaidMinor}
	switch way.money {
	case partRefunded:
		in.AmountMinor, in.Reason = max(t.order.PaidMinor/4, 1), new("damaged")
	case refunded:
		in.Reason = new("returned")
		if way.goods == sent {
			in.Restock = true
			for _, l := range t.order.Lines {
				in.Lines = append(in.Lines, &model.LineQuantityInput{
					LineItemID: xid.OrderLine.Format(l.ID), Quantity: l.Quantity,
				})
			}
		}
	default:
		return nil
	}
	return t.changed(t.OrderRefund(ctx, t.id(), t.order.Version, in))
}

func (t *trip) end(ctx context.Context, way scenario) error {
	switch way.end {
	case completed:
		return t.changed(t.OrderComplete(ctx, t.id(), t.order.Version))
	case cancelled, cancelledWithRefund:
		return t.changed(t.OrderCancel(ctx, t.id(), t.order.Version, way.end == cancelledWithRefund,
			new("changed their mind")))
	}
	return nil
}

// note adds a note to one order in four, for the staff or the customer.
func (t *trip) note(ctx context.Context, _ scenario) error {
	if t.r.IntN(4) > 0 {
		return nil
	}
	for n := range 1 + t.r.IntN(2) {
		in := model.OrderNoteInput{Body: t.Notes[t.r.IntN(len(t.Notes))], Visibility: state.NoteInternal}
		if (int(t.order.Number)+n)%3 == 0 {
			in.Visibility = state.NoteCustomer
		}
		if _, err := t.OrderNoteAppend(ctx, t.id(), in); err != nil {
			return fmt.Errorf("note: %w", err)
		}
	}
	return nil
}
