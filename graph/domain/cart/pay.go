package cart

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
)

// PayTest pays an order with the method that moves no money, and reports whether the order accepted
// the payment. It returns NotFound if the store does not offer the method.
func (c *Carts) PayTest(ctx context.Context, o *db.Order) (taken bool, err error) {
	offered, err := c.OffersTest(ctx)
	if err != nil {
		return false, core.Explain("order", err)
	}
	if o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentTest || !offered {
		return false, fault.Missing("payment")
	}
	return c.sales.PayOnline(ctx, o.ID, sales.Online{Method: state.PaymentTest,
		Reference: "test " + xid.Order.Format(o.ID), AmountMinor: o.TotalMinor - o.PaidMinor, Currency: o.Currency})
}

// OffersTest reports whether the store offers the method that moves no money.
func (c *Carts) OffersTest(ctx context.Context) (bool, error) {
	methods, err := c.selling.CartMethods(ctx)
	return slices.ContainsFunc(methods, func(m document.PaymentMethod) bool { return m.Kind == state.PaymentTest }), err
}

// BeginPayment returns the URL at which an order is paid, see [sales.Resolver.BeginPayment].
func (c *Carts) BeginPayment(ctx context.Context, o *db.Order, title, back string) (string, error) {
	return c.sales.BeginPayment(ctx, o, title, back)
}

// SettlePayment checks the state of an order's payment, see [sales.Resolver.SettlePayment].
func (c *Carts) SettlePayment(ctx context.Context, o *db.Order) error {
	return c.sales.SettlePayment(ctx, o)
}

// MayCancel reports whether the shopper of an order may cancel it, see [sales.Resolver.MayCancel].
func (c *Carts) MayCancel(ctx context.Context, o *db.Order) (bool, error) {
	may, err := c.sales.MayCancel(ctx, o)
	return may, core.Explain("order", err)
}

// CancelOrder cancels an order for its shopper, see [sales.Resolver.CancelOwn].
func (c *Carts) CancelOrder(ctx context.Context, o *db.Order) error {
	return c.sales.CancelOwn(ctx, o.ID)
}
