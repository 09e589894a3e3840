package price_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// vat taxes Germany with 19 %, France's region of Corsica with 2.1 % and the rest of France with 20
// %, all but France including shipping.
func vat(included bool) price.Tax {
	return price.Tax{Included: included, Rates: []price.TaxRate{
		{Country: "DE", Name: "MwSt", PerMillion: 190_000, Shipping: true},
		{Country: "FR", Name: "TVA", PerMillion: 200_000},
		{Country: "FR", Region: "Corse", Name: "TVA", PerMillion: 21_000},
	}}
}

func mug(quantity int64) []price.Line {
	return []price.Line{{UnitMinor: 999, Quantity: quantity, WeightGrams: 350}}
}

func TestCompute(t *testing.T) {
	dhl := &price.Rate{Kind: state.ShippingDelivery, PriceMinor: 490, FreeFromMinor: new(int64(5000))}
	for name, tc := range map[string]struct {
		cart price.Cart
		want price.Sums
		line price.Amounts
	}{
		"prices with tax": {
			cart: price.Cart{Lines: mug(3), To: price.Place{Country: "DE"}, Tax: vat(true), Shipping: dhl},
			want: price.Sums{SubtotalMinor: 2997, ShippingMinor: 490, IncludedTaxMinor: 479 + 78, TotalMinor: 3487},
			line: price.Amounts{SubtotalMinor: 2997, IncludedTaxMinor: 479, TotalMinor: 2997},
		},
		"prices without": {
			cart: price.Cart{Lines: mug(3), To: price.Place{Country: "DE"}, Tax: vat(false), Shipping: dhl},
			want: price.Sums{SubtotalMinor: 2997, ShippingMinor: 583, TaxMinor: 569, IncludedTaxMinor: 93,
				TotalMinor: 4149},
			line: price.Amounts{SubtotalMinor: 2997, TaxMinor: 569, TotalMinor: 3566},
		},
		"a region's rate, shipping untaxed, in other letters": {
			cart: price.Cart{Lines: mug(1), To: price.Place{Country: "FR", Region: "CORSE"}, Tax: vat(false),
				Shipping: dhl},
			want: price.Sums{SubtotalMinor: 999, ShippingMinor: 490, TaxMinor: 21, TotalMinor: 1510},
			line: price.Amounts{SubtotalMinor: 999, TaxMinor: 21, TotalMinor: 1020},
		},
		"half a unit goes up": {
			cart: price.Cart{Lines: []price.Line{{UnitMinor: 250, Quantity: 1}}, To: price.Place{Country: "FR"},
				Tax: price.Tax{Rates: []price.TaxRate{{Country: "FR", PerMillion: 2000}}}},
			want: price.Sums{SubtotalMinor: 250, TaxMinor: 1, TotalMinor: 251},
			line: price.Amounts{SubtotalMinor: 250, TaxMinor: 1, TotalMinor: 251},
		},
		"relieved of the included tax": {
			cart: price.Cart{Lines: mug(3), To: price.Place{Country: "DE"}, Shipping: dhl,
				Tax: price.Tax{Included: true, Relieved: true, Rates: vat(true).Rates}},
			want: price.Sums{SubtotalMinor: 2517, ShippingMinor: 412, TotalMinor: 2929},
			line: price.Amounts{SubtotalMinor: 2517, TotalMinor: 2517},
		},
		"nowhere, nothing is taxed": {
			cart: price.Cart{Lines: mug(1), Tax: vat(false)},
			want: price.Sums{SubtotalMinor: 999, TotalMinor: 999},
			line: price.Amounts{SubtotalMinor: 999, TotalMinor: 999},
		},
		"free above a sum": {
			cart: price.Cart{Lines: mug(6), Shipping: dhl},
			want: price.Sums{SubtotalMinor: 5994, TotalMinor: 5994},
			line: price.Amounts{SubtotalMinor: 5994, TotalMinor: 5994},
		},
		"below that sum by the discount": {
			cart: price.Cart{Lines: mug(6), Shipping: dhl,
				Discount: &price.Discount{Kind: state.DiscountAmount, AmountMinor: 1000}},
			want: price.Sums{SubtotalMinor: 5994, DiscountMinor: 1000, ShippingMinor: 490, TotalMinor: 5484},
			line: price.Amounts{SubtotalMinor: 5994, DiscountMinor: 1000, TotalMinor: 4994},
		},
		"an amount above the goods": {
			cart: price.Cart{Lines: mug(1), Discount: &price.Discount{Kind: state.DiscountAmount, AmountMinor: 5000}},
			want: price.Sums{SubtotalMinor: 999, DiscountMinor: 999},
			line: price.Amounts{SubtotalMinor: 999, DiscountMinor: 999},
		},
		"a discount from more on": {
			cart: price.Cart{Lines: mug(1),
				Discount: &price.Discount{Kind: state.DiscountPercent, BasisPoints: 5000, LeastMinor: 1000}},
			want: price.Sums{SubtotalMinor: 999, TotalMinor: 999},
			line: price.Amounts{SubtotalMinor: 999, TotalMinor: 999},
		},
		"free shipping": {
			cart: price.Cart{Lines: mug(1), To: price.Place{Country: "DE"}, Tax: vat(true), Shipping: dhl,
				Discount: &price.Discount{Kind: state.DiscountFreeShipping, LeastMinor: 999}},
			want: price.Sums{SubtotalMinor: 999, IncludedTaxMinor: 160, TotalMinor: 999},
			line: price.Amounts{SubtotalMinor: 999, IncludedTaxMinor: 160, TotalMinor: 999},
		},
		"digital goods": {
			cart: price.Cart{Lines: []price.Line{{UnitMinor: 999, Quantity: 1, Digital: true}}, Shipping: dhl},
			want: price.Sums{SubtotalMinor: 999, TotalMinor: 999},
			line: price.Amounts{SubtotalMinor: 999, TotalMinor: 999},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := price.Compute(tc.cart)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got.Sums); d != "" {
				t.Error(d)
			}
			got.Lines[0].Taxes, got.Lines[0].UnitMinor = nil, 0
			if d := cmp.Diff(tc.line, got.Lines[0]); d != "" {
				t.Error(d)
			}
		})
	}
}

// If three lines of one price cannot share a discount evenly, the first ones get the rest.
func TestDiscountIsSpread(t *testing.T) {
	shirt, tea := xid.New(), xid.New()
	cart := price.Cart{Lines: []price.Line{
		{UnitMinor: 100, Quantity: 1, Product: shirt}, {UnitMinor: 100, Quantity: 1, Product: tea},
		{UnitMinor: 100, Quantity: 1, Collections: []xid.ID{tea}},
	}}
	for name, tc := range map[string]struct {
		rule price.Discount
		want [3]int64
	}{
		"all":             {price.Discount{AmountMinor: 100}, [3]int64{34, 33, 33}},
		"a product":       {price.Discount{AmountMinor: 50, Products: []xid.ID{shirt}}, [3]int64{50, 0, 0}},
		"a collection":    {price.Discount{AmountMinor: 500, Collections: []xid.ID{tea}}, [3]int64{0, 0, 100}},
		"none of the two": {price.Discount{AmountMinor: 50, Products: []xid.ID{xid.New()}}, [3]int64{}},
	} {
		tc.rule.Kind, cart.Discount = state.DiscountAmount, &tc.rule
		r, err := price.Compute(cart)
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int64{r.Lines[0].DiscountMinor, r.Lines[1].DiscountMinor, r.Lines[2].DiscountMinor}
		if got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		if r.Discounted != (tc.want != [3]int64{}) {
			t.Errorf("%s: discounted %v", name, r.Discounted)
		}
	}
}

func TestRateFits(t *testing.T) {
	rate := price.Rate{LeastMinor: new(int64(10)), MostMinor: new(int64(20)), LeastGrams: new(int64(1)),
		MostGrams: new(int64(2))}
	for _, tc := range []struct {
		goods, grams int64
		want         bool
	}{{9, 1, false}, {10, 1, true}, {20, 2, true}, {21, 2, false}, {10, 0, false}, {10, 3, false}} {
		if got := rate.Fits(price.Freight{ItemsMinor: tc.goods, WeightGrams: tc.grams}); got != tc.want {
			t.Errorf("%d for %d g: %v", tc.goods, tc.grams, got)
		}
	}
	if !new(price.Rate).Fits(price.Freight{}) {
		t.Error("a rate without bounds does not fit")
	}
}

// Invalid carts are errors, and no sum overflows.
func TestRefuses(t *testing.T) {
	most := int64(currency.MaxMinor)
	line := func(unit, quantity int64) []price.Line {
		return []price.Line{{UnitMinor: unit, Quantity: quantity}}
	}
	taxed := price.Tax{Rates: []price.TaxRate{{Country: "DE", PerMillion: 100, Shipping: true}}}
	to := price.Place{Country: "DE"}
	for name, tc := range map[string]struct {
		cart price.Cart
		want error
	}{
		"quantity": {price.Cart{Lines: line(1, 0)}, price.ErrInput},
		"price":    {price.Cart{Lines: line(-1, 1)}, price.ErrInput},
		"weight":   {price.Cart{Lines: []price.Line{{Quantity: 1, WeightGrams: -1}}}, price.ErrInput},
		"rate": {price.Cart{Tax: price.Tax{Rates: []price.TaxRate{{PerMillion: price.Million + 1}}}},
			price.ErrInput},
		"percent":  {price.Cart{Discount: &price.Discount{BasisPoints: -1}}, price.ErrInput},
		"amount":   {price.Cart{Discount: &price.Discount{AmountMinor: -1}}, price.ErrInput},
		"shipping": {price.Cart{Shipping: &price.Rate{PriceMinor: -1}}, price.ErrInput},
		"line":     {price.Cart{Lines: line(most, 2)}, price.ErrLineTooLarge},
		"subtotal": {price.Cart{Lines: append(line(most, 1), line(1, 1)...)}, price.ErrTooLarge},
		"subtotal, off": {price.Cart{Lines: append(line(most, 1), line(1, 1)...), Discount: &price.Discount{}},
			price.ErrTooLarge},
		"tax":   {price.Cart{Lines: line(most, 1), Tax: taxed, To: to}, price.ErrTooLarge},
		"total": {price.Cart{Lines: line(most, 1), Shipping: &price.Rate{PriceMinor: 1}}, price.ErrTooLarge},
		"freight's tax": {price.Cart{Lines: line(0, 1), Tax: taxed, To: to,
			Shipping: &price.Rate{PriceMinor: most}}, price.ErrTooLarge},
		"freight's mass": {price.Cart{Lines: []price.Line{{Quantity: 2, WeightGrams: most}}}, price.ErrTooLarge},
	} {
		if _, err := price.Compute(tc.cart); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	for name, tc := range map[string]struct {
		line     price.Given
		shipping int64
		want     error
	}{
		"nothing":  {price.Given{}, 0, price.ErrInput},
		"discount": {price.Given{UnitMinor: 1, Quantity: 1, DiscountMinor: 2}, 0, price.ErrInput},
		"shipping": {price.Given{UnitMinor: 1, Quantity: 1}, -1, price.ErrInput},
		"line":     {price.Given{UnitMinor: most, Quantity: 2}, 0, price.ErrLineTooLarge},
		"total":    {price.Given{UnitMinor: most, Quantity: 1, TaxMinor: 1}, 0, price.ErrTooLarge},
	} {
		if _, err := price.Sum([]price.Given{tc.line}, tc.shipping); !errors.Is(err, tc.want) {
			t.Errorf("given %s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestSum(t *testing.T) {
	got, err := price.Sum([]price.Given{{UnitMinor: 1000, Quantity: 3, DiscountMinor: 100, TaxMinor: 190},
		{UnitMinor: 250, Quantity: 1}}, 490)
	if err != nil {
		t.Fatal(err)
	}
	want := price.Sums{SubtotalMinor: 3250, DiscountMinor: 100, ShippingMinor: 490, TaxMinor: 190, TotalMinor: 3830}
	if d := cmp.Diff(want, got.Sums); d != "" || got.Lines[0].TotalMinor != 3090 {
		t.Error(d, got.Lines[0].TotalMinor)
	}
}

// In whatever portions the units of a line are refunded, all of them are its total.
func TestRefund(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		total, quantity := r.Int64N(currency.MaxMinor>>r.IntN(53)+1), 1+r.Int64N(999)
		var back, sum int64
		for back < quantity {
			units := 1 + r.Int64N(quantity-back)
			part := price.Refund(total, quantity, back, units)
			if part < 0 {
				t.Fatalf("%d units of %d behind %d of %d: %d", units, quantity, back, total, part)
			}
			back, sum = back+units, sum+part
		}
		if sum != total {
			t.Fatalf("all %d units of %d: %d", quantity, total, sum)
		}
	}
	for i, tc := range [][5]int64{
		{1000, 3, 0, 1, 333}, {1000, 3, 1, 1, 334}, {1000, 3, 2, 1, 333}, {1000, 3, 3, 1, 0}, {1000, 3, 0, 9, 1000},
		{1000, 3, -1, 3, 1000}, {1000, 3, 0, -1, 0}, {1000, 0, 0, 1, 0}, {0, 3, 0, 1, 0},
	} {
		if got := price.Refund(tc[0], tc[1], tc[2], tc[3]); got != tc[4] {
			t.Errorf("%s: %d, want %d", strconv.Itoa(i), got, tc[4])
		}
	}
}

// Shipping is shown as the store entered it, and all added tax in one sum; the total is the same.
func TestShownTax(t *testing.T) {
	for _, tc := range []struct{ given, want [3]int64 }{
		{given: [3]int64{1089, 888, 89}, want: [3]int64{1000, 977, 0}},  // added, with shipping
		{given: [3]int64{1000, 888, 0}, want: [3]int64{1000, 888, 0}},   // added, without
		{given: [3]int64{1000, 0, 2000}, want: [3]int64{1000, 0, 2000}}, // included
		{given: [3]int64{0, 0, 0}},
		{given: [3]int64{5, 10, 20}, want: [3]int64{5, 10, 20}}, // not from a quote
	} {
		var got [3]int64
		if got[0], got[1], got[2] = price.ShownTax(tc.given[0], tc.given[1], tc.given[2]); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.given, got, tc.want)
		}
	}
}
