package checkout

import (
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// chooseCountry lets the field of the country, where there is one, be one of countries.
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

// countriesOf are countries by their names in a language, in its order.
func countriesOf(t *phrase.Texts, codes []string) []Option {
	list := make([]Option, len(codes))
	for i, code := range codes {
		list[i] = Option{code, countryName(t, code)}
	}
	return inOrder(t, list)
}

// inOrder sorts options by their labels in the order of a language.
func inOrder(t *phrase.Texts, list []Option) []Option {
	order := collate.New(t.Tag())
	slices.SortFunc(list, func(a, b Option) int { return order.CompareString(a.Label, b.Label) })
	return list
}

// countryName is the name of a country in a language; its code where it has none.
func countryName(t *phrase.Texts, code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	if name := display.Regions(t.Tag()).Name(region); name != "" {
		return name
	}
	return code
}

// unsure takes the hints from the parts of an address of which it depends on the country whether they
// are needed.
func unsure(fields []Field) {
	for i, f := range fields {
		if f.Name == "postal_code" || f.Name == regionField.name {
			fields[i].Hint = ""
		}
	}
}

// countryForm makes of the fields of an address those of a country: what it does not use goes, what
// it needs is required, and its regions are chosen.
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

// chooseRegion lets a field be one of the regions of a country, by their names in the language of
// the page. What was said before in another spelling is chosen.
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
	if tag != "ja" { // prefectures have an order of their own
		list = inOrder(v.texts, list)
	}
	none := ""
	if f.Required {
		none = v.texts.Say(phrase.Choose)
	}
	f.Options = append([]Option{{"", none}}, list...)
}
