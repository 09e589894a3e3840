package paper

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/storefront-go/storefront/ent/document"
)

const (
	// mostRoundedOff bounds by how many minor units the tax of an item may differ from its rate. Other
	// systems round the tax of a line, or of each of its units.
	mostRoundedOff = 20
	// groupRoundedOff bounds it for a group. EN 16931 allows 100 (BR-CO-17).
	groupRoundedOff = 50
	rateDecimals    = 12
)

// nameRates sets the rates of taxed items whose order has only the sums of their taxes. Items share a rate
// that explains their taxes. The largest items come first, because rounding hides their rates least.
func nameRates(items []item) {
	by, found := make([]*item, len(items)), []string(nil)
	for i := range items {
		by[i] = &items[i]
	}
	slices.SortStableFunc(by, func(a, b *item) int { return cmp.Compare(b.gross, a.gross) })
	for _, it := range by {
		if it.tax <= 0 {
			continue
		}
		net, least := it.gross-it.tax, rational(min(1+(it.quantity+1)/2, mostRoundedOff))
		most := least
		for _, rate := range found {
			if off := roundedOff(rate, net, it.tax); off.Cmp(least) <= 0 {
				it.rate, least = rate, off
			}
		}
		if it.rate == "" {
			it.rate = shortestRate(net, it.tax, most)
			found = append(found, it.rate)
		}
	}
}

// exactRates replaces the rates of groups whose items were rounded too often in the same direction.
func exactRates(groups []document.TaxGroup) {
	for i := range groups {
		g := &groups[i]
		if len(g.Taxes) > 0 && roundedOff(g.Rate, g.NetMinor, g.TaxMinor).Cmp(rational(groupRoundedOff)) > 0 {
			g.Rate = shortestRate(g.NetMinor, g.TaxMinor, rational(1))
			g.Taxes[0].Rate = g.Rate
		}
	}
}

// shortestRate returns the rate in percent with the fewest decimals that explains a tax, except for off
// minor units.
func shortestRate(net, tax int64, off *big.Rat) string {
	exact := new(big.Rat).Quo(rational(tax), rational(max(net, 1)))
	exact.Mul(exact, rational(100))
	for places := range rateDecimals {
		rate := trim(exact.FloatString(places))
		if rate != "0" && roundedOff(rate, net, tax).Cmp(off) <= 0 {
			return rate
		}
	}
	return trim(exact.FloatString(rateDecimals))
}

// roundedOff returns by how many minor units a tax differs from its rate.
func roundedOff(rate string, net, tax int64) *big.Rat {
	r, _ := new(big.Rat).SetString(rate)
	r.Quo(r.Mul(r, rational(net)), rational(100))
	return r.Abs(r.Sub(r, rational(tax)))
}

func rational(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
