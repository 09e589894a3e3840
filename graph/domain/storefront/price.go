package storefront

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/graph/core"
)

// decimal formats an amount in digits: the whole units and, if the currency has any, the fraction
// with its point.
func decimal(minor int64, code string) (whole, fraction string) {
	digits, ok := currency.Digits(currency.Code(code))
	if !ok {
		digits = 2 // like most; no product in such a currency can be active
	}
	text := strconv.FormatInt(minor, 10)
	if short := digits + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	whole, fraction = text[:len(text)-digits], text[len(text)-digits:]
	if digits > 0 {
		fraction = "." + fraction
	}
	return whole, fraction
}

// PriceOf parses an amount as visitors type it, such as "24.90" or "24,90", into minor units. It
// returns nil for anything else.
func PriceOf(text, code string) *int64 {
	text = core.FoldDigits(text)
	digits, ok := currency.Digits(currency.Code(code))
	whole, fraction, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	if !ok || text == "" || len(whole) > maxWhole || len(fraction) > digits {
		return nil
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 62)
	if err != nil {
		return nil
	}
	return new(int64(n))
}

// maxWhole is how many digits a price may have before its point.
const maxWhole = 12
