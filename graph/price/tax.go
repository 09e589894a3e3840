package price

import "strings"

// Place is where goods go.
type Place struct {
	Country string // ISO 3166-1 alpha-2, upper case
	Region  string // as the address has it; small and capital letters are the same
}

// Tax is how a store taxes.
type Tax struct {
	// Included says that the store's prices include tax, those of shipping too.
	Included bool
	Rates    []TaxRate
}

// TaxRate is the tax of a country, or of one region of it. A region's stands in place of
// its country's.
type TaxRate struct {
	Country     string
	Region      string // "" for all regions that have no rate of their own
	Name        string // such as "VAT"
	BasisPoints int64
	// Shipping says that shipping is taxed too.
	Shipping bool
}

// At returns the rate of a place; nil where nothing is taxed.
func (t Tax) At(p Place) *TaxRate {
	var found *TaxRate
	for i := range t.Rates {
		r := &t.Rates[i]
		switch {
		case p.Country == "" || r.Country != p.Country:
		case r.Region == "" && found == nil:
			found = r
		case r.Region != "" && strings.EqualFold(r.Region, p.Region):
			return r
		}
	}
	return found
}

// on is the tax on an amount that is due, as one that is added or one that is included.
func (t Tax) on(due int64, r *TaxRate) (added, included int64) {
	if t.Included {
		return 0, halfUp(due, r.BasisPoints, Whole+r.BasisPoints)
	}
	return halfUp(due, r.BasisPoints, Whole), 0
}
