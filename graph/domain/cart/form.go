package cart

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Form describes the members of an address in a country besides name, street and city.
type Form struct {
	country.Form
	// Regions are the regions to choose from; empty if any text is accepted.
	Regions []country.Region
}

// Form returns the address form of a country. A region is also required if the tax depends on it,
// which may be one that ISO 3166-2 does not have.
func (v *View) Form(code string) Form { return formOf(code, v.tax) }

// FormOf is [View.Form] without a cart.
func (c *Carts) FormOf(ctx context.Context, code string) (Form, error) {
	tax, err := c.selling.CartTax(ctx)
	return formOf(code, tax), err
}

// CheckAddress checks and normalizes an address that a shopper saves.
func (c *Carts) CheckAddress(ctx context.Context, a *document.AddressFields) error {
	tax, err := c.selling.CartTax(ctx)
	if err != nil {
		return err
	}
	check := &core.Check{}
	(&View{tax: tax}).checkAddress(check, "", a)
	return check.Err()
}

// Regional reports whether the tax of a country, or with "" of any country, depends on the region.
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

// region checks the region of an address and returns its stored form. A required region must be one
// of Regions if there are any.
func (f Form) region(c *core.Check, name, code string, v *string) *string {
	text := part(c, name, v, f.Region == country.Required, limit.Line)
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
		c.Add(name, fault.UnknownValue, "This is not a region of the country.")
	}
	return text
}

// postal checks the postal code of an address and returns it in the country's format.
func (f Form) postal(c *core.Check, name, code string, v *string) *string {
	text := part(c, name, v, f.PostalCode == country.Required, limit.PostalCode)
	if text == nil {
		return nil
	}
	written, ok := country.PostalCode(code, core.FoldDigits(*text))
	if !ok {
		c.Add(name, fault.InvalidFormat, "This is not a valid postal code of the country.")
	}
	return &written
}
