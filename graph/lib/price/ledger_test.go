package price_test

import (
	"math/big"
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// ledger computes a cart a second time, in fractions of the currency's major unit.
type ledger struct {
	unit *big.Rat // one minor unit
	cart price.Cart
	most *big.Rat
	// large says that an amount is above the limit.
	large bool
}

func newLedger(c price.Cart, digits int) *ledger {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	l := &ledger{unit: new(big.Rat).SetFrac(big.NewInt(1), ten), cart: c}
	l.most = l.major(currency.MaxMinor)
	return l
}

func (l *ledger) major(minor int64) *big.Rat { return mul(new(big.Rat).SetInt64(minor), l.unit) }

func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func sum(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func div(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// units returns the whole minor units of an amount, and the rest.
func (l *ledger) units(x *big.Rat) (*big.Int, *big.Rat) {
	q := div(x, l.unit)
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	return whole, sub(q, new(big.Rat).SetInt(whole))
}

// round rounds half up to the minor unit.
func (l *ledger) round(x *big.Rat) *big.Rat {
	whole, _ := l.units(sum(x, mul(l.unit, big.NewRat(1, 2))))
	return mul(new(big.Rat).SetInt(whole), l.unit)
}

// sees records whether an amount is above the limit.
func (l *ledger) sees(x *big.Rat) *big.Rat {
	l.large = l.large || x.Cmp(l.most) > 0
	return x
}

// parts spreads an amount by weights, unit by unit.
func (l *ledger) parts(amount *big.Rat, weights []*big.Rat) []*big.Rat {
	whole := new(big.Rat)
	for _, w := range weights {
		whole.Add(whole, w)
	}
	parts, left := make([]*big.Rat, len(weights)), amount
	rests, by := make([]*big.Rat, len(weights)), make([]int, len(weights))
	for i, w := range weights {
		parts[i], rests[i], by[i] = new(big.Rat), new(big.Rat), i
		if whole.Sign() > 0 {
			n, rest := l.units(div(mul(amount, w), whole))
			parts[i], rests[i] = mul(new(big.Rat).SetInt(n), l.unit), rest
		}
		left = sub(left, parts[i])
	}
	slices.SortStableFunc(by, func(i, j int) int { return rests[j].Cmp(rests[i]) })
	for i := 0; left.Sign() > 0; i++ {
		parts[by[i]] = sum(parts[by[i]], l.unit)
		left = sub(left, l.unit)
	}
	return parts
}

// relieved returns the ledger of a buyer who pays no tax: all prices are without the tax that they
// would include, and no rate is left.
func (l *ledger) relieved() *ledger {
	c := l.cart
	if c.Tax.Included {
		net := func(minor int64, rates []price.TaxRate) int64 {
			_, _, tax := l.taxes(l.major(minor), rates)
			return div(sub(l.major(minor), tax), l.unit).Num().Int64()
		}
		c.Lines = slices.Clone(c.Lines)
		for i, line := range c.Lines {
			c.Lines[i].UnitMinor = net(line.UnitMinor, l.rates(line.Category))
		}
		if c.Shipping != nil {
			c.Shipping = &price.Rate{PriceMinor: net(c.Shipping.PriceMinor, l.onShipping()),
				FreeFromMinor: c.Shipping.FreeFromMinor}
		}
	}
	c.Tax.Rates = nil
	l.cart = c
	return l
}

// onShipping returns the taxes of shipping at the destination.
func (l *ledger) onShipping() (rates []price.TaxRate) {
	for _, r := range l.rates(l.cart.Tax.Shipping) {
		if r.Shipping {
			rates = append(rates, r)
		}
	}
	return rates
}

// rates returns the taxes of a category at the destination. The places of random carts have at most
// one region, so that this can be said in full: the region's taxes, before them the country's unless
// one of the region's replaces them; each with the rate of the category, or else the standard one.
func (l *ledger) rates(category string) (list []price.TaxRate) {
	if category == state.TaxExempt {
		return nil
	}
	of := func(region string) (here []price.TaxRate, replaces bool) {
		for _, name := range []string{"VAT", "GST", "PST"} {
			best, rank := price.TaxRate{}, 0
			for _, r := range l.cart.Tax.Rates {
				if r.Country != l.cart.To.Country || r.Region != region || r.Name != name {
					continue
				}
				if r.Category == category || category == "" && r.Category == state.TaxStandard {
					best, rank = r, 2
				} else if r.Category == state.TaxStandard && rank == 0 {
					best, rank = r, 1
				}
			}
			if rank == 1 && category == state.TaxZero {
				best.PerMillion = 0
			}
			if rank > 0 {
				here = append(here, best)
				replaces = replaces || best.Relation == state.TaxReplaces
			}
		}
		return here, replaces
	}
	country, _ := of("")
	if l.cart.To.Region == "" {
		return country
	}
	region, replaces := of(l.cart.To.Region)
	if replaces {
		return region
	}
	return append(country, region...)
}

// taxes returns the base and the amount of each tax on an amount: added to it, or included in it.
func (l *ledger) taxes(due *big.Rat, rates []price.TaxRate) (bases, amounts []*big.Rat, sumOf *big.Rat) {
	sumOf = new(big.Rat)
	if !l.cart.Tax.Included {
		for _, r := range rates {
			base := due
			if r.Relation == state.TaxUpon {
				base = l.sees(sum(due, sumOf))
			}
			tax := l.round(mul(base, big.NewRat(r.PerMillion, price.Million)))
			bases, amounts, sumOf = append(bases, base), append(amounts, tax), l.sees(sum(sumOf, tax))
		}
		return bases, amounts, sumOf
	}
	// What a net amount of one would cost, tax by tax, says how the amount is divided.
	one := big.NewRat(1, 1)
	cost := one
	var shares []*big.Rat
	for _, r := range rates {
		share := big.NewRat(r.PerMillion, price.Million)
		if r.Relation == state.TaxUpon {
			share = mul(share, cost)
		}
		shares, cost = append(shares, share), sum(cost, share)
	}
	for _, s := range shares {
		tax := l.round(div(mul(due, s), cost))
		if left := sub(due, sumOf); tax.Cmp(left) > 0 {
			tax = left
		}
		amounts, sumOf = append(amounts, tax), sum(sumOf, tax)
	}
	net, before := sub(due, sumOf), new(big.Rat)
	for i, r := range rates {
		base := net
		if r.Relation == state.TaxUpon {
			base = sum(net, before)
		}
		bases, before = append(bases, base), sum(before, amounts[i])
	}
	return bases, amounts, sumOf
}

// split returns a tax as the tax that is added and the tax that is included.
func (l *ledger) split(tax *big.Rat) (added, included *big.Rat) {
	if l.cart.Tax.Included {
		return new(big.Rat), tax
	}
	return tax, new(big.Rat)
}

// bill is the ledger's result.
type bill struct {
	subtotal, discount, shipping, tax, included, total *big.Rat
	lines                                              [][4]*big.Rat   // discount, tax, included tax, total
	taxes                                              [][2][]*big.Rat // of the lines and of shipping: bases, amounts
}

func (l *ledger) bill() bill {
	b := bill{subtotal: new(big.Rat), discount: new(big.Rat), shipping: new(big.Rat), tax: new(big.Rat),
		included: new(big.Rat)}
	var gross []*big.Rat
	for _, line := range l.cart.Lines {
		g := l.sees(mul(l.major(line.UnitMinor), new(big.Rat).SetInt64(line.Quantity)))
		gross, b.subtotal = append(gross, g), l.sees(sum(b.subtotal, g))
	}
	off := l.parts(l.off(b.subtotal), l.meant(gross))
	goods, travels := new(big.Rat), false
	for i, line := range l.cart.Lines {
		net := sub(gross[i], off[i])
		bases, amounts, tax := l.taxes(net, l.rates(line.Category))
		b.taxes = append(b.taxes, [2][]*big.Rat{bases, amounts})
		added, included := l.split(tax)
		total := l.sees(sum(net, added))
		b.lines = append(b.lines, [4]*big.Rat{off[i], added, included, total})
		b.discount, b.tax, b.included = sum(b.discount, off[i]), l.sees(sum(b.tax, added)), sum(b.included, included)
		if !line.Digital {
			goods, travels = sum(goods, net), true
		}
	}
	if travels {
		b.freight(l, goods)
	}
	b.total = l.sees(sum(l.sees(sum(sub(b.subtotal, b.discount), b.shipping)), b.tax))
	return b
}

// meant returns the subtotals of the lines, 0 for those that the discount does not apply to.
func (l *ledger) meant(gross []*big.Rat) []*big.Rat {
	worth := make([]*big.Rat, len(gross))
	for i, line := range l.cart.Lines {
		worth[i] = new(big.Rat)
		if l.isMeant(line) {
			worth[i] = gross[i]
		}
	}
	return worth
}

// isMeant reports whether the discount applies to a line: to all lines if it has no restriction.
func (l *ledger) isMeant(line price.Line) bool {
	d := l.cart.Discount
	if d == nil {
		return false
	}
	names := append(slices.Clone(d.Products), d.Collections...)
	return len(names) == 0 || slices.ContainsFunc(append(slices.Clone(line.Collections), line.Product),
		func(id xid.ID) bool { return slices.Contains(names, id) })
}

// off returns the discount.
func (l *ledger) off(subtotal *big.Rat) *big.Rat {
	d, worth := l.cart.Discount, new(big.Rat)
	for _, line := range l.cart.Lines {
		if l.isMeant(line) {
			worth = sum(worth, mul(l.major(line.UnitMinor), new(big.Rat).SetInt64(line.Quantity)))
		}
	}
	switch {
	case d == nil || subtotal.Cmp(l.major(d.LeastMinor)) < 0:
	case d.Kind == state.DiscountPercent:
		return l.round(mul(worth, big.NewRat(d.BasisPoints, 10_000)))
	case d.Kind == state.DiscountAmount && worth.Cmp(l.major(d.AmountMinor)) < 0:
		return worth
	case d.Kind == state.DiscountAmount:
		return l.major(d.AmountMinor)
	}
	return new(big.Rat)
}

// freight adds shipping and its tax, which is always part of what is paid for it.
func (b *bill) freight(l *ledger, goods *big.Rat) {
	s, d := l.cart.Shipping, l.cart.Discount
	free := s == nil || s.FreeFromMinor != nil && goods.Cmp(l.major(*s.FreeFromMinor)) >= 0 ||
		d != nil && d.Kind == state.DiscountFreeShipping && b.subtotal.Cmp(l.major(d.LeastMinor)) >= 0 &&
			slices.ContainsFunc(l.cart.Lines, l.isMeant)
	if free {
		return
	}
	bases, amounts, tax := l.taxes(l.major(s.PriceMinor), l.onShipping())
	b.taxes = append(b.taxes, [2][]*big.Rat{bases, amounts})
	added, _ := l.split(tax)
	b.shipping, b.included = l.sees(sum(l.major(s.PriceMinor), added)), sum(b.included, tax)
}
