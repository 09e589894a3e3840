package storefront

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
)

// signs are the signs that readers of English know currencies by, as the CLDR has
// them; all others show their code.
var signs = map[string]string{
	"AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
	"JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$", "VND": "₫", "XAF": "FCFA",
	"XCD": "EC$", "XCG": "Cg.", "XOF": "F\u202fCFA", "XPF": "CFPF",
}

// priceText writes an amount as a page in English shows it: "€24.90", "¥1,200",
// "CHF 5.00". A code, and a sign that ends in a letter, stands apart.
func priceText(minor int64, code string) string {
	sign := signs[code]
	if sign == "" {
		sign = code
	}
	if last := sign[len(sign)-1]; 'A' <= last && last <= 'Z' {
		sign += "\u00a0"
	}
	whole, fraction := decimal(minor, code)
	return sign + grouped(whole) + fraction
}

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

// grouped parts digits by thousands.
func grouped(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
