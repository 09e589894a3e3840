package cart

import (
	"slices"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Form is what an address holds in a country beside a name, a street and a city.
type Form struct {
	country.Form
	// Regions are those that can be chosen; none where any text is taken.
	Regions []country.Region
}

// Form is what an address of the shopper holds. A region is needed where the tax depends on it,
// too: it can be one that ISO 3166-2 does not have.
func (v *View) Form(code string) Form { return formOf(code, v.tax) }

// Regional reports whether the tax of a country depends on the region; with "" that of any country.
func (v *View) Regional(code string) bool {
	return slices.ContainsFunc(v.tax.Rates, func(r price.TaxRate) bool {
		return r.Region != "" && (code == "" || r.Country == code)
	})
}

func formOf(code string, tax price.Tax) Form {
	f, named := Form{Form: country.FormOf(code)}, tax.Regions(code)
	if len(named) > 0 {
		f.Region = country.Required
	}
	if f.Region == country.Unused {
		return f
	}
	f.Regions = country.Regions(code, named...)
	for _, name := range named {
		if _, known := country.Find(code, name); !known {
			f.Regions = append(f.Regions, country.Region{Code: name, Name: name})
		}
	}
	return f
}

// region judges the region of an address and returns it as addresses name it. Where one is
// needed it is one of those that there are.
func (f Form) region(c *core.Check, code string, v *string) *string {
	text := part(c, "region", v, f.Region == country.Required, limit.Line)
	if text == nil {
		return nil
	}
	if r, known := country.Find(code, *text); known {
		return new(r.Spelled(*text))
	}
	key := country.Key(code, *text)
	own := slices.IndexFunc(f.Regions, func(r country.Region) bool { return country.Key(code, r.Code) == key })
	switch {
	case own >= 0:
		return &f.Regions[own].Name
	case f.Region == country.Required && len(f.Regions) > 0:
		c.Add("region", fault.UnknownValue, "There is no such region in the country.")
	}
	return text
}

// postal judges the postal code of an address and returns it as its country writes it.
func (f Form) postal(c *core.Check, code string, v *string) *string {
	text := part(c, "postal_code", v, f.PostalCode == country.Required, limit.PostalCode)
	if text == nil {
		return nil
	}
	written, ok := country.PostalCode(code, core.FoldDigits(*text))
	if !ok {
		c.Add("postal_code", fault.InvalidFormat, "This is not a postal code of the country.")
	}
	return &written
}
