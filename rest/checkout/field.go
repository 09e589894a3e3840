package checkout

import (
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Maximum lengths of the fields in UTF-16 units, as browsers count.
const (
	maxEmail  = 254
	maxPhone  = 64
	maxLine   = 255
	maxPostal = 32
	maxVATID  = 32 // with separators
)

// blank is an empty field of the checkout.
type blank struct {
	name     string
	label    phrase.Key
	kind     string
	fill     string // the autocomplete token
	most     int
	required bool
}

// contactFields and addressFields are the forms; never changed. The contact form also has vatField if
// companies may pay no tax. If nothing is shipped and the tax depends on it, countryField and regionField
// stand for the address.
var (
	countryField = blank{"country", phrase.Country, "", "country", 0, true}
	vatField     = blank{"vat_id", phrase.VATID, "text", "off", maxVATID, false}
	regionField  = blank{"region", phrase.Region, "text", "address-level1", maxLine, false}
	giftField    = blank{"gift", phrase.GiftMessage, "long", "off", limit.GiftMessage, false}

	contactFields = []blank{
		{"email", phrase.Email, "email", "email", maxEmail, true},
		{"phone", phrase.Phone, "tel", "tel", maxPhone, false},
	}
	addressFields = []blank{
		{"country", phrase.Country, "", "shipping country", 0, true},
		{"name", phrase.Name, "text", "shipping name", maxLine, true},
		{"company", phrase.Company, "text", "shipping organization", maxLine, false},
		{"line1", phrase.Line1, "text", "shipping address-line1", maxLine, true},
		{"line2", phrase.Line2, "text", "shipping address-line2", maxLine, false},
		{"postal_code", phrase.PostalCode, "text", "shipping postal-code", maxPostal, false},
		{"city", phrase.City, "text", "shipping address-level2", maxLine, true},
		{"region", phrase.Region, "text", "shipping address-level1", maxLine, false},
	}
)

// fieldsOf returns a form with the shopper's values and the errors.
func fieldsOf(t *phrase.Texts, form []blank, values, wrong map[string]string) []Field {
	list := make([]Field, len(form))
	for i, b := range form {
		list[i] = Field{Name: b.name, Label: t.Say(b.label), Type: b.kind, Autocomplete: b.fill, MaxLength: b.most,
			Required: b.required, Value: values[b.name], Error: wrong[b.name]}
		if !b.required {
			list[i].Hint = t.Say(phrase.Optional)
		}
	}
	return list
}
