package intake

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/storefront-go/storefront/ent/currency"
)

var errValue = errors.New("intake: not a value of its kind")

// Money reads a decimal amount such as 12.50 in minor units; nil for an empty text.
func Money(text, code string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	digits, ok := currency.Digits(currency.Code(code))
	if !ok {
		return nil, errValue
	}
	whole, part, _ := strings.Cut(text, ".")
	for len(part) > digits && strings.HasSuffix(part, "0") {
		part = strings.TrimSuffix(part, "0")
	}
	if len(part) > digits || whole == "" || strings.Trim(whole+part, "0123456789") != "" {
		return nil, errValue
	}
	v, err := strconv.ParseInt(whole+part+strings.Repeat("0", digits-len(part)), 10, 64)
	if err != nil || v > currency.MaxMinor {
		return nil, errValue
	}
	return &v, nil
}

// Whole reads an integer, which spreadsheets may have turned into 3.0; nil for an empty text.
func Whole(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil && v <= currency.MaxMinor && v >= -currency.MaxMinor {
		return &v, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > currency.MaxMinor {
		return nil, errValue
	}
	return new(int64(v)), nil
}

func yes(text string) bool {
	return slices.Contains([]string{"true", "yes", "1"}, strings.ToLower(text))
}

func no(text string) bool {
	return slices.Contains([]string{"false", "no", "0"}, strings.ToLower(text))
}

// isGTIN reports whether a text has the form and the check digit of a GTIN.
func isGTIN(code string) bool {
	if strings.Trim(code, "0123456789") != "" || !slices.Contains([]int{8, 12, 13, 14}, len(code)) {
		return false
	}
	sum := 0
	for i := range len(code) {
		sum += (1 + 2*((len(code)-1-i)%2)) * int(code[i]-'0') // from the right: 1, 3, 1, ...
	}
	return sum%10 == 0
}

// lineOf returns a text in one line; line breaks become spaces. It removes other control characters.
func lineOf(text string) string {
	seen := func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}
	return strings.Join(strings.Fields(strings.Map(seen, text)), " ")
}

// Clip returns the first code points of a text.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > most {
			return strings.TrimSpace(text[:i])
		}
	}
	return text
}
