package core

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldDigits writes the digits of every script, and letters and signs of full width, as 0 to
// 9 and as ASCII has them: keyboards of Japanese and Arabic give others for the same numbers.
func FoldDigits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '٫': // the decimal separator of Arabic
			return '.'
		case r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r):
			return r
		}
		value := rune(0)
		for unicode.Is(unicode.Nd, r-value-1) { // the digits of a script stand in a row from 0 on
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
