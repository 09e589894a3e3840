package core

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldDigits replaces the digits of all scripts with 0 to 9, and full-width letters and signs with
// those of ASCII. Japanese and Arabic keyboards produce such digits.
func FoldDigits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '٫': // the Arabic decimal separator
			return '.'
		case r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r):
			return r
		}
		value := rune(0)
		for unicode.Is(unicode.Nd, r-value-1) { // the digits of a script are consecutive, from 0 on
			value++
		}
		return '0' + value%10
	}, norm.NFKC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
