package checkout

import (
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// view returns the shopper's cart, or nil. The cart of an order that was canceled unpaid is the
// shopper's again.
func (v *visit) view() (*cart.View, error) {
	c, err := v.Carts.View(v.ctx, v.token())
	if err != nil || c == nil || !c.Lapsed {
		return c, err
	}
	if err := v.Carts.Reopen(v.ctx, v.token()); err != nil {
		return nil, err
	}
	return v.Carts.View(v.ctx, v.token())
}

// waiting returns the order of the shopper's cart while it awaits an online payment, or nil.
func (v *visit) waiting() *storefront.ShopperOrder {
	c, err := v.Carts.View(v.ctx, v.token())
	if err != nil || c == nil || c.Order.IsNil() {
		return nil
	}
	o, err := v.Core.Order(v.ctx, c.Order)
	if err != nil || !o.Held {
		return nil
	}
	return o
}

// reopen is POST /checkout/reopen: the shopper returns to the checkout of an unpaid order. The
// payment provider is asked first, so that no paid order is canceled.
func (v *visit) reopen() {
	o := v.waiting()
	if o != nil && away(o) {
		if _, err := v.returned(o); err != nil {
			v.failed(err)
			return
		}
	}
	err := v.Carts.Reopen(v.ctx, v.token())
	switch {
	case noCart(err):
		to(v.w, cartPath)
	case fault.IsState(err, fault.InvalidTransition):
		v.begin() // redirects to the order
	case err != nil:
		v.failed(err)
	case v.value("to") == "payment":
		v.keep(v.token())
		to(v.w, pathOf(cart.StepDelivery))
	default:
		v.keep(v.token())
		to(v.w, cartPath)
	}
}
