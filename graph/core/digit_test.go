package core_test

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/storefront-go/storefront/graph/core"
)

func TestFoldDigits(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""}, {"1,205.50 SW1A", "1,205.50 SW1A"}, {"１５０－０００１", "150-0001"}, {"ＳＷ１Ａ", "SW1A"},
		{"١٢٫٥", "12.5"}, {"۰۹", "09"}, {"०९", "09"}, {"𝟘𝟡", "09"}, {"٣ كتب", "3 كتب"}, {"a\xff٣", "a\ufffd3"},
	} {
		if got := core.FoldDigits(tc.text); got != tc.want {
			t.Errorf("%q is %q, want %q", tc.text, got, tc.want)
		}
	}
}

// Every script has ten consecutive digits, which FoldDigits relies on.
func TestFoldEveryDigit(t *testing.T) {
	counts := map[string]int{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Nd, r) && norm.NFKC.IsNormalString(string(r)) {
			counts[core.FoldDigits(string(r))]++
		}
	}
	for d, n := range counts {
		if len(d) != 1 || n != counts["0"] {
			t.Errorf("%q stands for %d digits, 0 for %d", d, n, counts["0"])
		}
	}
}
