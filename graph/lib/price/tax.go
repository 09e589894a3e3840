package price

import (
	"math"
	"slices"

	"github.com/storefront-go/storefront/graph/lib/country"
)

// Place is the destination.
type Place struct {
	Country string // ISO 3166-1 alpha-2, upper case
	Region  string // a code or a name in any spelling, as in the address
}

// Tax has the tax settings of a store.
type Tax struct {
	// Included says that the store's prices, also of shipping, include tax.
	Included bool
	Rates    []TaxRate
}

// TaxRate is the tax of a country or of one of its regions. A region's rate replaces its country's.
type TaxRate struct {
	Country     string
	Region      string // "" for all regions without a rate of their own
	Name        string // such as "VAT"
	BasisPoints int64
	// Shipping says that shipping is taxed too.
	Shipping bool
}

// At returns the rate of a place, nil if nothing is taxed there. A region's own rate takes
// precedence over that of the region that contains it, and that over the country's.
func (t Tax) At(p Place) *TaxRate {
	var found *TaxRate
	if p.Country == "" {
		return nil
	}
	lineage, nearest := country.Lineage(p.Country, p.Region), math.MaxInt
	for i := range t.Rates {
		r := &t.Rates[i]
		if r.Country != p.Country {
			continue
		}
		at := len(lineage) // the whole country
		if r.Region != "" {
			at = slices.Index(lineage, country.Key(r.Country, r.Region))
		}
		if at >= 0 && at < nearest {
			found, nearest = r, at
		}
	}
	return found
}

// Regions returns the regions of a country that rates name. If there are any, the tax depends on
// the region.
func (t Tax) Regions(country string) []string {
	var list []string
	for _, r := range t.Rates {
		if r.Country == country && r.Region != "" {
			list = append(list, r.Region)
		}
	}
	return list
}

// on returns the tax on an amount, either added or included.
func (t Tax) on(due int64, r *TaxRate) (added, included int64) {
	if t.Included {
		return 0, halfUp(due, r.BasisPoints, Whole+r.BasisPoints)
	}
	return halfUp(due, r.BasisPoints, Whole), 0
}
