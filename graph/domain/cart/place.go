package cart

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Shown is what the shopper agreed to.
type Shown struct {
	// TotalMinor is what they were told that they pay.
	TotalMinor int64
	// Goods is the [View.Goods] that they saw, "" where the caller does not know it.
	Goods string
}

// Placed is the order that a cart became.
type Placed struct {
	Order xid.ID
	// Online says that it is paid online, if anything is to be paid.
	Online bool
	// Most is how many pieces of counted stock an order holds that is paid later, with
	// [fault.LimitReached]; there is no order then.
	Most int64
	// Refused is the discount code that was taken off, with [fault.DiscountUnavailable]; there is
	// no order then.
	Refused string
}

// placeTries is how often an order is tried where others change what it is made of.
const placeTries = 3

// Place makes an order of the cart. All that it is made of is read and computed before the
// transaction, in which others wait: that compares what may not differ, and writes the order with
// its lines, the stock, the use of the discount, the customer and the events. A cart makes one
// order: whoever places it again gets that one.
//
// It refuses a cart that lacks something with [fault.InvalidTransition], one that costs
// something else by now with [fault.VersionMismatch], goods that are sold out with
// [fault.OutOfStock], more pieces than are held until they are paid later with
// [fault.LimitReached], and a discount that the shopper cannot have (any more) with
// [fault.DiscountUnavailable]: its code is then off the cart, which keeps all else.
func (c *Carts) Place(ctx context.Context, token string, shown Shown) (made Placed, err error) {
	p := placement{Carts: c, token: token, shown: shown}
	defer func() { err = p.giveBack(ctx, err) }()
	for try := 1; ; try++ {
		made, err = p.place(ctx)
		switch {
		case fault.IsState(err, fault.LimitReached):
			return Placed{Most: p.most}, err
		case fault.IsState(err, fault.DiscountUnavailable):
			if failed := c.dropCode(ctx, token, p.code); failed != nil {
				return Placed{}, failed
			}
			return Placed{Refused: p.code}, err
		case !errors.Is(err, sales.ErrMet):
			return made, err
		case try == placeTries:
			return Placed{}, core.Swapped(xid.Order, 0, nil)
		}
	}
}

// placement is a cart on its way to its order.
type placement struct {
	*Carts
	token  string
	shown  Shown
	number int64 // of the order; 0 before it is taken
	code   string
	news   sales.News
	most   int64             // pieces that it may hold; 0 before that is known
	held   *ratelimit.Charge // for an order that it has not made yet
}

// dropCode takes a discount code off, unless the cart has another one or was ordered meanwhile.
func (c *Carts) dropCode(ctx context.Context, token, code string) error {
	_, err := c.edit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		if row.Code != nil && *row.Code == code {
			u.ClearCode()
		}
		return nil
	})
	return err
}

// place is one try of [Carts.Place].
func (p *placement) place(ctx context.Context) (made Placed, err error) {
	row, err := p.any(ctx, p.token)
	switch {
	case err != nil:
		return made, core.Explain("cart", err)
	case row == nil:
		return made, fault.Missing("cart")
	case row.OrderID != nil:
		return Placed{Order: *row.OrderID, Online: row.Payment != nil && row.Payment.Online()}, nil
	}
	v, err := p.view(ctx, row)
	if err != nil {
		return made, core.Explain("cart", err)
	}
	p.code = v.Code
	if err := v.agreed(p.shown); err != nil {
		return made, err
	}
	if err := p.hold(ctx, v); err != nil {
		return made, err
	}
	if p.number == 0 {
		if p.number, err = p.sales.Number(ctx); err != nil { // outside the transaction, see there
			return made, core.Explain("store", err)
		}
		// An order that is paid online is news once it is paid.
		if v.Sums.TotalMinor == 0 || !v.Method.Kind.Online() {
			if p.news, err = p.sales.Announces(ctx); err != nil {
				return made, core.Explain("store", err)
			}
		}
	}
	order, err := p.sales.Prepare(ctx, v.placing(p.number, p.news))
	if err != nil {
		return made, core.Explain("order", err)
	}
	held := sales.HeldCart(v.Method.Kind, v.Sums.TotalMinor)
	err = p.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
		if err := p.end(ctx, row, order.ID(), held); err != nil {
			return nil, err
		}
		return order.Place(ctx)
	})
	if err == nil {
		p.held = nil
	}
	return Placed{Order: order.ID(), Online: v.Method.Kind.Online()}, err
}

// end makes an order of the cart's row. It is the first that the transaction writes: of two who
// place a cart the second waits here, and whoever has changed it since it was read, its lines
// too, has raised its version. The order knows all that the shopper said: the cart keeps it where
// they may come back to it ([Carts.Reopen]), and else nobody needs it twice.
func (c *Carts) end(ctx context.Context, row *db.Cart, order xid.ID, held bool) error {
	now := micros.Now()
	u := c.Client(ctx).Cart.Update().
		Where(dbcart.ID(row.ID), dbcart.Version(row.Version), dbcart.OrderIDIsNil()).
		SetVersion(row.Version + 1).SetUpdatedAt(now).SetExpiresAt(expiry(now)).SetOrderID(order)
	if !held {
		u.ClearEmail().ClearPhone().ClearAddress().ClearCountry().ClearRegion().ClearNote()
	}
	n, err := u.Save(ctx)
	if err == nil && n == 0 {
		return sales.ErrMet
	}
	return err
}

// agreed reports whether the cart can be ordered as the shopper was shown it.
func (v *View) agreed(shown Shown) error {
	if v.store.Status != state.StoreOpen { // pages learn of it up to a second later
		return fault.Missing("store")
	}
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
	if shown.Goods != "" && shown.Goods != v.Goods() {
		return fault.State(fault.VersionMismatch, "The goods in the cart have changed meanwhile.")
	}
	if v.Sums.TotalMinor != shown.TotalMinor && v.Refused() {
		return fault.State(fault.DiscountUnavailable, "The code "+v.Code+" cannot be used for this order (any more).")
	}
	if v.Sums.TotalMinor != shown.TotalMinor {
		return fault.State(fault.VersionMismatch, "The prices have changed meanwhile.")
	}
	return nil
}

// placing is the order that the cart becomes.
func (v *View) placing(number int64, news sales.News) sales.Placing {
	p := sales.Placing{Store: v.store, Number: number, Cart: v.ID, Email: v.Email, Phone: v.Phone,
		Ships: v.Ships, Sums: v.Sums, PaymentMethod: v.Method.Kind, Note: v.Note, News: news}
	if a := v.Address; a != nil && a.Country == v.place().Country { // else it is where an earlier cart went
		p.Address = withPhone(a, v.Phone)
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

// withPhone is an address with the telephone number of the contact, which carriers ask for,
// where it has none of its own.
func withPhone(a *document.AddressFields, phone string) *document.AddressFields {
	c := *a
	if c.Phone == nil && phone != "" {
		c.Phone = &phone
	}
	return &c
}

// ownOrNil is the variant of a product with options; nil where the product is its own.
func ownOrNil(g *item) *db.Variant {
	if g.product.Options == nil {
		return nil
	}
	return g.variant
}
