package payment

import (
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
)

// Stripe's minor units differ from those of ISO 4217: some currencies have none, amounts with three
// digits end in 0, and two currencies that have lost their minor units still count in hundredths
// (docs.stripe.com/currencies). All others have two digits.
const (
	wholeCurrencies   = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
	threeCurrencies   = "BHD JOD KWD OMR TND"
	roundedCurrencies = "ISK UGX" // whole amounts in hundredths
)

// digits returns Stripe's number of minor digits, and of what each amount must be a multiple.
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

// mostUnits is the largest amount of one payment.
const mostUnits = 99_999_999

// units converts an amount to Stripe's units. It returns false if Stripe cannot charge the amount.
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

// minors converts an amount of Stripe to our minor units; -1 if that is not a whole number.
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

// Payable reports whether an amount can be paid and refunded online.
func Payable(minor int64, code string) bool {
	_, ok := units(minor, code)
	return ok
}
