package page_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/page"
)

func TestParseLimit(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
		ok   bool
	}{
		{"1", 1, true}, {"50", 50, true}, {"99", 99, true}, {"100", 100, true},
		{"101", 100, true}, {"1000", 100, true}, {"9223372036854775808", 100, true},
		{"18446744073709551617", 100, true}, {strings.Repeat("9", 30), 100, true},
		{"1" + strings.Repeat("0", 5000), 100, true}, {"007", 7, true}, {strings.Repeat("0", 40) + "12", 12, true},
		{"0", 0, false}, {"000", 0, false}, {"", 0, false}, {"-1", 0, false}, {"-0", 0, false}, {"+5", 0, false},
		{"abc", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {"0x10", 0, false}, {"1_0", 0, false},
		{" 5", 0, false}, {"5 ", 0, false}, {"5\n", 0, false}, {"5\x00", 0, false}, {"٥", 0, false}, {"５", 0, false},
		{"999x", 0, false}, {"/", 0, false}, {":", 0, false},
	} {
		if got, ok := page.ParseLimit(tc.text); got != tc.want || ok != tc.ok {
			t.Errorf("ParseLimit(%.40q) = %d, %v, want %d, %v", tc.text, got, ok, tc.want, tc.ok)
		}
	}
	for n := 1; n <= 1200; n++ {
		if got, ok := page.ParseLimit(strconv.Itoa(n)); !ok || got != min(n, page.MaxLimit) {
			t.Errorf("ParseLimit(%d) = %d, %v", n, got, ok)
		}
	}
}
