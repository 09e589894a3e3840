package cart

import (
	"context"
	"errors"

	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// reopenTries is how often [Carts.Reopen] is tried where somebody changes the order meanwhile.
const reopenTries = 3

// Reopen gives a shopper back the cart of an order that waits for its payment online, or that was
// cancelled without one, with all that they said at the checkout. An order that waits is cancelled
// in the same transaction, so a cart never has two orders that can be paid. A cart that is open
// already stays so. It refuses one whose order is paid, or was never to be paid online, with
// [fault.InvalidTransition].
func (c *Carts) Reopen(ctx context.Context, token string) (err error) {
	row, err := c.any(ctx, token)
	switch {
	case err != nil:
		return core.Explain("cart", err)
	case row == nil:
		return fault.Missing("cart")
	case row.OrderID == nil:
		return nil
	}
	for range reopenTries {
		err = c.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
			now := micros.Now()
			n, err := c.Client(ctx).Cart.Update().Where(dbcart.ID(row.ID), dbcart.OrderID(*row.OrderID)).
				ClearOrderID().AddVersion(1).SetUpdatedAt(now).SetExpiresAt(expiry(now)).Save(ctx)
			if err != nil || n == 0 { // somebody else reopened it
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

// reopens is [Carts.Reopen] for a shopper who goes on shopping; false where their cart stays an
// order's, or there is none.
func (c *Carts) reopens(ctx context.Context, token string) (bool, error) {
	err := c.Reopen(ctx, token)
	refused, ok := errors.AsType[*fault.Error](err)
	if ok && (refused.Kind == fault.NotFound || refused.Code == fault.InvalidTransition) {
		return false, nil
	}
	return err == nil, err
}
