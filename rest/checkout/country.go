package checkout

import (
	"slices"

	"golang.org/x/text/collate"

	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// chooseCountry turns the country field, if there is one, into a choice of countries.
func (v *visit) chooseCountry(fields []Field, codes []string) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == countryField.name })
	if i < 0 {
		return
	}
	options := countriesOf(v.texts, codes)
	if len(options) > 1 {
		options = append([]Option{{"", v.texts.Say(phrase.Choose)}}, options...)
	}
	fields[i].Options = options
}

// countriesOf returns countries with their names in a language, sorted by its rules.
func countriesOf(t *phrase.Texts, codes []string) []Option {
	list := make([]Option, len(codes))
	for i, code := range codes {
		list[i] = Option{code, t.Country(code)}
	}
	return inOrder(t, list)
}

// inOrder sorts options by label, by the rules of the language.
func inOrder(t *phrase.Texts, list []Option) []Option {
	order := collate.New(t.Tag())
	slices.SortFunc(list, func(a, b Option) int { return order.CompareString(a.Label, b.Label) })
	return list
}

// unsure removes the "optional" hints of address fields that some countries require.
func unsure(fields []Field) {
	for i, f := range fields {
		if f.Name == "postal_code" || f.Name == regionField.name {
			fields[i].Hint = ""
		}
	}
}

// countryForm adapts address fields to a country: unused fields are removed, required ones marked,
// and its regions become a choice.
func (v *visit) countryForm(fields []Field, form cart.Form, code string) []Field {
	needs := map[string]country.Need{"postal_code": form.PostalCode, regionField.name: form.Region}
	fields = slices.DeleteFunc(fields, func(f Field) bool {
		need, depends := needs[f.Name]
		return depends && need == country.Unused
	})
	for i := range fields {
		f := &fields[i]
		need, depends := needs[f.Name]
		if f.Required = f.Required || depends && need == country.Required; f.Required {
			f.Hint = ""
		}
		if f.Name == regionField.name && len(form.Regions) > 0 {
			v.chooseRegion(f, form, code)
		}
	}
	return fields
}

// chooseRegion turns a field into a choice of the regions of a country, named in the language of
// the page. A value in another spelling is matched.
func (v *visit) chooseRegion(f *Field, form cart.Form, code string) {
	tag, said := v.texts.Tag().String(), country.Key(code, f.Value)
	f.Value = ""
	list := make([]Option, len(form.Regions))
	for i, r := range form.Regions {
		list[i] = Option{r.Written(tag), r.In(tag)}
		if country.Key(code, r.Code) == said {
			f.Value = list[i].Value
		}
	}
	if tag != "ja" { // prefectures keep their own order
		list = inOrder(v.texts, list)
	}
	none := ""
	if f.Required {
		none = v.texts.Say(phrase.Choose)
	}
	f.Options = append([]Option{{"", none}}, list...)
}
