package checkout

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// cart is GET /cart.
func (v *visit) cart() {
	if o := v.waiting(); o != nil {
		to(v.w, v.orderPath(o.ID))
		return
	}
	page, err := v.cartPage()
	if err != nil {
		v.failed(err)
		return
	}
	page.Added = v.r.URL.Query().Has("added") && len(page.Lines) > 0
	if v.r.URL.Query().Has("skipped") {
		page.Problem = v.texts.Say(phrase.SomeSkipped)
	}
	v.show(v.w, v.r, http.StatusOK, page)
}

// cartPage returns the page of the cart as it is now, and marks its prices as seen.
func (v *visit) cartPage() (CartPage, error) {
	page := CartPage{Frame: v.frame(phrase.Cart)}
	c, err := v.view()
	if err != nil || c == nil || !c.Order.IsNil() {
		return page, err
	}
	page.Note, page.Sums, page.Later = c.Note, v.sums(c), v.texts.Say(phrase.LaterSteps)
	if v.shop.Taxed && v.shop.TaxIncluded && c.Relief == nil {
		page.Later, page.LaterURL = v.shop.PriceNote(c.Ships), v.shop.Shipping
	}
	page.Code = Field{Name: "code", Label: v.texts.Say(phrase.Code), Type: "text", Value: c.Code,
		Hint: v.texts.Say(phrase.Optional), Autocomplete: "off", MaxLength: limit.Code}
	if c.Code != "" && !c.Discounted {
		page.Code.Error = v.texts.Say(phrase.CodeRefused)
	}
	for _, l := range c.Lines {
		page.Lines = append(page.Lines, v.cartLine(l, c.Currency))
	}
	return page, v.Carts.Seen(v.ctx, v.token(), c)
}

// cartLine returns a line with the notes that the shopper should see.
func (v *visit) cartLine(l *cart.Line, currency string) Line {
	line := Line{Product: xid.Product.Format(l.Product), Title: l.Title, Options: l.Options, Quantity: l.Quantity,
		Entered: strconv.FormatInt(l.Quantity, 10), Gone: l.Gone, Unit: v.texts.Money(l.UnitMinor(), currency)}
	if !l.Variant.IsNil() {
		line.Variant = xid.Variant.Format(l.Variant)
	}
	switch {
	case l.Gone:
	case l.Upload != nil:
		line.Image = images.Path(l.Upload, images.Widths(l.Upload.ContentType, l.Upload.Width)[0])
	case l.Image != "":
		line.Image = storefront.ExternalImagePath(l.Image, l.Handle)
	}
	if l.Gone {
		line.Title = cmp.Or(l.Title, v.texts.Say(phrase.Product))
		line.Notes = append(line.Notes, v.texts.Say(phrase.Gone))
		return line
	}
	if line.URL = storefront.ProductRoot + l.Handle; l.Large {
		line.Notes = append(line.Notes, v.texts.Say(phrase.LineTooLarge))
	} else {
		line.Total = v.texts.Money(l.UnitMinor()*l.Quantity, currency)
	}
	if l.Was != l.Unit {
		line.Notes = append(line.Notes, v.texts.Say(phrase.PriceChanged, v.texts.Money(l.Was, currency)))
	}
	switch {
	case l.Left != nil && *l.Left <= 0:
		line.Notes = append(line.Notes, v.texts.Say(phrase.SoldOut))
	case l.Left != nil:
		line.Notes = append(line.Notes, v.texts.Say(phrase.OnlyLeft, strconv.FormatInt(*l.Left, 10)))
	}
	return line
}

// refusal returns the text on a discount code that does not count, or "".
func (v *visit) refusal(c *cart.View) string {
	if !c.Refused() {
		return ""
	}
	return v.texts.Say(phrase.CodeTakenOff, c.Code)
}

// sums returns the sums of a cart as far as they are known.
func (v *visit) sums(c *cart.View) []Sum {
	list := []Sum{v.sum(phrase.Subtotal, c.Sums.SubtotalMinor, c.Currency)}
	if c.Sums.DiscountMinor > 0 {
		list = append(list, v.sum(phrase.Discount, -c.Sums.DiscountMinor, c.Currency))
	}
	taxes := sales.Shown(v.texts, c.Sums, c.Taxes, c.Relief)
	if c.Rate != nil {
		list = append(list, v.shippingSum(taxes.ShippingMinor, c.Currency))
	}
	return append(list, v.lastSums(taxes, c.Sums.TotalMinor, c.Currency)...)
}

// lastSums returns the added taxes, the total, and the taxes that it includes.
func (v *visit) lastSums(taxes sales.ShownTaxes, total int64, currency string) (list []Sum) {
	add := func(all []sales.ShownTax) {
		for _, t := range all {
			list = append(list, Sum{Label: t.Label, Amount: v.texts.Money(t.Minor, currency)})
		}
	}
	add(taxes.Added)
	last := v.sum(phrase.Total, total, currency)
	last.Last = true
	list = append(list, last)
	add(taxes.Included)
	return list
}

// shippingSum returns the cost of shipping.
func (v *visit) shippingSum(minor int64, currency string) Sum {
	if minor == 0 {
		return Sum{Label: v.texts.Say(phrase.Shipping), Amount: v.texts.Say(phrase.Free)}
	}
	return v.sum(phrase.Shipping, minor, currency)
}

func (v *visit) sum(label phrase.Key, minor int64, currency string) Sum {
	return Sum{Label: v.texts.Say(label), Amount: v.texts.Money(minor, currency)}
}

// add is POST /cart/add.
func (v *visit) add() {
	ref, ok := v.productRef()
	if !ok {
		v.missing()
		return
	}
	quantity, ok := v.quantity("1")
	switch {
	case !ok:
		v.cartAgain(http.StatusUnprocessableEntity, v.texts.Say(phrase.NotValid))
		return
	case quantity == 0:
		to(v.w, cartPath)
		return
	}
	token, err := v.Carts.Add(v.ctx, v.token(), ref, quantity)
	switch {
	case fault.IsState(err, fault.LimitReached):
		v.cartAgain(http.StatusConflict, v.texts.Say(phrase.CartFull))
	case v.wrongOf(err)["quantity"] != "":
		v.cartAgain(http.StatusUnprocessableEntity, v.wrongQuantity(limit.CartQuantity+1, true))
	case err != nil:
		v.failed(err)
	default:
		v.keep(token)
		to(v.w, cartPath+"?added")
	}
}

// productRef reads the product and variant of a form.
func (v *visit) productRef() (w cart.ProductRef, ok bool) {
	var err error
	if w.Product, err = xid.Product.Parse(v.value("product_id")); err != nil {
		return w, false
	}
	if text := v.value("variant_id"); text != "" {
		if w.Variant, err = xid.Variant.Parse(text); err != nil {
			return w, false
		}
	}
	return w, true
}

// quantity reads the quantity: a whole number from 0.
func (v *visit) quantity(absent string) (int64, bool) {
	return parseQuantity(v.value("quantity"), absent)
}

// parseQuantity reads a whole number from 0, in the digits of any script.
func parseQuantity(text, absent string) (int64, bool) {
	if text = core.FoldDigits(text); text == "" {
		text = absent
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return n, true
}

// code applies a discount code, or removes it with "", and reports whether it did; otherwise it has
// answered. Invalid codes are rate limited so that codes cannot be guessed.
func (v *visit) code(code string) bool {
	tried := v.guess()
	if code != "" {
		if d := v.guesses.take(tried); !d.OK {
			v.w.Header().Set("Retry-After", ratelimit.Seconds(d.RetryAfter))
			v.codeAgain(http.StatusTooManyRequests, code, phrase.CodesTried)
			return false
		}
	}
	err := v.Carts.SetCode(v.ctx, v.token(), code)
	if fault.IsState(err, fault.DiscountUnavailable) || v.wrongOf(err) != nil || code != "" && noCart(err) {
		v.codeAgain(http.StatusUnprocessableEntity, code, phrase.CodeRefused)
		return false
	}
	if code != "" {
		v.guesses.giveBack(tried)
	}
	return v.saved(err)
}

// codeAgain shows the cart with the error of a code.
func (v *visit) codeAgain(status int, code string, problem phrase.Key) {
	page, err := v.cartPage()
	if err != nil {
		v.failed(err)
		return
	}
	page.Code.Value, page.Code.Error = code, v.texts.Say(problem)
	v.show(v.w, v.r, status, page)
}

// cartAgain shows the cart with an error.
func (v *visit) cartAgain(status int, problem string) {
	page, err := v.cartPage()
	if err != nil {
		v.failed(err)
		return
	}
	page.Problem = problem
	v.show(v.w, v.r, status, page)
}
