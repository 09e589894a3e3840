package cart

import (
	"context"
	"errors"

	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// reopenTries bounds the attempts of [Carts.Reopen] when the order changes concurrently.
const reopenTries = 3

// Reopen reopens the cart of an order that awaits online payment or was canceled without one, with
// everything that the shopper entered at checkout. It cancels an awaiting order in the same
// transaction, so a cart never has two orders that can be paid. It does nothing if the cart is
// open. If the order is paid, or was never meant to be paid online, it returns
// [fault.InvalidTransition].
func (c *Carts) Reopen(ctx context.Context, token string) (err error) {
	row, err := c.findAny(ctx, token)
	switch {
	case err != nil:
		return core.Explain("cart", err)
	case row == nil:
		return fault.Missing("cart")
	case row.OrderID == nil:
		return nil
	}
	for range reopenTries {
		err = c.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			now := micros.Now()
			n, err := c.Client(ctx).Cart.Update().Where(dbcart.ID(row.ID), dbcart.OrderID(*row.OrderID)).
				ClearOrderID().AddVersion(1).SetUpdatedAt(now).SetExpiresAt(expiry(now)).Save(ctx)
			if err != nil || n == 0 { // reopened concurrently
				return nil, err
			}
			return nil, c.sales.Withdraw(ctx, *row.OrderID)
		})
		if !fault.IsState(err, fault.VersionMismatch) {
			break
		}
	}
	return core.Explain("order", err)
}

// reopens is [Carts.Reopen] for a shopper who continues shopping; it returns false if the order
// keeps the cart or if there is none.
func (c *Carts) reopens(ctx context.Context, token string) (bool, error) {
	err := c.Reopen(ctx, token)
	refused, ok := errors.AsType[*fault.Error](err)
	if ok && (refused.Kind == fault.NotFound || refused.Code == fault.InvalidTransition) {
		return false, nil
	}
	return err == nil, err
}
