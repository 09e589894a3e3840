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

// PayTest pays an order by the method that moves no money, and reports whether the order
// took it. Where the store does not offer that method (any more), there is nothing.
func (c *Carts) PayTest(ctx context.Context, o *db.Order) (taken bool, err error) {
	methods, err := c.selling.CartMethods(ctx)
	if err != nil {
		return false, core.Explain("order", err)
	}
	offered := slices.ContainsFunc(methods, func(m document.PaymentMethod) bool { return m.Kind == state.PaymentTest })
	if o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentTest || !offered {
		return false, fault.Missing("payment")
	}
	return c.sales.PayOnline(ctx, o.ID, sales.Online{Method: state.PaymentTest,
		Reference: "test " + xid.Order.Format(o.ID), AmountMinor: o.TotalMinor, Currency: o.Currency})
}

// BeginPayment returns the address at which an order is paid, see [sales.Resolver.BeginPayment].
func (c *Carts) BeginPayment(ctx context.Context, o *db.Order, title, back string) (string, error) {
	return c.sales.BeginPayment(ctx, o, title, back)
}

// SettlePayment asks what has become of the payment of an order, see [sales.Resolver.SettlePayment].
func (c *Carts) SettlePayment(ctx context.Context, o *db.Order) error {
	return c.sales.SettlePayment(ctx, o)
}

// SettlePayments asks about the payments of all stores that are under way, and returns how many.
func (c *Carts) SettlePayments(ctx context.Context) (int, error) { return c.sales.SettlePayments(ctx) }

// ReturnMoney gives back what is due of all stores, and returns how many refunds there were.
func (c *Carts) ReturnMoney(ctx context.Context) (int, error) { return c.sales.ReturnMoney(ctx) }

// ForgetAccounts deletes the secrets of former payment accounts, and returns how many.
func (c *Carts) ForgetAccounts(ctx context.Context) (int, error) {
	return c.selling.ForgetAccounts(ctx)
}

// FillLines gives orders of before their lines in their own rows, and returns how many.
func (c *Carts) FillLines(ctx context.Context) (int, error) { return c.sales.FillLines(ctx) }

// EndHolds cancels the orders of all stores that were not paid in time, and returns how many.
func (c *Carts) EndHolds(ctx context.Context) (int, error) { return c.sales.EndHolds(ctx) }
