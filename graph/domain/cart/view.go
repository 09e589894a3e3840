package cart

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// Step is a step of the checkout.
type Step string

// The steps in order.
const (
	StepCart     Step = "cart"     // the cart has lines, and all can be bought
	StepDetails  Step = "details"  // the shopper and the addresses
	StepDelivery Step = "delivery" // the shipping rate and the payment method
	StepReview   Step = "review"
)

// View is a cart in its present state with present prices.
type View struct {
	ID      xid.ID
	Version int64
	// Count is the number of pieces.
	Count int64
	Lines []*Line
	Note  string
	// Code is the discount code that the shopper entered. Discount is its discount, nil if this
	// shopper cannot use it; Discounted means that the lines meet its terms.
	Code       string
	Discount   *db.Discount
	Discounted bool
	Currency   string
	// TaxIncluded means that prices include the tax.
	TaxIncluded  bool
	Sums         price.Sums
	Taxes        []document.OrderTax
	Relief       *state.TaxRelief // nil if the shopper pays the tax of the place
	Email, Phone string
	VATID        string
	// VATConsultation is the number under which VIES confirmed VATID, nil for none.
	VATConsultation *string
	// Ships means that a line must be shipped; else neither address nor rate is needed.
	Ships bool
	// Country and Region are the shopper's location. Shoppers are asked for it if nothing is
	// shipped and it determines the tax; "" until they answer.
	Country, Region string
	Address         *document.AddressFields
	// Billing is nil if it is Address.
	Billing *document.AddressFields
	// Gift is the message of a gift, "" for none.
	Gift string
	// Reminds says that the store reminds of carts, and Remind that the shopper asked for it.
	Reminds, Remind bool
	// Extended says that a cart may have Billing and Gift.
	Extended bool
	// Rates are the available shipping rates for the address and the lines; Rate is the chosen one.
	Rates []selling.Offer
	Rate  *document.ShippingRate
	// Methods are the payment methods; Method is the chosen one, or nil.
	Methods []document.PaymentMethod
	Method  *document.PaymentMethod
	// Order is the order that the cart became; nil for none. Lapsed means that the order was
	// canceled because its online payment did not arrive.
	Order  xid.ID
	Lapsed bool
	// Session is what a program said about the shopper; nil unless it began the cart.
	Session *document.SessionFields

	tax   price.Tax
	quote *selling.Quote // nil for an ordered cart
	store *db.Store
}

// Line is a line of the cart.
type Line struct {
	ProductRef
	// Title is "" if the product was deleted.
	Title string
	// Options are the option values of the variant, "" for none.
	Options string
	Handle  string
	Image   string // URL of the image, "" for none
	// Upload is the uploaded image, which replaces Image; nil for none.
	Upload *db.ProductImage
	SKU    *string
	// Unit is the price of one piece, Was the price that the shopper saw last.
	Unit, Was int64
	Quantity  int64
	// Left is the stock, if it is tracked and lower than the quantity; else nil.
	Left *int64
	// Gone means that the product can no longer be bought: the line is left out of the totals.
	Gone bool
	// Large means that the line exceeds the largest amount, by itself or with the others: it is
	// left out of the totals, and its quantity must be reduced.
	Large   bool
	Amounts price.Amounts

	item *item
}

// AsksCountry reports whether the shopper must name a country: it determines the tax, and there is no
// address.
func (v *View) AsksCountry() bool { return !v.Ships && len(v.tax.Rates) > 0 }

// AsksVATID reports whether companies may name their VAT id.
func (v *View) AsksVATID() bool { return v.tax.Seller != "" }

// placed reports whether the shopper's location is known as far as the tax depends on it.
func (v *View) placed() bool {
	p := v.place()
	return p.Country != "" && (p.Region != "" || !v.Regional(p.Country))
}

// Gone reports whether a line can no longer be bought.
func (v *View) Gone() bool { return slices.ContainsFunc(v.Lines, func(l *Line) bool { return l.Gone }) }

// Home returns the country of the store's VAT id, "" if it has none.
func (v *View) Home() string { return v.tax.Seller }

// Taxed reports whether the store charges tax anywhere.
func (v *View) Taxed() bool { return len(v.tax.Rates) > 0 }

// Refused reports whether the cart has a code that this shopper cannot use. The cart then costs as
// much as without it and cannot be ordered. A code whose terms the lines do not meet yet is not
// refused.
func (v *View) Refused() bool { return v.Code != "" && v.Discount == nil }

// Contents returns a fingerprint of the lines and quantities, without prices.
func (v *View) Contents() string {
	sum := fnv.New64a()
	for _, l := range v.Lines {
		_, _ = fmt.Fprintln(sum, l.Product, l.Variant, l.Quantity)
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// Next returns the first incomplete step, or [StepReview].
func (v *View) Next() Step {
	blocked := func(l *Line) bool { return l.Gone || l.Large || l.Left != nil }
	switch {
	case len(v.Lines) == 0, slices.ContainsFunc(v.Lines, blocked):
		return StepCart
	case v.Email == "", v.AsksCountry() && !v.placed(), v.Ships && (v.Address == nil || v.incomplete()):
		return StepDetails
	case v.Ships && v.Rate == nil, v.Method == nil:
		return StepDelivery
	}
	return StepReview
}

// place returns the location that determines the tax: the destination or, if nothing is shipped,
// the shopper's location.
func (v *View) place() (p price.Place) {
	if a := v.Address; a != nil && (v.Ships || v.Country == "" || v.Country == a.Country) {
		p.Country = a.Country
		core.Opt(a.Region, func(s string) { p.Region = s })
	} else if !v.Ships {
		p.Country, p.Region = v.Country, v.Region
	}
	return p
}

// View returns the cart of a token, or nil. For an ordered cart it contains only the order.
func (c *Carts) View(ctx context.Context, token string) (*View, error) {
	row, err := c.findAny(ctx, token)
	if err != nil || row == nil {
		return nil, core.Explain("cart", err)
	}
	if row.OrderID != nil {
		v := &View{ID: row.ID, Order: *row.OrderID}
		if v.Session, err = row.Session.Fields(); err == nil {
			v.Lapsed, err = c.sales.Lapsed(ctx, *row.OrderID)
		}
		return v, core.Explain("cart", err)
	}
	v, err := c.view(ctx, row)
	if err == nil {
		err = c.loadImages(ctx, v.Lines)
	}
	return v, core.Explain("cart", err)
}

// view reads everything that determines the price of a cart, and computes it.
func (c *Carts) view(ctx context.Context, row *db.Cart) (v *View, err error) {
	v = &View{ID: row.ID, Version: row.Version}
	core.Opt(row.Note, func(s string) { v.Note = s })
	core.Opt(row.Code, func(s string) { v.Code = s })
	core.Opt(row.Email, func(s string) { v.Email = s })
	core.Opt(row.Phone, func(s string) { v.Phone = s })
	core.Opt(row.VatID, func(s string) { v.VATID = s })
	v.VATConsultation = row.VatConsultation
	core.Opt(row.Country, func(s string) { v.Country = s })
	core.Opt(row.Region, func(s string) { v.Region = s })
	core.Opt(row.Gift, func(s string) { v.Gift = s })
	v.Remind = row.Remind
	v.Extended = c.Store.Uses(ent.CheckoutDetails)
	if v.Address, err = row.Address.Fields(); err != nil {
		return nil, err
	}
	if v.Billing, err = row.BillingAddress.Fields(); err != nil {
		return nil, err
	}
	if v.Session, err = row.Session.Fields(); err != nil {
		return nil, err
	}
	if v.store, err = c.CurrentStore(ctx); err != nil {
		return nil, err
	}
	v.Currency, v.Reminds = v.store.Currency, c.reminds(v.store)
	if err := c.readLines(ctx, v); err != nil {
		return nil, err
	}
	if v.Code != "" {
		if v.Discount, err = c.selling.DiscountByCode(ctx, v.Code, buyer(row)); err != nil {
			return nil, err
		}
	}
	if err := c.compute(ctx, v, row.RateID); err != nil {
		return nil, err
	}
	return v, c.readMethods(ctx, v, row.Payment)
}

// readMethods reads the payment methods for the total. Stripe cannot charge every amount of every
// currency; for a total of zero the method does not matter. Payment on delivery requires shipping.
func (c *Carts) readMethods(ctx context.Context, v *View, chosen *state.PaymentMethod) (err error) {
	if v.Methods, err = c.selling.CartMethods(ctx); err != nil {
		return err
	}
	if v.Sums.TotalMinor > 0 && !payment.Payable(v.Sums.TotalMinor, v.Currency) {
		v.Methods = slices.DeleteFunc(v.Methods, func(m document.PaymentMethod) bool {
			return m.Kind == state.PaymentStripe
		})
	}
	if !v.Ships {
		v.Methods = slices.DeleteFunc(v.Methods, func(m document.PaymentMethod) bool {
			return m.Kind == state.PaymentOnDelivery
		})
	}
	for i, m := range v.Methods {
		if chosen != nil && m.Kind == *chosen {
			v.Method = &v.Methods[i]
		}
	}
	return nil
}

// readLines reads the lines in the order in which they were added, with the present products.
func (c *Carts) readLines(ctx context.Context, v *View) error {
	rows, err := c.Client(ctx).CartLine.Query().Where(cartline.CartID(v.ID)).Load(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b *db.CartLine) int {
		if a.AddedAt != b.AddedAt {
			return int(a.AddedAt - b.AddedAt)
		}
		return a.ID.Compare(b.ID)
	})
	refs := make([]ProductRef, len(rows))
	for i, row := range rows {
		refs[i] = ProductRef{row.ProductID, row.VariantID}
	}
	items, titles, err := c.items(ctx, v.store, refs)
	if err != nil {
		return err
	}
	for i, row := range rows {
		v.Count += row.Quantity
		l := lineOf(refs[i], row, items[refs[i]])
		if l.Gone {
			l.Title = titles[l.Product]
		}
		v.Lines = append(v.Lines, l)
	}
	return nil
}

// loadImages sets the uploaded images of lines: the variant's, or else the first of the product.
func (c *Carts) loadImages(ctx context.Context, lines []*Line) error {
	chosen := core.IDs(lines, func(l *Line) *xid.ID {
		if l.Gone {
			return nil
		}
		return l.item.variant.ImageID
	})
	products := core.IDs(lines, func(l *Line) *xid.ID { return &l.Product })
	images, err := images.Rows(ctx, c.Client(ctx), products,
		productimage.Or(productimage.Position(1), productimage.IDIn(chosen...)))
	if err != nil {
		return err
	}
	for _, l := range lines {
		for i, img := range images[l.Product] {
			if i == 0 || !l.Gone && l.item.variant.ImageID != nil && *l.item.variant.ImageID == img.ID {
				l.Upload = img
			}
		}
	}
	return nil
}

// lineOf returns a line with its present product; g is nil if it cannot be bought.
func lineOf(w ProductRef, row *db.CartLine, g *item) *Line {
	l := &Line{ProductRef: w, Quantity: row.Quantity, Unit: row.PriceMinor, Was: row.PriceMinor, Gone: g == nil,
		item: g}
	if g == nil {
		return l
	}
	l.Title, l.Handle, l.Unit, l.SKU = g.product.Title, g.product.Handle, g.unit, g.variant.Sku
	core.Opt(g.product.ImageURL, func(s string) { l.Image = s })
	if g.product.Options != nil {
		l.Options = g.variant.Title
	}
	l.Left = g.short(l.Quantity)
	return l
}

// short returns the stock if it is tracked and lower than a quantity; else nil.
func (g *item) short(quantity int64) *int64 {
	if left := g.variant.InventoryQuantity; left != nil && *left < quantity {
		return left
	}
	return nil
}

// compute computes the price of the cart and the shipping rates. If the total exceeds the largest
// amount, it marks the most expensive lines as Large and leaves them out.
func (c *Carts) compute(ctx context.Context, v *View, rateID *string) error {
	for {
		err := c.quote(ctx, v, rateID)
		var dearest *Line
		for _, l := range v.Lines {
			if !l.Gone && !l.Large && (dearest == nil || dearest.approximate() < l.approximate()) {
				dearest = l
			}
		}
		if dearest == nil || !fault.IsState(err, fault.AmountTooLarge) {
			return err
		}
		dearest.Large = true
	}
}

// approximate returns the approximate price of the line, for comparison.
func (l *Line) approximate() float64 { return float64(l.Unit) * float64(l.Quantity) }

// UnitMinor returns the price of one piece that the shopper pays, without tax for a relieved one.
func (l *Line) UnitMinor() int64 {
	if l.Gone || l.Large {
		return l.Unit
	}
	return l.Amounts.UnitMinor
}

// quote computes the lines that count.
func (c *Carts) quote(ctx context.Context, v *View, rateID *string) error {
	b := selling.Basket{Discount: v.Discount, Rate: rateID, VATID: v.VATID}
	var counted []*Line
	for _, l := range v.Lines {
		if l.Gone || l.Large {
			continue
		}
		counted = append(counted, l)
		line := price.Line{UnitMinor: l.Unit, Quantity: l.Quantity, Product: l.Product,
			Category: variants.TaxCategory(l.item.product, l.item.variant), Digital: !l.item.product.RequiresShipping}
		v.Ships = v.Ships || !line.Digital
		core.Opt(l.item.weight(), func(g int64) { line.WeightGrams = g })
		b.Lines = append(b.Lines, line)
	}
	b.To = v.place()
	if v.Ships && v.Address != nil {
		b.Ships = v.Address.Country
	}
	q, err := c.selling.Quote(ctx, b)
	if err != nil {
		return err
	}
	v.quote, v.tax, v.Rates, v.Rate = q, q.Tax, q.Offers, q.Chosen
	v.Sums, v.Taxes, v.TaxIncluded, v.Discounted = q.Sums, q.OrderTaxes(nil), q.Tax.Included, q.Discounted
	v.Relief = q.Relief
	for i, l := range counted {
		l.Amounts = q.Lines[i]
	}
	return nil
}

// weight returns the weight of one piece; nil if unknown.
func (g *item) weight() *int64 { return g.variant.WeightGrams }

// Seen records that the shopper saw the prices of a view.
func (c *Carts) Seen(ctx context.Context, token string, v *View) error {
	changed := slices.ContainsFunc(v.Lines, func(l *Line) bool { return l.Unit != l.Was })
	if !changed {
		return nil
	}
	return c.mustEdit(ctx, token, func(ctx context.Context, row *db.Cart, _ *db.CartUpdate) error {
		for _, l := range v.Lines {
			if l.Unit == l.Was {
				continue
			}
			if err := c.Client(ctx).CartLine.Update().Where(cartline.CartID(row.ID), cartline.ProductID(l.Product),
				cartline.VariantID(l.variant())).SetPriceMinor(l.Unit).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
