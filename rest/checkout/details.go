package checkout

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// The names of fields of the details besides those of addresses. A billing address has the names of
// addressFields after billingPrefix, in the order of [cart.Carts.SetDetails].
const (
	billingBox    = "billing"
	billingPrefix = "billing_"
	giftName      = "gift"
	remindBox     = "remind"
	showButton    = "show"
)

// details is GET /checkout/details.
func (v *visit) details(c *cart.View) {
	values := map[string]string{"email": c.Email, "phone": c.Phone, "country": c.Country, "region": c.Region,
		"vat_id": c.VATID, giftName: c.Gift}
	if c.Email == "" {
		v.propose(values, c.Ships)
	}
	if c.Remind {
		values[remindBox] = "1"
	}
	setAddress(values, "", c.Address)
	if c.Billing != nil {
		values[billingBox] = "1"
		setAddress(values, billingPrefix, c.Billing)
	}
	v.detailsPage(c, values, nil, http.StatusOK)
}

// setAddress sets the values of an address; nil leaves them.
func setAddress(values map[string]string, under string, a *document.AddressFields) {
	if a == nil {
		return
	}
	for name, value := range map[string]string{"country": a.Country, "name": text(a.Name), "company": text(a.Company),
		"line1": a.Line1, "line2": text(a.Line2), "city": a.City, "region": text(a.Region),
		"postal_code": text(a.PostalCode)} {
		values[under+name] = value
	}
}

// detailsPage shows the details with what was typed and the errors.
func (v *visit) detailsPage(c *cart.View, values, wrong map[string]string, status int) {
	page := DetailsPage{StepPage: v.stepPage(c, cart.StepDetails)}
	contact := contactFields
	if !c.Ships { // only carriers need a telephone number
		contact = contact[:1]
	}
	if c.AsksVATID() {
		contact = append(slices.Clone(contact), vatField)
	}
	switch {
	case c.Ships:
		codes, all, err := v.Core.Destinations(v.ctx)
		if err != nil {
			v.failed(err)
			return
		}
		if all || len(codes) == 0 {
			codes = country.Codes()
		}
		v.preselect(c, values, codes)
		page.Groups = append(page.Groups, FieldGroup{Title: v.texts.Say(phrase.StepAddress),
			Fields: v.addressForm(addressFields, "", codes, c.Form, values, wrong)})
	case c.AsksCountry():
		place := []blank{countryField}
		if c.Regional(values[countryField.name]) {
			place = append(place, regionField)
		}
		page.Groups = append(page.Groups, FieldGroup{Title: v.texts.Say(phrase.StepAddress),
			Fields: v.addressForm(place, "", country.Codes(), c.Form, values, wrong)})
	}
	first := FieldGroup{Title: v.texts.Say(phrase.StepContact), Fields: fieldsOf(v.texts, contact, values, wrong)}
	if c.Reminds {
		first.Fields = append(first.Fields, Field{Name: remindBox, Label: v.texts.Say(phrase.RemindMe), Type: "box",
			Value: values[remindBox]})
	}
	page.Groups = slices.Insert(page.Groups, 0, first)
	if c.Extended {
		page.Groups = append(page.Groups, v.extras(c, values, wrong)...)
	}
	v.show(v.w, v.r, status, page)
}

// extras returns the fields of a billing address, and of a gift if something is shipped.
func (v *visit) extras(c *cart.View, values, wrong map[string]string) []FieldGroup {
	if values[billingPrefix+countryField.name] == "" {
		values[billingPrefix+countryField.name] = values[countryField.name]
	}
	form := slices.Clone(addressFields)
	for i := range form {
		form[i].name, form[i].fill = billingPrefix+form[i].name, strings.Replace(form[i].fill, "shipping", "billing", 1)
	}
	bill := FieldGroup{Title: v.texts.Say(phrase.BillingAddress), Asks: v.texts.Say(phrase.BillHere),
		Open: values[billingBox] != "", Fields: v.addressForm(form, billingPrefix, country.Codes(),
			func(code string) cart.Form {
				return cart.Form{Form: country.FormOf(code), Regions: country.Regions(code)}
			}, values, wrong)}
	if !c.Ships {
		return []FieldGroup{bill}
	}
	bill.Asks = v.texts.Say(phrase.BillElsewhere)
	return []FieldGroup{bill, {Fields: fieldsOf(v.texts, []blank{giftField}, values, wrong)}}
}

// preselect chooses a country for a shopper who has chosen none: the only one, the store's own, or that
// of the browser.
func (v *visit) preselect(c *cart.View, values map[string]string, codes []string) {
	if values[countryField.name] != "" {
		return
	}
	tags, _, _ := language.ParseAcceptLanguage(v.r.Header.Get("Accept-Language"))
	guesses := []string{c.Home()}
	if len(codes) == 1 {
		guesses = codes
	}
	for _, t := range tags {
		if region, sure := t.Region(); sure == language.Exact {
			guesses = append(guesses, region.String())
		}
	}
	for _, code := range guesses {
		if slices.Contains(codes, code) {
			values[countryField.name] = code
			return
		}
	}
}

// addressForm returns the fields of an address, in the form of its country.
func (v *visit) addressForm(form []blank, under string, codes []string, of func(code string) cart.Form,
	values, wrong map[string]string,
) []Field {
	fields := fieldsOf(v.texts, form, values, wrong)
	codes = slices.DeleteFunc(codes, func(code string) bool { return !country.Assigned(code) })
	v.chooseCountry(fields, under, codes)
	code := values[under+countryField.name]
	if code == "" {
		unsure(fields, under)
		return fields
	}
	return v.countryForm(fields, under, of(code), code)
}

// setDetails is POST /checkout/details. The button of a country only shows its fields.
func (v *visit) setDetails() {
	values := map[string]string{}
	for name := range v.form {
		values[name] = v.value(name)
	}
	if values[showButton] != "" {
		v.at(cart.StepDetails, func(c *cart.View) { v.detailsPage(c, values, nil, http.StatusOK) })()
		return
	}
	by := cart.Contact{Email: values["email"], Phone: values["phone"], Country: values["country"],
		Region: values["region"], VATID: values["vat_id"], Gift: values[giftName],
		Remind: values[remindBox] != ""}
	if values[billingBox] != "" {
		by.Billing = addressOf(values, billingPrefix)
	}
	var to *document.AddressFields
	if v.form.Has("line1") {
		to = addressOf(values, "")
	}
	err := v.Carts.SetDetails(v.ctx, v.token(), &by, to)
	v.done(cart.StepDetails, err, func(c *cart.View, wrong map[string]string) {
		v.detailsPage(c, values, wrong, http.StatusUnprocessableEntity)
	})
}

// addressOf returns the address in the fields of a form.
func addressOf(values map[string]string, under string) *document.AddressFields {
	optional := func(name string) *string {
		if values[under+name] == "" {
			return nil
		}
		return new(values[under+name])
	}
	return &document.AddressFields{Name: optional("name"), Company: optional("company"), Line1: values[under+"line1"],
		Line2: optional("line2"), City: values[under+"city"], Region: optional("region"),
		PostalCode: optional("postal_code"), Country: values[under+"country"]}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
