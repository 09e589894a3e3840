package invoice

import "testing"

// TestSplitNumber: the whole number of an invoice has one series and one number.
func TestSplitNumber(t *testing.T) {
	for text, want := range map[string]struct {
		series string
		number int64
	}{
		"INV-17": {"INV-", 17}, "2026-3": {"2026-", 3}, "5": {"", 5}, "INV-": {"INV-", -1}, "": {"", -1},
		"99999999999999999999": {"", -1},
	} {
		if series, number := splitNumber(text); series != want.series || number != want.number {
			t.Errorf("%q: got %q and %d", text, series, number)
		}
	}
}
