package cart

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

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
)

// Step is a part of the checkout.
type Step string

// The steps, in their order.
const (
	StepGoods    Step = "cart" // there is something to buy, and all of it can be had
	StepContact  Step = "contact"
	StepAddress  Step = "address"
	StepShipping Step = "shipping"
	StepPayment  Step = "payment"
	StepReview   Step = "review"
)

// View is a cart as it is now. Its prices are those of now, too.
type View struct {
	ID      xid.ID
	Version int64
	// Count is how many pieces it holds.
	Count int64
	Lines []*Line
	Note  string
	// Code is the discount code that was entered. Discount is what it opens for this shopper, nil
	// where that is nothing (any more); Discounted says that the goods meet its terms.
	Code       string
	Discount   *db.Discount
	Discounted bool
	Currency   string
	// TaxIncluded says that the prices hold the tax, whose rate is Tax; nil for none.
	TaxIncluded  bool
	Tax          *price.TaxRate
	Sums         price.Sums
	Email, Phone string
	// Ships says that something of it has to be sent: else it needs neither address nor rate.
	Ships bool
	// Country and Region are where the shopper is, who is asked for them where nothing is sent and
	// they decide the tax; "" where nobody has said so.
	Country, Region string
	Address         *document.AddressFields
	// Rates are what can be chosen for the address and the goods, Rate what was.
	Rates []selling.Offer
	Rate  *document.ShippingRate
	// Methods are the ways to pay, Method the one that was chosen; nil for none.
	Methods []document.PaymentMethod
	Method  *document.PaymentMethod
	// Order is the order that it became; nil for none. Lapsed says that this was cancelled without
	// the payment that was to be made online.
	Order  xid.ID
	Lapsed bool

	tax   price.Tax
	store *db.Store
}

// Line is a number of equal goods.
type Line struct {
	Ware
	// Title is "" where the product has been deleted.
	Title string
	// Options are the texts of the variant, "" for none.
	Options string
	Handle  string
	Image   string // the address of the picture, "" for none
	// Upload is the uploaded picture that stands in its place; nil for none.
	Upload *db.ProductImage
	SKU    *string
	// Unit is the price of one, Was the one that the shopper saw last.
	Unit, Was int64
	Quantity  int64
	// Left is how many there are, where that is counted and fewer than are wanted.
	Left *int64
	// Gone says that it cannot be bought any more: it counts for nothing.
	Gone bool
	// Large says that it costs more than amounts can be, by itself or with the others: it counts for
	// nothing, and its quantity has to be lowered.
	Large   bool
	Amounts price.Amounts

	item *item
}

// Asks says that the shopper has to name their country: it decides the tax, and there is no
// address to tell it.
func (v *View) Asks() bool { return !v.Ships && len(v.tax.Rates) > 0 }

// placed reports whether it is known where the shopper is, as far as the tax depends on it.
func (v *View) placed() bool {
	p := v.place()
	return p.Country != "" && (p.Region != "" || !v.Regional(p.Country))
}

// Gone reports whether something of it cannot be bought any more.
func (v *View) Gone() bool { return slices.ContainsFunc(v.Lines, func(l *Line) bool { return l.Gone }) }

// Taxes reports whether the store taxes something somewhere.
func (v *View) Taxes() bool { return len(v.tax.Rates) > 0 }

// Refused says that the cart has a code with which it cannot be ordered, and costs as much as
// without it. A code whose terms the goods do not meet (yet) is none.
func (v *View) Refused() bool { return v.Code != "" && v.Discount == nil }

// Goods names what the cart holds: it differs when a line or a quantity does, at whatever price.
func (v *View) Goods() string {
	sum := fnv.New64a()
	for _, l := range v.Lines {
		_, _ = fmt.Fprintln(sum, l.Product, l.Variant, l.Quantity)
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// Next is the first step that lacks something: [StepReview] where nothing does.
func (v *View) Next() Step {
	blocked := func(l *Line) bool { return l.Gone || l.Large || l.Left != nil }
	switch {
	case len(v.Lines) == 0, slices.ContainsFunc(v.Lines, blocked):
		return StepGoods
	case v.Email == "", v.Asks() && !v.placed():
		return StepContact
	case v.Ships && v.Address == nil:
		return StepAddress
	case v.Ships && v.Rate == nil:
		return StepShipping
	case v.Method == nil:
		return StepPayment
	}
	return StepReview
}

// place is what decides the tax: where the goods go or, where nothing is sent, where the
// shopper is.
func (v *View) place() (p price.Place) {
	if a := v.Address; a != nil && (v.Ships || v.Country == "" || v.Country == a.Country) {
		p.Country = a.Country
		core.Opt(a.Region, func(s string) { p.Region = s })
	} else if !v.Ships {
		p.Country, p.Region = v.Country, v.Region
	}
	return p
}

// View shows the cart of a token; nil for none. Whoever holds the token of a cart that was
// ordered sees nothing but which order it became.
func (c *Carts) View(ctx context.Context, token string) (*View, error) {
	row, err := c.any(ctx, token)
	if err != nil || row == nil {
		return nil, core.Explain("cart", err)
	}
	if row.OrderID != nil {
		lapsed, err := c.sales.Lapsed(ctx, *row.OrderID)
		return &View{ID: row.ID, Order: *row.OrderID, Lapsed: lapsed}, core.Explain("cart", err)
	}
	v, err := c.view(ctx, row)
	if err == nil {
		err = c.depict(ctx, v.Lines)
	}
	return v, core.Explain("cart", err)
}

// view reads all that decides what a cart costs, and computes it.
func (c *Carts) view(ctx context.Context, row *db.Cart) (v *View, err error) {
	v = &View{ID: row.ID, Version: row.Version}
	core.Opt(row.Note, func(s string) { v.Note = s })
	core.Opt(row.Code, func(s string) { v.Code = s })
	core.Opt(row.Email, func(s string) { v.Email = s })
	core.Opt(row.Phone, func(s string) { v.Phone = s })
	core.Opt(row.Country, func(s string) { v.Country = s })
	core.Opt(row.Region, func(s string) { v.Region = s })
	if v.Address, err = row.Address.Fields(); err != nil {
		return nil, err
	}
	if v.store, err = c.CurrentStore(ctx); err != nil {
		return nil, err
	}
	v.Currency = v.store.Currency
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

// readMethods reads how the sum can be paid. Stripe does not take any sum of all currencies;
// where nothing is to be paid, the way does not matter. Nothing is paid on delivery where
// nothing is delivered.
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

// readLines reads the lines as they were added, with the goods as they are now.
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
	wares := make([]Ware, len(rows))
	for i, row := range rows {
		wares[i] = Ware{row.ProductID, row.VariantID}
	}
	items, titles, err := c.items(ctx, v.store, wares)
	if err != nil {
		return err
	}
	for i, row := range rows {
		v.Count += row.Quantity
		l := lineOf(wares[i], row, items[wares[i]])
		if l.Gone {
			l.Title = titles[l.Product]
		}
		v.Lines = append(v.Lines, l)
	}
	return nil
}

// depict gives lines the uploaded pictures of their goods: that of the variant, or the first
// of the product.
func (c *Carts) depict(ctx context.Context, lines []*Line) error {
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

// lineOf is a line with the goods as they are now; nil for none.
func lineOf(w Ware, row *db.CartLine, g *item) *Line {
	l := &Line{Ware: w, Quantity: row.Quantity, Unit: row.PriceMinor, Was: row.PriceMinor, Gone: g == nil, item: g}
	if g == nil {
		return l
	}
	l.Title, l.Handle, l.Unit, l.SKU = g.product.Title, g.product.Handle, g.variant.PriceMinor, g.variant.Sku
	core.Opt(g.product.ImageURL, func(s string) { l.Image = s })
	if g.product.Options != nil {
		l.Options = g.variant.Title
	}
	if left := g.variant.InventoryQuantity; left != nil && *left < l.Quantity {
		l.Left = left
	}
	return l
}

// compute fills in what the cart costs, and what its shipping may. Where that is more than amounts can
// be, the dearest lines are marked and left out.
func (c *Carts) compute(ctx context.Context, v *View, rateID *string) error {
	for {
		err := c.quote(ctx, v, rateID)
		var dearest *Line
		for _, l := range v.Lines {
			if !l.Gone && !l.Large && (dearest == nil || dearest.dearer() < l.dearer()) {
				dearest = l
			}
		}
		if dearest == nil || !fault.IsState(err, fault.AmountTooLarge) {
			return err
		}
		dearest.Large = true
	}
}

// dearer is about what the line costs, to be compared.
func (l *Line) dearer() float64 { return float64(l.Unit) * float64(l.Quantity) }

// quote computes the lines that count.
func (c *Carts) quote(ctx context.Context, v *View, rateID *string) error {
	b := selling.Basket{Discount: v.Discount, Rate: rateID}
	var counted []*Line
	for _, l := range v.Lines {
		if l.Gone || l.Large {
			continue
		}
		counted = append(counted, l)
		line := price.Line{UnitMinor: l.Unit, Quantity: l.Quantity, Product: l.Product,
			Digital: !l.item.product.RequiresShipping}
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
	v.tax, v.Rates, v.Rate = q.Tax, q.Offers, q.Chosen
	v.Sums, v.Tax, v.TaxIncluded, v.Discounted = q.Sums, q.Result.Rate, q.Tax.Included, q.Discounted
	for i, l := range counted {
		l.Amounts = q.Lines[i]
	}
	return nil
}

// weight is that of one piece; nil where nobody weighed it.
func (g *item) weight() *int64 { return g.variant.WeightGrams }

// Seen notes that the shopper was shown the prices of a view.
func (c *Carts) Seen(ctx context.Context, token string, v *View) error {
	changed := slices.ContainsFunc(v.Lines, func(l *Line) bool { return l.Unit != l.Was })
	if !changed {
		return nil
	}
	return c.must(ctx, token, func(ctx context.Context, row *db.Cart, _ *db.CartUpdate) error {
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
