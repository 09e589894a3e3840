package cart

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/sales"
)

// PayTest pays an order by the method that moves no money, and reports whether the order
// took it. Where the installation has no such method, there is nothing.
func (c *Carts) PayTest(ctx context.Context, o *db.Order) (taken bool, err error) {
	if !c.TestPayments || o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentTest {
		return false, fault.Missing("payment")
	}
	return c.sales.PayOnline(ctx, o.ID, sales.Online{Method: state.PaymentTest,
		Reference: "test " + xid.Order.Format(o.ID), AmountMinor: o.TotalMinor, Currency: o.Currency})
}

// EndHolds cancels the orders of all stores that were not paid in time, and returns how many.
func (c *Carts) EndHolds(ctx context.Context) (int, error) { return c.sales.EndHolds(ctx) }
