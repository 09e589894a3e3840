package search

import (
	"strings"
	"unicode"

	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

const (
	// leastEnd is the minimum number of digits at the end of a telephone number that find it.
	leastEnd = 4
	// leastPhone and mostPhone bound the digits of a text that counts as a telephone number. The
	// longest number of E.164 has 15, and some are dialed with a prefix.
	leastPhone, mostPhone = 5, 20
)

// phone adds every ending of a telephone number, so that it is found with and without country and
// area code, whichever it was written with.
func (t terms) phone(k Kind, number *string) {
	if number == nil {
		return
	}
	digits := digitsOf(listings.Fold(*number))
	digits = digits[:min(len(digits), mostPhone)]
	for i := 0; i+leastEnd <= len(digits); i++ {
		t.add(k, true, digits[i:])
	}
}

// phoneOf returns the word that finds a telephone number in any spelling: its digits without the
// country code and leading zeros. It is "" for other texts.
func phoneOf(text string) string {
	folded := strings.TrimSpace(listings.Fold(text))
	strange := func(r rune) bool {
		return !unicode.IsDigit(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Dash, r) &&
			!strings.ContainsRune("+./()", r)
	}
	digits := digitsOf(folded)
	if len(digits) < leastPhone || len(digits) > mostPhone || strings.ContainsFunc(folded, strange) {
		return ""
	}
	switch {
	case strings.HasPrefix(folded, "+"):
		digits = withoutCountry(digits)
	case strings.HasPrefix(digits, "00"):
		digits = withoutCountry(digits[2:])
	}
	return strings.TrimLeft(digits, "0")
}

// digitsOf returns the digits of a folded telephone number in any script. A zero in parentheses is
// dialed only without the country code.
func digitsOf(folded string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return -1
		}
		value := rune(0) // digits lie in rows of ten, from zero on
		for unicode.IsDigit(r - 1 - value) {
			value++
		}
		return '0' + value%10
	}, strings.ReplaceAll(folded, "(0)", ""))
}

// longCodes are the first two digits of three-digit country codes. Other codes have two digits, and
// 1 and 7 have one (ITU-T E.164, annex).
var longCodes = strings.Fields("21 22 23 24 25 26 28 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99")

// withoutCountry removes the country code, unless too few digits would be left.
func withoutCountry(digits string) string {
	n := 2
	if digits[0] == '1' || digits[0] == '7' {
		n = 1
	}
	for _, code := range longCodes {
		if strings.HasPrefix(digits, code) {
			n = 3
		}
	}
	if len(digits)-n < leastEnd {
		return digits
	}
	return digits[n:]
}
