package cart

import (
	"context"
	"errors"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Shown is what the shopper saw and agreed to.
type Shown struct {
	// TotalMinor is the total that the shopper saw.
	TotalMinor int64
	// Contents is the [View.Contents] of the cart that the shopper saw; "" if the caller does not know
	// it.
	Contents string
}

// Placed is the result of placing an order.
type Placed struct {
	Order xid.ID
	// Online means that the order is paid online, unless its total is zero.
	Online bool
	// Limit is the limit of pieces of tracked stock in an order that is paid later. It is set with
	// [fault.LimitReached], without an order.
	Limit int64
	// Refused is the discount code that was removed. It is set with [fault.DiscountUnavailable],
	// without an order.
	Refused string
}

// placeTries bounds the attempts of [Carts.Place] when concurrent changes interfere.
const placeTries = 3

// Place makes an order of the cart. It reads and computes everything before the transaction, on
// which other writers would wait. The transaction verifies what must not have changed, and writes
// the order with its lines, the stock, the use of the discount, the customer and the events. A cart
// becomes one order: placing it again returns that order.
//
// It returns [fault.InvalidTransition] for an incomplete checkout, [fault.VersionMismatch] if the
// total or the contents have changed, [fault.OutOfStock] for products that are sold out,
// [fault.LimitReached] for more unpaid pieces than allowed, and [fault.DiscountUnavailable] for a
// discount that the shopper cannot use; the code is then removed from the cart, which keeps
// everything else.
func (c *Carts) Place(ctx context.Context, token string, shown Shown) (made Placed, err error) {
	p := placement{Carts: c, token: token, shown: shown}
	defer func() { err = p.refund(ctx, err) }()
	for try := 1; ; try++ {
		made, err = p.place(ctx)
		switch {
		case fault.IsState(err, fault.LimitReached):
			return Placed{Limit: p.most}, err
		case fault.IsState(err, fault.DiscountUnavailable):
			if failed := c.dropCode(ctx, token, p.code); failed != nil {
				return Placed{}, failed
			}
			return Placed{Refused: p.code}, err
		case !errors.Is(err, sales.ErrConflict):
			return made, err
		case try == placeTries:
			return Placed{}, change.Swapped(xid.Order, 0, nil)
		}
	}
}

// placement is an attempt to place an order.
type placement struct {
	*Carts
	token  string
	shown  Shown
	number int64 // of the order; 0 until it is assigned
	code   string
	notice sales.OrderNotice
	most   int64             // limit of unpaid pieces; 0 until it is known
	held   *ratelimit.Charge // charged, and not yet used by an order
}

// dropCode removes a discount code, unless the cart has another one or was ordered meanwhile.
func (c *Carts) dropCode(ctx context.Context, token, code string) error {
	_, err := c.edit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		if row.Code != nil && *row.Code == code {
			u.ClearCode()
		}
		return nil
	})
	return err
}

// place is one attempt of [Carts.Place].
func (p *placement) place(ctx context.Context) (made Placed, err error) {
	row, err := p.findAny(ctx, p.token)
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
		// An order that is paid online is announced once it is paid.
		if v.Sums.TotalMinor == 0 || !v.Method.Kind.Online() {
			if p.notice, err = p.sales.NewOrderNotice(ctx); err != nil {
				return made, core.Explain("store", err)
			}
		}
	}
	order, err := p.sales.Prepare(ctx, v.placing(p.number, p.notice))
	if err != nil {
		return made, core.Explain("order", err)
	}
	held := sales.HeldCart(v.Method.Kind, v.Sums.TotalMinor)
	err = p.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
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

// end turns the cart's row into that of an order. It is the first write of the transaction: of two
// concurrent placements the second waits here, and any change since the cart was read, even of its
// lines, has raised its version. A held cart keeps the contact and address, because the shopper may
// come back to it ([Carts.Reopen]); otherwise only the order keeps them.
func (c *Carts) end(ctx context.Context, row *db.Cart, order xid.ID, held bool) error {
	now := micros.Now()
	u := c.Client(ctx).Cart.Update().
		Where(dbcart.ID(row.ID), dbcart.Version(row.Version), dbcart.OrderIDIsNil()).
		SetVersion(row.Version + 1).SetUpdatedAt(now).SetExpiresAt(expiry(now)).SetOrderID(order)
	if !held {
		session, err := row.Session.Ended()
		if err != nil {
			return err
		}
		if session != nil {
			u.SetSession(session)
		}
		u.ClearEmail().ClearPhone().ClearVatID().ClearVatConsultation().
			ClearAddress().ClearBillingAddress().ClearCountry().ClearRegion().ClearNote().ClearGift()
	}
	n, err := u.Save(ctx)
	if err == nil && n == 0 {
		return sales.ErrConflict
	}
	return err
}

// agreed returns a fault unless the cart can be ordered as the shopper saw it.
func (v *View) agreed(shown Shown) error {
	if v.store.Status != state.StoreOpen { // pages notice it up to a second later
		return fault.Missing("store")
	}
	front, err := v.store.Storefront.Fields()
	if err != nil {
		return err
	}
	if p := front.Paused(micros.Now()); p != nil {
		return fault.State(fault.InvalidTransition, p.Message)
	}
	if v.Session != nil && v.Session.Canceled {
		return fault.State(fault.InvalidTransition, "The checkout was canceled.")
	}
	for _, l := range v.Lines {
		switch {
		case l.Gone:
			return fault.State(fault.OutOfStock, "One of the products is no longer available.")
		case l.Left != nil:
			return fault.State(fault.OutOfStock, "There is not enough stock of "+l.Title+".")
		}
	}
	if next := v.Next(); next != StepReview {
		return fault.State(fault.InvalidTransition, "The checkout is missing the step "+string(next)+".")
	}
	if shown.Contents != "" && shown.Contents != v.Contents() {
		return fault.State(fault.VersionMismatch, "The cart has changed in the meantime.")
	}
	if v.Sums.TotalMinor != shown.TotalMinor && v.Refused() {
		return fault.State(fault.DiscountUnavailable, "The code "+v.Code+" cannot be used for this order.")
	}
	if v.Sums.TotalMinor != shown.TotalMinor {
		return fault.State(fault.VersionMismatch, "The prices have changed in the meantime.")
	}
	return nil
}

// placing returns the order that the cart becomes.
func (v *View) placing(number int64, notice sales.OrderNotice) sales.Placing {
	p := sales.Placing{Store: v.store, Number: number, Cart: v.ID, Email: v.Email, Phone: v.Phone, VATID: v.VATID,
		VATConsultation: v.VATConsultation,
		Ships:           v.Ships, Quote: v.quote, PaymentMethod: v.Method.Kind, Note: v.Note, Notice: notice}
	if a := v.Address; a != nil && a.Country == v.place().Country { // else it is outdated
		p.Address = withPhone(a, v.Phone)
	}
	if v.Billing != nil {
		p.Billing = withPhone(v.Billing, v.Phone)
	}
	if v.Gift != "" {
		p.Note = strings.TrimSpace(p.Note + "\n\n" + phrase.In(v.store.Language).Say(phrase.GiftMessageIs, v.Gift))
	}
	if v.Discounted {
		p.Discount = v.Discount
	}
	for _, l := range v.Lines {
		p.Lines = append(p.Lines, sales.PlacedLine{Product: l.item.product, Variant: ownOrNil(l.item),
			SKU: l.SKU, Quantity: l.Quantity, UnitMinor: l.Unit})
	}
	return p
}

// withPhone returns an address with the contact's phone number if it has none, because carriers ask
// for one.
func withPhone(a *document.AddressFields, phone string) *document.AddressFields {
	c := *a
	if c.Phone == nil && phone != "" {
		c.Phone = &phone
	}
	return &c
}

// ownOrNil returns the variant, or nil for a product without options.
func ownOrNil(g *item) *db.Variant {
	if g.product.Options == nil {
		return nil
	}
	return g.variant
}
