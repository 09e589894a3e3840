package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/download"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderCancel cancels an open order without shipments. An unpaid order becomes voided. Money that
// was paid stays, to be refunded later, unless refund gives all of it back at once. Units that were
// not refunded go back to the stock. The reason becomes an internal note.
func (m Mutation) OrderCancel(
	ctx context.Context, id string, expectedVersion int64, refund bool, reason *string,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	core.Opt(reason, func(s string) { c.Line("reason", s, limit.Line) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	if refund {
		if err := core.RequireScope(ctx, scope.RefundsWrite, "A refund"); err != nil {
			return nil, err
		}
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.cancel", func(ctx context.Context, e *orderEdit) error {
		if err := m.cancel(e); err != nil {
			return err
		}
		if taken := e.PaidMinor - e.RefundedMinor; refund && taken > 0 {
			if err := m.refund(ctx, e, model.RefundInput{AmountMinor: taken, Reason: reason}, nil); err != nil {
				return err
			}
		}
		core.Opt(reason, func(s string) { m.annotate(ctx, e, s) })
		return nil
	})
}

// cancel cancels an order and releases its stock and discount.
func (m Mutation) cancel(e *orderEdit) error {
	if err := e.mayCancel(); err != nil {
		return err
	}
	for _, l := range e.Lines { // refunded units were restocked with their refund, or deliberately not
		e.restock(l.OrderLine, refundable(l.OrderLine), nil)
	}
	if e.DiscountID != nil && e.CustomerID != nil {
		e.Then = inSequence(e.Then, func(ctx context.Context) error {
			return m.selling.ReturnDiscount(ctx, *e.DiscountID, *e.CustomerID)
		})
	}
	e.Then = inSequence(e.Then, func(ctx context.Context) error { return m.pollSoon(ctx, e.Order) })
	e.Status, e.CancelledAt = state.OrderCancelled, &e.Now
	e.Update.SetStatus(e.Status).SetCancelledAt(e.Now)
	e.Emit(event.OrderCancelled)
	e.settleMoney()
	return nil
}

// inSequence runs one after the other.
func inSequence(first, then func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := first(ctx); err != nil {
			return err
		}
		return then(ctx)
	}
}

// mayCancel returns an error if the order's state forbids canceling.
func (e *orderEdit) mayCancel() error {
	if err := core.CheckTransition("order", e.Status, state.OrderCancelled, state.OrderOpen); err != nil {
		return err
	}
	if e.FulfillmentStatus != state.FulfillmentUnfulfilled {
		return fault.State(fault.InvalidTransition,
			"The order is "+core.Words(e.FulfillmentStatus)+" and cannot become cancelled.")
	}
	return nil
}

// annotate adds an internal note to the change.
func (m Mutation) annotate(ctx context.Context, e *orderEdit, body string) {
	e.NotesCount++
	e.Update.SetNotesCount(e.NotesCount)
	e.note = m.noteRow(ctx, xid.New(), e.ID, model.OrderNoteInput{Body: body, Visibility: state.NoteInternal})
	e.Emit(event.OrderNoteAdded)
}

// reopened is the reason, shown to staff, of an order whose shopper went back to the checkout.
const reopened = "The shopper went back to the checkout without paying."

// HeldCart reports whether the cart of an order is kept, with everything that the shopper entered:
// the order is paid online, and the payment may fail.
func HeldCart(method state.PaymentMethod, totalMinor int64) bool {
	return method.Online() && totalMinor > 0
}

// forgetCart removes what the shopper entered from the cart of an order that can no longer be
// reopened. The order has a copy.
func (r *Resolver) forgetCart(ctx context.Context, o *db.Order) error {
	if o.CartID == nil {
		return nil
	}
	err := r.Client(ctx).Cart.Update().Where(cart.ID(*o.CartID), cart.OrderID(o.ID)).
		ClearEmail().ClearPhone().ClearVatID().ClearVatConsultation().
		ClearAddress().ClearBillingAddress().ClearCountry().ClearRegion().ClearNote().ClearGift().Exec(ctx)
	if err != nil {
		return fmt.Errorf("clear the cart of an order: %w", err)
	}
	return nil
}

// Lapsed reports whether an order with online payment was canceled unpaid.
func (r *Resolver) Lapsed(ctx context.Context, id xid.ID) (bool, error) {
	o, err := r.order(ctx, id)
	if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Kind == fault.NotFound {
		return false, nil
	}
	return err == nil && lapsed(o), err
}

func lapsed(o *db.Order) bool {
	return o.Status == state.OrderCancelled && o.FinancialStatus == state.FinancialVoided &&
		o.PaymentMethod != nil && HeldCart(*o.PaymentMethod, o.TotalMinor)
}

func paidOtherwise() error {
	return fault.State(fault.InvalidTransition, "The order is not waiting for an online payment.")
}

// Withdraw cancels an order whose shopper goes back to the checkout, in the transaction of ctx,
// which reopens the cart: stock and discount are released at once. A lapsed order stays as it is.
// An order that does not await a payment fails with [fault.InvalidTransition]: the transaction that
// deletes the hold decides, and a payment may have come first.
func (r *Resolver) Withdraw(ctx context.Context, id xid.ID) error {
	o, err := r.order(ctx, id)
	if err != nil || lapsed(o) {
		return err
	}
	if o.FinancialStatus != state.FinancialPending || o.PaymentMethod == nil ||
		!HeldCart(*o.PaymentMethod, o.TotalMinor) {
		return paidOtherwise()
	}
	n, err := r.Client(ctx).PaymentHold.Delete().Where(paymenthold.ID(id)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end the hold of an order: %w", err)
	}
	if n == 0 {
		return paidOtherwise()
	}
	m := r.Mutation()
	_, err = m.changeOrder(ctx, xid.Order.Format(id), o.Version, "order.cancel",
		func(ctx context.Context, e *orderEdit) error {
			e.quiet = true
			if err := m.cancel(e); err != nil {
				return err
			}
			m.annotate(ctx, e, reopened)
			return nil
		})
	return err
}

// MayCancel reports whether the shopper of an order may cancel it: the store lets shoppers cancel, nothing
// was shipped or downloaded, and no return is open.
func (r *Resolver) MayCancel(ctx context.Context, o *db.Order) (bool, error) {
	if o.Status != state.OrderOpen || o.FulfillmentStatus != state.FulfillmentUnfulfilled {
		return false, nil
	}
	s, err := r.CurrentStore(ctx)
	if err != nil || !s.ShopperCancels {
		return false, err
	}
	fetched, err := r.Client(ctx).Download.Query().Where(download.OrderID(o.ID)).Exist(ctx)
	if err != nil || fetched {
		return false, err
	}
	rows, err := r.returnsOf(ctx, o.ID)
	return !slices.ContainsFunc(rows, isOpen), err
}

// CancelOwn cancels an order for its shopper, or fails with [fault.InvalidTransition] if
// [Resolver.MayCancel] says no. A payment through a provider is refunded at once. Other payments stay,
// because only the store can send that money back; its notice says so.
func (r *Resolver) CancelOwn(ctx context.Context, id xid.ID) error {
	wait, err := r.countNews(ctx, "news of cancellations", limit.OrderNews)
	if err != nil {
		return core.Explain("order", err)
	}
	m := r.Mutation()
	return r.retryOnConflict(func() error {
		return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			// The lock comes before any read, so that the downloads that it waited for are seen.
			o, err := core.Row(ctx, r.Client(ctx).Order.Query().Where(order.ID(id)), ent.ForUpdate)
			if err != nil {
				return nil, core.Explain("order", err)
			}
			_, err = m.changeOrder(ctx, o.PublicID(), o.Version, "order.cancel",
				func(ctx context.Context, e *orderEdit) error { return m.cancelOwn(ctx, e, wait == 0) })
			return nil, err
		})
	})
}

func (m Mutation) cancelOwn(ctx context.Context, e *orderEdit, announced bool) error {
	may, err := m.MayCancel(ctx, e.Order.Order)
	if err != nil {
		return err
	}
	if !may {
		return fault.State(fault.InvalidTransition, "The order can no longer be cancelled.")
	}
	if err := m.cancel(e); err != nil {
		return err
	}
	taken := e.PaidMinor - e.RefundedMinor
	if taken > 0 {
		online, err := m.paidOnline(ctx, e.Order.Order)
		if err != nil {
			return err
		}
		if online {
			if err := m.refund(ctx, e, model.RefundInput{AmountMinor: taken}, nil); err != nil {
				return err
			}
			taken = 0
		}
	}
	if announced {
		e.Then = inSequence(e.Then, func(ctx context.Context) error { return m.announceCancel(ctx, e, taken) })
	}
	return nil
}

// paidOnline reports whether the provider that took the payment of an order can refund it.
func (r *Resolver) paidOnline(ctx context.Context, o *db.Order) (bool, error) {
	if o.PaymentMethod != nil && *o.PaymentMethod == state.PaymentTest {
		return true, nil
	}
	paid, err := r.paidSession(ctx, o)
	return paid != nil, err
}

// announceCancel writes the notice that a shopper canceled an order. owed is what the store has to send
// back itself.
func (m Mutation) announceCancel(ctx context.Context, e *orderEdit, owed int64) error {
	notice := notify.Notice{Level: state.NotificationInfo, Kind: xid.Order, ID: e.ID, Topic: state.AlertOrder,
		Title: "The shopper cancelled order #" + strconv.FormatInt(e.Number, 10), Body: "Do not ship it."}
	if owed > 0 {
		notice.Level = state.NotificationWarning
		notice.Body += " " + phrase.In(state.English).Money(owed, e.Currency) + " was paid outside of the online " +
			"payment. Send it back, then record the refund on the page of the order."
	}
	return m.Notifier.Append(viewer.Operator(ctx, e.StoreID), m.Store, notice)
}
