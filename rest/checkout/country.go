package checkout

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"

	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// chooseCountry turns the country field into a choice of countries, with a button that shows the fields of
// the chosen one.
func (v *visit) chooseCountry(fields []Field, under string, codes []string) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == under+countryField.name })
	options := countriesOf(v.texts, codes)
	if len(options) > 1 {
		options = append([]Option{{"", v.texts.Say(phrase.Choose)}}, options...)
		fields[i].Shows = v.texts.Say(phrase.CountryFields)
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
func unsure(fields []Field, under string) {
	for i, f := range fields {
		if f.Name == under+"postal_code" || f.Name == under+regionField.name {
			fields[i].Hint = ""
		}
	}
}

// The names of parts of addresses, by those of [country.Layout].
var (
	postalNames = map[string]phrase.Key{"zip": phrase.ZipCode, "pin": phrase.PinCode, "eircode": phrase.Eircode}
	cityNames   = map[string]phrase.Key{"post_town": phrase.PostTown, "suburb": phrase.Suburb,
		"district": phrase.District}
	regionNames = map[string]phrase.Key{"state": phrase.State, "province": phrase.Province, "do_si": phrase.Province,
		"county": phrase.County, "prefecture": phrase.Prefecture, "department": phrase.Department,
		"emirate": phrase.Emirate, "island": phrase.Island, "parish": phrase.Parish, "district": phrase.District}
)

// countryForm adapts address fields to a country: their order and names, unused fields are removed, required
// ones marked, and its regions become a choice.
func (v *visit) countryForm(fields []Field, under string, form cart.Form, code string) []Field {
	layout := country.LayoutOf(code)
	parts := map[string]struct {
		letter string
		need   country.Need
		named  phrase.Key
	}{
		"line1": {letter: "A"}, "line2": {letter: "A"},
		"city":           {letter: "C", named: cityNames[layout.City]},
		"postal_code":    {"Z", form.PostalCode, postalNames[layout.PostalCode]},
		regionField.name: {"S", form.Region, regionNames[layout.Region]},
	}
	of := func(f Field) string { return strings.TrimPrefix(f.Name, under) }
	fields = slices.DeleteFunc(fields, func(f Field) bool {
		p := parts[of(f)]
		return (p.letter == "Z" || p.letter == "S") && p.need == country.Unused
	})
	slices.SortStableFunc(fields, func(a, b Field) int {
		return cmp.Compare(strings.Index(layout.Order, parts[of(a)].letter)+len(parts[of(a)].letter),
			strings.Index(layout.Order, parts[of(b)].letter)+len(parts[of(b)].letter))
	})
	for i := range fields {
		f := &fields[i]
		p := parts[of(*f)]
		if f.Required = f.Required || p.need == country.Required; f.Required {
			f.Hint = ""
		}
		if p.named != "" {
			f.Label = v.texts.Say(p.named)
		}
		if p.letter == "S" && len(form.Regions) > 0 {
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
