package price_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

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
	var rates []price.TaxRate
	for _, r := range l.rates(l.cart.Tax.Shipping) {
		if r.Shipping {
			rates = append(rates, r)
		}
	}
	bases, amounts, tax := l.taxes(l.major(s.PriceMinor), rates)
	b.taxes = append(b.taxes, [2][]*big.Rat{bases, amounts})
	added, _ := l.split(tax)
	b.shipping, b.included = l.sees(sum(l.major(s.PriceMinor), added)), sum(b.included, tax)
}

// check compares a cart's result with the ledger's.
func check(t *testing.T, c price.Cart, digits int) {
	t.Helper()
	l := newLedger(c, digits)
	want := l.bill()
	got, err := price.Compute(c)
	if l.large || err != nil {
		if !l.large || !errors.Is(err, price.ErrTooLarge) && !errors.Is(err, price.ErrLineTooLarge) {
			t.Fatalf("%+v: %v, too large %v", c, err, l.large)
		}
		return
	}
	same := func(name string, minor int64, major *big.Rat) {
		t.Helper()
		if minor < 0 || l.major(minor).Cmp(major) != 0 {
			t.Fatalf("%s: %d, want %s, of %+v", name, minor, major.FloatString(digits), c)
		}
	}
	same("subtotal", got.SubtotalMinor, want.subtotal)
	same("discount", got.DiscountMinor, want.discount)
	same("shipping", got.ShippingMinor, want.shipping)
	same("tax", got.TaxMinor, want.tax)
	same("included tax", got.IncludedTaxMinor, want.included)
	same("all tax", got.AllTax(), sum(want.tax, want.included))
	same("total", got.TotalMinor, want.total)
	for i, a := range got.Lines {
		for j, n := range [4]int64{a.DiscountMinor, a.TaxMinor, a.IncludedTaxMinor, a.TotalMinor} {
			same("line "+strconv.Itoa(i)+"."+strconv.Itoa(j), n, want.lines[i][j])
		}
		refund(t, a.TotalMinor, c.Lines[i].Quantity)
	}
	lists := make([][]price.TaxAmount, 0, len(want.taxes))
	for _, a := range got.Lines {
		lists = append(lists, a.Taxes)
	}
	lists = append(lists, got.Freight.Taxes)[:len(want.taxes)]
	var base, amount, bases, amounts int64
	for i, list := range lists {
		if len(list) != len(want.taxes[i][0]) {
			t.Fatalf("taxes %+v of %+v", list, c)
		}
		for j, tax := range list {
			same("base", tax.BaseMinor, want.taxes[i][0][j])
			same("amount", tax.AmountMinor, want.taxes[i][1][j])
			base, amount = base+tax.BaseMinor, amount+tax.AmountMinor
		}
	}
	for _, tax := range got.Taxes {
		bases, amounts = bases+tax.BaseMinor, amounts+tax.AmountMinor
	}
	if base != bases || amount != amounts || amounts != got.AllTax() {
		t.Fatalf("sums of taxes %d %d, want %d %d, of %+v", bases, amounts, base, amount, c)
	}
}

// refund refunds the units of a line in growing portions: each is the difference of two parts of
// the total, and in the end nothing is left.
func refund(t *testing.T, total, quantity int64) {
	t.Helper()
	part := func(n int64) *big.Int { // of the total, rounded half up
		twice := new(big.Int).Mul(big.NewInt(2*total), big.NewInt(min(n, quantity)))
		return twice.Div(twice.Add(twice, big.NewInt(quantity)), big.NewInt(2*quantity))
	}
	before := part(0)
	for back, units := int64(0), int64(1); back < quantity; back, units = back+units, 3*units {
		after := part(back + units)
		want := new(big.Int).Sub(after, before)
		if got := price.Refund(total, quantity, back, units); big.NewInt(got).Cmp(want) != 0 {
			t.Fatalf("%d of %d units behind %d, of %d: %d, want %s", units, quantity, back, total, got, want)
		}
		before = after
	}
	if before.Cmp(big.NewInt(total)) != 0 {
		t.Fatalf("all %d units of %d are worth %s", quantity, total, before)
	}
}

// places are the destinations of random carts: taxed by region, by country, and not at all.
var places = []price.Place{{Country: "DE"}, {Country: "FR", Region: "Corse"}, {Country: "FR", Region: "Nord"},
	{Country: "CA", Region: "QC"}, {Country: "CA", Region: "ON"}, {Country: "CA"}, {Country: "US"}, {}}

var categories = []string{"", state.TaxStandard, "reduced", state.TaxZero, state.TaxExempt, "books"}

// randomTax returns the taxes of those places: simple ones, a region's that replaces the country's,
// and up to two of a region beside or upon the country's, with rates of categories.
func randomTax(r *rand.Rand) price.Tax {
	t := price.Tax{Included: r.IntN(2) == 0, Shipping: categories[r.IntN(len(categories))]}
	relations := []state.TaxRelation{state.TaxBeside, state.TaxUpon, state.TaxReplaces}
	add := func(country, region, name string, most int64, relation state.TaxRelation) {
		for _, category := range append([]string{state.TaxStandard}, categories[2:4+r.IntN(3)]...) {
			if category == state.TaxStandard || r.IntN(3) == 0 {
				t.Rates = append(t.Rates, price.TaxRate{
					Country: country, Region: region, Name: name, Category: category,
					PerMillion: r.Int64N(most + 1), Relation: relation, Shipping: r.IntN(2) == 0})
			}
		}
	}
	add("FR", "", "VAT", price.Million, state.TaxReplaces)
	add("FR", "Corse", "VAT", 300_000, state.TaxReplaces)
	add("DE", "", "VAT", 190_000, state.TaxReplaces)
	add("CA", "", "GST", 50_000, state.TaxReplaces)
	add("CA", "QC", "GST", 99_750, relations[r.IntN(3)])
	add("CA", "QC", "PST", 99_750, relations[r.IntN(2)])
	add("CA", "ON", "PST", 130_000, relations[r.IntN(3)])
	return t
}

// randomCart returns a cart; most prices are realistic, some as large as possible.
func randomCart(r *rand.Rand, digits int) price.Cart {
	top := int64(500)
	for range digits {
		top *= 10
	}
	if r.IntN(50) == 0 {
		top = currency.MaxMinor
	}
	amount := func() int64 { return r.Int64N(top>>r.IntN(12) + 1) }
	c := price.Cart{To: places[r.IntN(len(places))], Tax: randomTax(r)}
	lines, unit := 1+r.IntN(8), amount
	if r.IntN(20) == 0 { // many lines of few prices, whose remainders are equal
		few := []int64{amount(), amount(), amount()}
		lines, unit = 40, func() int64 { return few[r.IntN(3)] }
	}
	for range lines {
		c.Lines = append(c.Lines, price.Line{UnitMinor: unit(), Quantity: 1 + r.Int64N(1<<r.IntN(10)),
			WeightGrams: r.Int64N(5000), Category: categories[r.IntN(len(categories))], Digital: r.IntN(8) == 0})
	}
	ids := []xid.ID{xid.New(), xid.New(), xid.New(), xid.New()} // two products and two collections
	for i := range c.Lines {
		c.Lines[i].Product = ids[r.IntN(2)]
		c.Lines[i].Collections = [][]xid.ID{nil, ids[2:3], ids[3:], ids[2:]}[r.IntN(4)]
	}
	if r.IntN(3) > 0 {
		kinds := []state.DiscountKind{state.DiscountPercent, state.DiscountAmount, state.DiscountFreeShipping}
		c.Discount = &price.Discount{Kind: kinds[r.IntN(3)], BasisPoints: r.Int64N(10_001), AmountMinor: amount()}
		if r.IntN(3) == 0 {
			c.Discount.LeastMinor = amount()
		}
		switch r.IntN(4) {
		case 0:
			c.Discount.Collections = ids[2:3]
		case 1:
			c.Discount.Products, c.Discount.Collections = ids[:1], ids[3:]
		}
	}
	if r.IntN(4) > 0 {
		c.Shipping = &price.Rate{PriceMinor: amount()}
		if r.IntN(3) == 0 {
			c.Shipping.FreeFromMinor = new(amount())
		}
	}
	return c
}

// Ten thousand carts in each class of currencies agree with computations in fractions.
func TestCartsAgreeWithFractions(t *testing.T) {
	for _, digits := range []int{0, 2, 3} {
		t.Run(strconv.Itoa(digits), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(14, uint64(digits)))
			for range 10_000 {
				check(t, randomCart(r, digits), digits)
			}
		})
	}
}

func FuzzCart(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint8(2))
	f.Fuzz(func(t *testing.T, a, b uint64, digits uint8) {
		check(t, randomCart(rand.New(rand.NewPCG(a, b)), int(digits%4)), int(digits%4))
	})
}

// FuzzCompute passes arbitrary numbers: the result is an error, or amounts that satisfy the
// equation.
func FuzzCompute(f *testing.F) {
	f.Add(int64(999), int64(3), int64(1900), int64(1000), int64(490), true)
	f.Add(int64(currency.MaxMinor), int64(1), int64(1), int64(1), int64(currency.MaxMinor), false)
	f.Fuzz(func(t *testing.T, unit, quantity, rate, off, shipping int64, included bool) {
		r, err := price.Compute(price.Cart{Lines: []price.Line{{UnitMinor: unit, Quantity: quantity},
			{UnitMinor: shipping, Quantity: 2}}, To: price.Place{Country: "DE"},
			Tax: price.Tax{Included: included,
				Rates: []price.TaxRate{{Country: "DE", PerMillion: rate, Shipping: true}}},
			Discount: &price.Discount{Kind: state.DiscountAmount, AmountMinor: off},
			Shipping: &price.Rate{PriceMinor: shipping}})
		if err != nil {
			return
		}
		var s price.Sums
		for _, l := range r.Lines {
			if l.TotalMinor != l.SubtotalMinor-l.DiscountMinor+l.TaxMinor || l.TotalMinor < 0 {
				t.Errorf("line %+v", l)
			}
			s.SubtotalMinor, s.DiscountMinor = s.SubtotalMinor+l.SubtotalMinor, s.DiscountMinor+l.DiscountMinor
			s.TaxMinor += l.TaxMinor
		}
		if s.SubtotalMinor != r.SubtotalMinor || s.DiscountMinor != r.DiscountMinor || s.TaxMinor != r.TaxMinor ||
			r.TotalMinor != r.SubtotalMinor-r.DiscountMinor+r.ShippingMinor+r.TaxMinor ||
			r.TotalMinor < r.AllTax() || r.TotalMinor > currency.MaxMinor {
			t.Errorf("sums %+v of %+v", r.Sums, r.Lines)
		}
	})
}
