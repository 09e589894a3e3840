package checkout

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Field names of the cart form begin with these prefixes, followed by the key of the line. The form
// also sends the values it showed, so that it saves only what the shopper changed: another tab may
// have changed the rest.
const (
	quantityField = "quantity."
	shownField    = "shown."
)

// Key identifies a line in the cart form.
func (l Line) Key() string { return l.Product + "." + l.Variant }

// parseKey parses the key of a line.
func parseKey(key string) (w cart.ProductRef, ok bool) {
	product, variant, _ := strings.Cut(key, ".")
	var err error
	if w.Product, err = xid.Product.Parse(product); err != nil {
		return w, false
	}
	if variant != "" {
		w.Variant, err = xid.Variant.Parse(variant)
	}
	return w, err == nil
}

// edit is POST /cart, the cart form: it saves all changes, whichever button was pressed, and goes
// on to the checkout if that was "Check out".
func (v *visit) edit() {
	in, wrong := v.typed()
	if wrong != nil {
		v.typedAgain(wrong)
		return
	}
	code := ""
	if in.Note != nil || len(in.Lines) > 0 {
		var err error
		if code, err = v.Carts.Save(v.ctx, v.token(), in); !v.saved(err) {
			return
		}
	}
	if entered := v.value("code"); v.form.Has("code") && !strings.EqualFold(entered, code) && !v.code(entered) {
		return
	}
	if v.keep(v.token()); v.form.Has("checkout") {
		to(v.w, checkoutPath)
		return
	}
	to(v.w, cartPath)
}

// typed reads the quantities and the note of the form. wrong holds the errors of quantities by the
// key of the line.
func (v *visit) typed() (in cart.Edit, wrong map[string]string) {
	if v.form.Has("note") {
		in.Note = new(v.value("note"))
	}
	for name := range v.form {
		key, ok := strings.CutPrefix(name, quantityField)
		ref, known := parseKey(key)
		if !ok || !known || v.value(name) == v.value(shownField+key) {
			continue
		}
		n, valid := parseQuantity(v.value(name), "")
		if problem := v.wrongQuantity(n, valid); problem != "" {
			if wrong == nil {
				wrong = map[string]string{}
			}
			wrong[key] = problem
			continue
		}
		in.Lines = append(in.Lines, cart.Amount{ProductRef: ref, Quantity: n})
	}
	if ref, ok := parseKey(v.value("remove")); ok {
		in.Lines = append(in.Lines, cart.Amount{ProductRef: ref})
	}
	return in, wrong
}

// wrongQuantity returns the error of a quantity, or "".
func (v *visit) wrongQuantity(n int64, valid bool) string {
	switch {
	case !valid:
		return v.texts.Say(phrase.NotValid)
	case n > limit.CartQuantity:
		return v.texts.Say(phrase.QuantityMost, strconv.Itoa(limit.CartQuantity))
	}
	return ""
}

// typedAgain shows the cart with the input of a form that was not saved.
func (v *visit) typedAgain(wrong map[string]string) {
	page, err := v.cartPage()
	if err != nil {
		v.failed(err)
		return
	}
	for i := range page.Lines {
		l := &page.Lines[i]
		if name := quantityField + l.Key(); v.form.Has(name) {
			l.Entered, l.Error = v.value(name), wrong[l.Key()]
		}
	}
	if v.form.Has("note") {
		page.Note = v.value("note")
	}
	if v.form.Has("code") {
		page.Code.Value = v.value("code")
	}
	for _, problem := range wrong {
		page.Problem = problem
	}
	v.show(v.w, v.r, http.StatusUnprocessableEntity, page)
}

// line is POST /cart/line: it changes one line, for pages with one form per line.
func (v *visit) line() {
	ref, ok := v.productRef()
	if !ok {
		v.missing()
		return
	}
	quantity, ok := v.quantity("")
	if v.form.Has("remove") {
		quantity, ok = 0, true
	}
	if problem := v.wrongQuantity(quantity, ok); problem != "" {
		v.cartAgain(http.StatusUnprocessableEntity, problem)
		return
	}
	if v.saved(v.Carts.SetLine(v.ctx, v.token(), ref, quantity)) {
		v.keep(v.token())
		to(v.w, cartPath)
	}
}

// saved reports whether a change of the cart succeeded; otherwise it has answered.
func (v *visit) saved(err error) bool {
	switch {
	case err == nil:
		return true
	case noCart(err):
		to(v.w, cartPath)
	case v.wrongOf(err) != nil: // the note is too long
		v.typedAgain(map[string]string{"": v.texts.Say(phrase.NotValid)})
	default:
		v.failed(err)
	}
	return false
}
