package storefront_test

import (
	"testing"

	cldr "github.com/bojanz/currency"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/graph/storefront"
)

func TestPriceText(t *testing.T) {
	for _, tc := range []struct {
		minor int64
		code  string
		want  string
	}{
		{2490, "EUR", "€24.90"}, {1200, "JPY", "¥1,200"}, {500, "CHF", "CHF\u00a05.00"}, {0, "USD", "$0.00"},
		{5, "EUR", "€0.05"}, {99, "GBP", "£0.99"}, {100, "GBP", "£1.00"}, {7, "JPY", "¥7"},
		{1234567, "KWD", "KWD\u00a01,234.567"}, {5, "KWD", "KWD\u00a00.005"},
		{currency.MaxMinor, "EUR", "€90,071,992,547,409.91"}, {100000, "JPY", "¥100,000"}, {250, "???", "???2.50"},
	} {
		if got := storefront.PriceText(tc.minor, tc.code); got != tc.want {
			t.Errorf("%d %s is %q, want %q", tc.minor, tc.code, got, tc.want)
		}
	}
}

// TestPriceTextAgreesWithCLDR compares every currency with a library that formats
// by the CLDR, as readers of English expect.
func TestPriceTextAgreesWithCLDR(t *testing.T) {
	format := cldr.NewFormatter(cldr.NewLocale("en"))
	for _, code := range currency.All() {
		for _, minor := range []int64{0, 7, 1234, 123456789} {
			amount, err := cldr.NewAmountFromInt64(minor, string(code))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := storefront.PriceText(minor, string(code)), format.Format(amount); got != want {
				t.Errorf("%d %s is %q, want %q", minor, code, got, want)
			}
		}
	}
}
