package limit_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
)

func TestBytes(t *testing.T) {
	for _, r := range []rune{'a', 'ä', '€', utf8.MaxRune} {
		if text := strings.Repeat(string(r), limit.Line); len(text) > limit.Bytes(limit.Line) {
			t.Errorf("a line of %q takes %d bytes", r, len(text))
		}
	}
}

// Published limits only grow: these are the limits of the first version.
func TestPublishedLimits(t *testing.T) {
	for _, tc := range []struct {
		name      string
		got, want int
	}{
		{"Line", limit.Line, 255}, {"Label", limit.Label, 64}, {"PostalCode", limit.PostalCode, 32},
		{"Note", limit.Note, 5000}, {"ReviewNote", limit.ReviewNote, 1000}, {"Description", limit.Description, 65535},
		{"ThemeDescription", limit.ThemeDescription, 1000}, {"Password", limit.Password, 256},
		{"Email", limit.Email, 254}, {"URL", limit.URL, 2048}, {"Handle", limit.Handle, 120},
		{"StoreHandle", limit.StoreHandle, 63}, {"Locale", limit.Locale, 35}, {"Timezone", limit.Timezone, 64},
		{"Source", limit.Source, 64}, {"Category", limit.Category, 32}, {"Version", limit.Version, 64},
		{"IdempotencyKey", limit.IdempotencyKey, 255}, {"Page", limit.Page, 100}, {"Tags", limit.Tags, 50},
		{"Addresses", limit.Addresses, 50}, {"Lines", limit.Lines, 100}, {"Categories", limit.Categories, 10},
		{"EventNames", limit.EventNames, 100}, {"RedirectURIs", limit.RedirectURIs, 20},
		{"Quantity", limit.Quantity, 1_000_000}, {"HeaderName", limit.HeaderName, 64},
		{"HeaderValue", limit.HeaderValue, 1024}, {"FilterField", limit.FilterField, 128},
		{"FilterText", limit.FilterText, 4096}, {"Headers", limit.Headers, 10}, {"Filters", limit.Filters, 10},
		{"FilterValues", limit.FilterValues, 50}, {"Retries", limit.Retries, 1000},
		{"ExportIDs", limit.ExportIDs, 250},
		{"EndpointRate", limit.EndpointRate, 1000},
		{"Inventory", limit.Inventory, 2147483647}, {"Options", limit.Options, 3}, {"Variants", limit.Variants, 2000},
		{"Weight", limit.Weight, 1_000_000_000},
	} {
		if tc.got < tc.want {
			t.Errorf("%s: got %d, want at least %d", tc.name, tc.got, tc.want)
		}
	}
	if limit.ShortPassword != 10 {
		t.Errorf("ShortPassword: got %d, want 10", limit.ShortPassword)
	}
}
