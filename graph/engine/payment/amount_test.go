package payment

import "testing"

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		code  string
		minor int64
		units int64 // 0 if it cannot be charged
	}{
		{"EUR", 1980, 1980}, {"USD", 1, 1}, {"HUF", 199001, 199001}, {"JPY", 1980, 1980},
		{"ISK", 500, 50000}, {"UGX", 5, 500}, // hundredths of a currency without minor units
		{"MGA", 500, 5}, {"MGA", 510, 0}, // none of a currency with hundredths
		{"KWD", 1230, 1230}, {"KWD", 1234, 0}, {"TND", 10, 10},
		{"IQD", 1230, 123}, {"IQD", 1234, 0},
		{"EUR", 99_999_999, 99_999_999}, {"EUR", 100_000_000, 0}, {"ISK", 999_999, 99_999_900}, {"ISK", 1_000_000, 0},
		{"EUR", 0, 0}, {"EUR", -5, 0}, {"XXX", 5, 0}, {"ISK", 9_007_199_254_740_991, 0},
	} {
		n, ok := units(c.minor, c.code)
		if ok != (c.units > 0) || ok && n != c.units || ok != Payable(c.minor, c.code) {
			t.Errorf("%d %s are %d (%t)", c.minor, c.code, n, ok)
		}
		if ok && minors(n, c.code) != c.minor {
			t.Errorf("%d of Stripe's are %d %s", n, minors(n, c.code), c.code)
		}
	}
	for _, c := range []struct {
		code  string
		units int64
	}{{"ISK", 550}, {"UGX", 1}, {"EUR", -1}, {"XXX", 1}, {"IQD", 1 << 62}} {
		if n := minors(c.units, c.code); n != -1 {
			t.Errorf("%d of Stripe's are %d %s", c.units, n, c.code)
		}
	}
}
