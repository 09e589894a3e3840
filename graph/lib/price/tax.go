package price

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/country"
)

// Million is 100 % of a tax rate: rates are parts per million, which is four decimals of a percent.
const Million = 1_000_000

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
	// Shipping is the tax category of shipping.
	Shipping string
	// Seller is the country of the store's VAT id if it supplies companies in other countries of the
	// European Union without tax, else "".
	Seller string
	// Relieved says that the buyer pays no tax, also none that the prices include.
	Relieved bool
}

// TaxRate is one tax of a country or of one of its regions, for one category.
type TaxRate struct {
	Country string
	Region  string // "" for the whole country
	Name    string // such as "VAT"; rates of one tax for several categories share it
	// PerMillion is the rate: 88,750 for 8.875 %.
	PerMillion int64
	Category   string
	// Relation says how the tax relates to those of the larger area and to earlier ones.
	Relation state.TaxRelation
	// Shipping says that shipping is taxed too.
	Shipping bool
}

// TaxAmount is what one tax takes of an amount.
type TaxAmount struct {
	Name       string
	PerMillion int64
	// BaseMinor is the taxed amount, without this tax.
	BaseMinor   int64
	AmountMinor int64
}

// TaxSum is what one tax takes of the lines and of shipping.
type TaxSum struct {
	TaxAmount
	Parts []TaxPart
}

// TaxPart is a part of a tax.
type TaxPart struct {
	Line                   int // index of the line, or [Shipped]
	BaseMinor, AmountMinor int64
}

// Shipped is the line of the part that shipping has in a tax.
const Shipped = -1

// At returns the taxes of a category in a place, in the order in which they are computed: those of
// the country first. A tax that replaces ends the walk from the region to the country.
func (t Tax) At(p Place, category string) []TaxRate {
	if p.Country == "" || category == state.TaxExempt {
		return nil
	}
	category = cmp.Or(category, state.TaxStandard)
	var found []TaxRate
	lineage := country.Lineage(p.Country, p.Region)
	for level := 0; level <= len(lineage); level++ {
		here := t.rates(p.Country, lineage, level, category)
		found = slices.Concat(here, found)
		if slices.ContainsFunc(here, func(r TaxRate) bool { return !r.adds() }) {
			break
		}
	}
	return found
}

// in returns the taxes of a place by category, each category looked up once.
func (t Tax) in(p Place) func(category string) []TaxRate {
	known := map[string][]TaxRate{}
	return func(category string) []TaxRate {
		rates, found := known[category]
		if !found {
			rates = t.At(p, category)
			known[category] = rates
		}
		return rates
	}
}

// onShipping returns the taxes of shipping in a place.
func (t Tax) onShipping(p Place) []TaxRate {
	return slices.DeleteFunc(t.At(p, t.Shipping), func(r TaxRate) bool { return !r.Shipping })
}

// relieved returns the cart of a buyer who pays no tax: without rates, and at prices without the tax
// that they include.
func (c Cart) relieved() Cart {
	if c.Tax.Included {
		net := func(minor int64, rates []TaxRate) int64 {
			_, sum, _ := c.Tax.on(minor, rates) // no sum exceeds an amount that includes it
			return minor - sum
		}
		c.Lines = slices.Clone(c.Lines)
		at := c.Tax.in(c.To)
		for i := range c.Lines {
			l := &c.Lines[i]
			l.UnitMinor = net(l.UnitMinor, at(l.Category))
		}
		if c.Shipping != nil {
			rate := *c.Shipping
			rate.PriceMinor = net(rate.PriceMinor, c.Tax.onShipping(c.To))
			c.Shipping = &rate
		}
	}
	c.Tax.Rates = nil
	return c
}

// adds reports whether the taxes of the larger area apply as well.
func (r TaxRate) adds() bool { return r.Relation == state.TaxBeside || r.Relation == state.TaxUpon }

// rates returns the taxes of one area: of a region of the lineage or, behind the last, of the
// country. Each tax has the rate of the category or else of [state.TaxStandard].
func (t Tax) rates(code string, lineage []string, level int, category string) []TaxRate {
	var list []TaxRate
	for _, r := range t.Rates {
		own := cmp.Or(r.Category, state.TaxStandard) == category
		if r.Country != code || !own && cmp.Or(r.Category, state.TaxStandard) != state.TaxStandard {
			continue
		}
		at := len(lineage)
		if r.Region != "" {
			at = slices.Index(lineage, country.Key(code, r.Region))
		}
		if at != level {
			continue
		}
		if category == state.TaxZero && !own {
			r.PerMillion = 0
		}
		same := slices.IndexFunc(list, func(o TaxRate) bool { return o.Name == r.Name })
		switch {
		case same < 0:
			list = append(list, r)
		case own:
			list[same] = r
		}
	}
	return list
}

// Regions returns the regions of a country that rates name, each once. If there are any, the tax
// depends on the region.
func (t Tax) Regions(country string) []string {
	var list []string
	for _, r := range t.Rates {
		if r.Country == country && r.Region != "" && !slices.Contains(list, r.Region) {
			list = append(list, r.Region)
		}
	}
	return list
}

// on returns what taxes take of an amount, which includes them if the store's prices do. Each tax
// is rounded half up by itself. It fails if a sum exceeds the largest amount.
func (t Tax) on(due int64, rates []TaxRate) (list []TaxAmount, sum int64, ok bool) {
	if len(rates) == 0 {
		return nil, 0, true
	}
	list = make([]TaxAmount, len(rates))
	net := due
	if t.Included {
		sum = within(due, rates, list)
		net -= sum
	}
	earlier := int64(0)
	for i, r := range rates {
		a := &list[i]
		a.Name, a.PerMillion, a.BaseMinor = r.Name, r.PerMillion, net
		if r.Relation == state.TaxUpon {
			if a.BaseMinor, ok = currency.Add(net, earlier); !ok {
				return nil, 0, false
			}
		}
		if !t.Included {
			a.AmountMinor = halfUp(a.BaseMinor, r.PerMillion, Million)
		}
		if earlier, ok = currency.Add(earlier, a.AmountMinor); !ok {
			return nil, 0, false
		}
	}
	return list, earlier, true
}

// within sets the taxes that an amount includes, and returns their sum. Of an amount without tax,
// each tax is a fixed share: its rate or, upon others, its rate of one and their shares. Rounded up,
// many high taxes could exceed the amount; the last ones then get what is left.
func within(due int64, rates []TaxRate, list []TaxAmount) (sum int64) {
	if len(rates) == 1 {
		list[0].AmountMinor = halfUp(due, rates[0].PerMillion, Million+rates[0].PerMillion)
		return list[0].AmountMinor
	}
	shares, whole := make([]*big.Rat, len(rates)), big.NewRat(1, 1)
	for i, r := range rates {
		shares[i] = big.NewRat(r.PerMillion, Million)
		if r.Relation == state.TaxUpon {
			shares[i].Mul(shares[i], whole)
		}
		whole.Add(whole, shares[i])
	}
	half := big.NewRat(1, 2)
	for i, s := range shares {
		s.Mul(s, new(big.Rat).SetInt64(due)).Quo(s, whole).Add(s, half)
		list[i].AmountMinor = min(new(big.Int).Quo(s.Num(), s.Denom()).Int64(), due-sum)
		sum += list[i].AmountMinor
	}
	return sum
}
