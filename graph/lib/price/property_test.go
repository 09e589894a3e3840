package price_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// check compares a cart's result with the ledger's.
func check(t *testing.T, c price.Cart, digits int) {
	t.Helper()
	l := newLedger(c, digits)
	if c.Tax.Relieved {
		l = l.relieved()
	}
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
	t.Relieved = r.IntN(6) == 0
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
