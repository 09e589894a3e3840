package cart

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/sales"
)

// Shown is what the shopper agreed to.
type Shown struct {
	// TotalMinor is what they were told that they pay.
	TotalMinor int64
}

// Placed is the order that a cart became.
type Placed struct {
	Order xid.ID
	// Online says that it is paid online, if anything is to be paid.
	Online bool
}

// placeTries is how often an order is tried where two of a new customer meet.
const placeTries = 3

// Place makes an order of the cart, in one transaction: the order with its lines, the stock,
// the use of the discount, the customer, the events. A cart makes one order: whoever places
// it again gets that one.
//
// It refuses a cart that lacks something with [fault.InvalidTransition], one that costs
// something else by now with [fault.VersionMismatch], and goods that are sold out with
// [fault.OutOfStock].
func (c *Carts) Place(ctx context.Context, token string, shown Shown) (made Placed, err error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return made, fault.Missing("cart")
	}
	number, err := c.sales.Number(ctx) // outside the transaction, see there
	if err != nil {
		return made, core.Explain("store", err)
	}
	for try := 1; ; try++ {
		err = c.Commit(ctx, xid.Order, func(ctx context.Context) (_ *core.Record, err error) {
			var done *core.Record
			made, done, err = c.place(ctx, sum, token, number, shown)
			return done, err
		})
		if !errors.Is(err, sales.ErrMet) || try == placeTries {
			return made, err
		}
	}
}

// place is [Carts.Place] within its transaction. The cart's row is written first, so of two
// who place it the second finds the order.
func (c *Carts) place(
	ctx context.Context, sum digest.Sum, token string, number int64, shown Shown,
) (made Placed, done *core.Record, err error) {
	open, err := c.lock(ctx, sum)
	if err != nil {
		return made, nil, err
	}
	row, err := c.any(ctx, token)
	switch {
	case err != nil:
		return made, nil, err
	case row == nil:
		return made, nil, fault.Missing("cart")
	case !open && row.OrderID != nil:
		return Placed{*row.OrderID, row.Payment != nil && row.Payment.Online()}, nil, nil
	}
	v, err := c.view(ctx, row)
	if err != nil {
		return made, nil, err
	}
	if err := v.agreed(shown); err != nil {
		return made, nil, err
	}
	made.Online = v.Method.Kind.Online()
	if made.Order, done, err = c.sales.Place(ctx, v.placing(number)); err != nil {
		return made, nil, err
	}
	// The order knows all that the shopper said: nobody needs it twice.
	n, err := c.Client(ctx).Cart.Update().Where(dbcart.ID(row.ID), dbcart.OrderIDIsNil()).SetOrderID(made.Order).
		ClearEmail().ClearPhone().ClearAddress().ClearCountry().ClearNote().Save(ctx)
	return made, done, core.Swapped(xid.Order, n, err)
}

// agreed reports whether the cart can be ordered as the shopper was shown it.
func (v *View) agreed(shown Shown) error {
	for _, l := range v.Lines {
		switch {
		case l.Gone:
			return fault.State(fault.OutOfStock, "One of the goods cannot be bought any more.")
		case l.Left != nil:
			return fault.State(fault.OutOfStock, "There is not enough stock of "+l.Title+".")
		}
	}
	if next := v.Next(); next != StepReview {
		return fault.State(fault.InvalidTransition, "The checkout lacks the step "+string(next)+".")
	}
	if v.Sums.TotalMinor != shown.TotalMinor {
		return fault.State(fault.VersionMismatch, "The prices have changed meanwhile.")
	}
	return nil
}

// placing is the order that the cart becomes.
func (v *View) placing(number int64) sales.Placing {
	p := sales.Placing{Store: v.store, Number: number, Cart: v.ID, Email: v.Email, Phone: v.Phone,
		Ships: v.Ships, Sums: v.Sums, PaymentMethod: v.Method.Kind, Note: v.Note}
	if a := v.Address; a != nil && a.Country == v.place().Country { // else it is where an earlier cart went
		p.Address = a
	}
	if v.Ships {
		p.ShippingMethod = &v.Rate.Name
	}
	if v.Discounted {
		p.Discount = v.Discount
	}
	for _, l := range v.Lines {
		p.Lines = append(p.Lines, sales.PlacedLine{Product: l.item.product, Variant: ownOrNil(l.item),
			SKU: l.SKU, Quantity: l.Quantity, UnitMinor: l.Unit, Amounts: l.Amounts})
	}
	return p
}

// ownOrNil is the variant of a product with options; nil where the product is its own.
func ownOrNil(g *item) *db.Variant {
	if g.product.Options == nil {
		return nil
	}
	return g.variant
}
