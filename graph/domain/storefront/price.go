package storefront

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/graph/core"
)

// decimal writes an amount in digits: the whole, and the fraction with its point where
// the currency has one.
func decimal(minor int64, code string) (whole, fraction string) {
	digits, ok := currency.Digits(currency.Code(code))
	if !ok {
		digits = 2 // as most have; no such product can be active
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

// PriceOf reads an amount as visitors type it, such as "24.90" or "24,90", in minor
// units; nil for what is no amount.
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

// maxWhole is how many digits a price has before its point.
const maxWhole = 12
