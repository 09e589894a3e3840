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

// reopened is the reason of an order whose shopper went back to the checkout, for the store's people.
const reopened = "The shopper went back to the checkout without paying."

// HeldCart reports whether the cart of an order is kept for its shopper, with all that they said:
// the order is paid online, and its payment may fail.
func HeldCart(method state.PaymentMethod, totalMinor int64) bool {
	return method.Online() && totalMinor > 0
}

// forgetCart removes what the shopper said from the cart of an order that cannot come back to them
// any more. The order has it.
func (r *Resolver) forgetCart(ctx context.Context, o *db.Order) error {
	if o.CartID == nil {
		return nil
	}
	err := r.Client(ctx).Cart.Update().Where(cart.ID(*o.CartID), cart.OrderID(o.ID)).
		ClearEmail().ClearPhone().ClearAddress().ClearCountry().ClearRegion().ClearNote().Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget the cart of an order: %w", err)
	}
	return nil
}

// Lapsed reports whether an order was to be paid online and was cancelled without a payment.
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
	return fault.State(fault.InvalidTransition, "The order does not wait for a payment online (any more).")
}

// Withdraw cancels an order whose shopper goes back to the checkout, in the transaction of ctx,
// which gives them the cart back: its stock and its discount are free again at once. One that
// lapsed stays as it is. It refuses an order that waits for no payment (any more) with
// [fault.InvalidTransition]: whoever deletes the hold decides, and a payment may have come first.
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
