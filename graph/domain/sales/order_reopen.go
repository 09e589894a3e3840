package sales

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

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
