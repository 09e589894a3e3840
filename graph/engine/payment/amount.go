package payment

import (
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
)

// Stripe counts in its own minor units, which differ from those of ISO 4217: some
// currencies have none, those of three digits end in 0, and two that have lost their
// minor units are still counted in hundredths (docs.stripe.com/currencies). Any other
// has two digits.
const (
	wholeCurrencies   = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
	threeCurrencies   = "BHD JOD KWD OMR TND"
	roundedCurrencies = "ISK UGX" // whole sums in hundredths
)

// digits is how many minor digits Stripe counts a currency in, and of what each amount
// has to be a multiple.
func digits(code currency.Code) (n int, step int64) {
	switch {
	case strings.Contains(wholeCurrencies, string(code)):
		return 0, 1
	case strings.Contains(threeCurrencies, string(code)):
		return 3, 10
	case strings.Contains(roundedCurrencies, string(code)):
		return 2, 100
	}
	return 2, 1
}

// mostUnits is the largest amount that Stripe takes at once.
const mostUnits = 99_999_999

// units is an amount as Stripe counts it; false where Stripe cannot take it.
func units(minor int64, code string) (int64, bool) {
	c, _ := currency.Parse(code)
	ours, ok := currency.Digits(c)
	if !ok || minor <= 0 {
		return 0, false
	}
	theirs, step := digits(c)
	n := minor
	for ; ours < theirs && n <= mostUnits; ours++ {
		n *= 10
	}
	for ; ours > theirs; ours-- {
		if n%10 != 0 {
			return 0, false
		}
		n /= 10
	}
	return n, n <= mostUnits && n%step == 0
}

// minors is an amount of Stripe's in our minor units, -1 where it is no whole number.
func minors(n int64, code string) int64 {
	c, _ := currency.Parse(code)
	ours, ok := currency.Digits(c)
	if !ok || n < 0 || n > mostUnits {
		return -1
	}
	theirs, _ := digits(c)
	for ; ours < theirs; theirs-- {
		if n%10 != 0 {
			return -1
		}
		n /= 10
	}
	for ; ours > theirs; theirs++ {
		n *= 10
	}
	return n
}

// Payable reports whether an amount can be paid and given back online.
func Payable(minor int64, code string) bool {
	_, ok := units(minor, code)
	return ok
}
