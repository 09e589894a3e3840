package checkout

import (
	"net/http"
	"slices"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// step is a step of the checkout with its name.
type step struct {
	cart.Step
	label phrase.Key
}

// steps are in order; never changed.
var steps = []step{
	{cart.StepContact, phrase.StepContact}, {cart.StepAddress, phrase.StepAddress},
	{cart.StepShipping, phrase.StepShipping}, {cart.StepPayment, phrase.StepPayment},
	{cart.StepReview, phrase.StepReview},
}

// placeOf returns the position of a step; the cart's own step comes before all.
func placeOf(s cart.Step) int {
	return slices.IndexFunc(steps, func(one step) bool { return one.Step == s })
}

// pathOf returns the page of a step.
func pathOf(s cart.Step) string {
	if s == cart.StepCart {
		return cartPath
	}
	return checkoutPath + "/" + string(s)
}

// begin is GET /checkout: it redirects to the first incomplete step.
func (v *visit) begin() { v.at(cart.StepContact, func(c *cart.View) { to(v.w, pathOf(c.Next())) })() }

// at shows a step if all steps before it are complete, and otherwise redirects to the first
// incomplete one. If the cart was ordered, it redirects to the order.
func (v *visit) at(s cart.Step, show func(*cart.View)) func() {
	return func() {
		c, err := v.view()
		switch {
		case err != nil:
			v.failed(err)
		case c == nil:
			to(v.w, cartPath)
		case !c.Order.IsNil():
			to(v.w, v.orderPath(c.Order))
		case placeOf(c.Next()) < placeOf(s), !has(c, s):
			to(v.w, pathOf(c.Next()))
		default:
			show(c)
		}
	}
}

// has reports whether the checkout of a cart has a step: what is not shipped needs no address.
func has(c *cart.View, s cart.Step) bool {
	return c.Ships || s != cart.StepAddress && s != cart.StepShipping
}

// before returns the page of the previous step.
func before(c *cart.View, s cart.Step) string {
	for i := placeOf(s) - 1; i >= 0; i-- {
		if has(c, steps[i].Step) {
			return pathOf(steps[i].Step)
		}
	}
	return cartPath
}

// trail returns the steps as the page of one of them shows them.
func (v *visit) trail(c *cart.View, now cart.Step) []Step {
	var list []Step
	for i, s := range steps {
		if has(c, s.Step) {
			list = append(list, Step{Label: v.texts.Say(s.label), URL: pathOf(s.Step), Now: s.Step == now,
				Done: s.Step != now && i <= placeOf(c.Next())})
		}
	}
	return list
}

// done goes on after the form of a step: to the next incomplete step, or to the review.
func (v *visit) done(s cart.Step, err error, again func(*cart.View, map[string]string)) {
	switch wrong := v.wrongOf(err); {
	case wrong != nil:
		v.at(s, func(c *cart.View) { again(c, wrong) })()
	case noCart(err):
		to(v.w, cartPath)
	case err != nil:
		v.failed(err)
	default:
		v.keep(v.token())
		v.begin()
	}
}

// contact is GET /checkout/contact.
func (v *visit) contact(c *cart.View) {
	values := map[string]string{"email": c.Email, "phone": c.Phone, "country": c.Country, "region": c.Region,
		"vat_id": c.VATID}
	if c.Country == "" && c.Address != nil {
		values["country"] = c.Address.Country
	}
	v.contactForm(c, values, nil)
}

// contactForm also asks for the country if the tax depends on it and nothing else names it.
func (v *visit) contactForm(c *cart.View, values, wrong map[string]string) {
	form := contactFields
	if !c.Ships { // only carriers need a telephone number
		form = form[:1]
	}
	if c.AsksVATID() {
		form = append(slices.Clone(form), vatField)
	}
	if c.AsksCountry() {
		form = append(slices.Clone(form), countryField)
		if c.Regional(values[countryField.name]) {
			form = append(form, regionField)
		}
	}
	fields := fieldsOf(v.texts, form, values, wrong)
	v.chooseCountry(fields, country.Codes())
	if code := values[countryField.name]; code != "" {
		fields = v.countryForm(fields, c.Form(code), code)
	}
	v.formPage(c, cart.StepContact, fields, wrong)
}

// setContact is POST /checkout/contact.
func (v *visit) setContact() {
	values := v.values(append(slices.Clone(contactFields), vatField, countryField, regionField))
	v.done(cart.StepContact, v.Carts.SetContact(v.ctx, v.token(),
		cart.Contact{Email: values["email"], Phone: values["phone"], Country: values["country"],
			Region: values["region"], VATID: values["vat_id"]}),
		func(c *cart.View, wrong map[string]string) { v.contactForm(c, values, wrong) })
}

// values reads the fields of a step from the form.
func (v *visit) values(form []blank) map[string]string {
	values := map[string]string{}
	for _, b := range form {
		values[b.name] = v.value(b.name)
	}
	return values
}

// formPage shows a step with fields.
func (v *visit) formPage(c *cart.View, s cart.Step, fields []Field, wrong map[string]string) {
	status := http.StatusOK
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	page := FormPage{Frame: v.frame(steps[placeOf(s)].label), Steps: v.trail(c, s), Action: pathOf(s),
		Back: before(c, s), Fields: fields, Sums: v.sums(c)}
	page.Problem = v.refusal(c)
	v.show(v.w, v.r, status, page)
}

// address is GET /checkout/address.
func (v *visit) address(c *cart.View) {
	values := map[string]string{}
	if a := c.Address; a != nil {
		values = map[string]string{"country": a.Country, "name": text(a.Name), "company": text(a.Company),
			"line1": a.Line1, "line2": text(a.Line2), "city": a.City, "region": text(a.Region),
			"postal_code": text(a.PostalCode)}
	}
	v.addressForm(c, values, nil)
}

func (v *visit) addressForm(c *cart.View, values, wrong map[string]string) {
	fields := fieldsOf(v.texts, addressFields, values, wrong)
	codes, all, err := v.Core.Destinations(v.ctx)
	if err != nil {
		v.failed(err)
		return
	}
	if all || len(codes) == 0 {
		codes = country.Codes()
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return !country.Assigned(code) })
	v.chooseCountry(fields, codes)
	code := values[countryField.name]
	if code == "" && len(codes) == 1 {
		code = codes[0]
	}
	if code != "" {
		fields = v.countryForm(fields, c.Form(code), code)
	} else {
		unsure(fields)
	}
	v.formPage(c, cart.StepAddress, fields, wrong)
}

// setAddress is POST /checkout/address.
func (v *visit) setAddress() {
	values := v.values(addressFields)
	optional := func(name string) *string {
		if values[name] == "" {
			return nil
		}
		return new(values[name])
	}
	a := document.AddressFields{Name: optional("name"), Company: optional("company"), Line1: values["line1"],
		Line2: optional("line2"), City: values["city"], Region: optional("region"),
		PostalCode: optional("postal_code"), Country: values["country"]}
	v.done(cart.StepAddress, v.Carts.SetAddress(v.ctx, v.token(), a),
		func(c *cart.View, wrong map[string]string) { v.addressForm(c, values, wrong) })
}

// setShipping is POST /checkout/shipping.
func (v *visit) setShipping() {
	v.done(cart.StepShipping, v.Carts.SetRate(v.ctx, v.token(), v.value("rate")),
		func(c *cart.View, wrong map[string]string) { v.shippingForm(c, wrong["rate"]) })
}

// setPayment is POST /checkout/payment.
func (v *visit) setPayment() {
	v.done(cart.StepPayment, v.Carts.SetMethod(v.ctx, v.token(), state.PaymentMethod(v.value("payment"))),
		func(c *cart.View, wrong map[string]string) { v.paymentForm(c, wrong["payment"]) })
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
