package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/fault"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("é", 10)
	for _, tc := range []struct {
		name string
		f    func(*check)
		want string
	}{
		{"line", func(c *check) { c.line("m", "a b", 10) }, ""},
		{"line at the limit, in code points", func(c *check) { c.line("m", long, 10) }, ""},
		{"line above it", func(c *check) { c.line("m", long+"é", 10) }, "too_long"},
		{"line is not trimmed", func(c *check) { c.line("m", " a ", 10) }, ""},
		{"empty line", func(c *check) { c.line("m", "", 10) }, "too_short"},
		{"blank line", func(c *check) { c.line("m", "\u3000 ", 10) }, "too_short"},
		{"line with a tab", func(c *check) { c.line("m", "a\tb", 10) }, "invalid_format"},
		{"line with DEL", func(c *check) { c.line("m", "a\x7f", 10) }, "invalid_format"},
		{"line with NUL", func(c *check) { c.line("m", "a\x00", 10) }, "invalid_format"},
		{"line with C1", func(c *check) { c.line("m", "a\u0085", 10) }, "invalid_format"},
		{"bad UTF-8", func(c *check) { c.line("m", "a\xff", 10) }, "invalid_format"},
		{"long text", func(c *check) { c.long("m", "a\tb\r\nc", 10) }, ""},
		{"long text with ESC", func(c *check) { c.long("m", "a\x1b", 10) }, "invalid_format"},
		{"no amount", func(c *check) { c.amount("m", 0) }, ""},
		{"largest amount", func(c *check) { c.amount("m", currency.MaxMinor) }, ""},
		{"above it", func(c *check) { c.amount("m", currency.MaxMinor+1) }, "out_of_range"},
		{"below zero", func(c *check) { c.amount("m", -1) }, "out_of_range"},
		{"currency", func(c *check) { c.currency("m", "eur") }, ""},
		{"no currency", func(c *check) { c.currency("m", "EURO") }, "unknown_value"},
		{"handle", func(c *check) { c.handle("m", "a-9", 3) }, ""},
		{"empty handle", func(c *check) { c.handle("m", "", 3) }, "too_short"},
		{"long handle", func(c *check) { c.handle("m", "abcd", 3) }, "too_long"},
		{"upper handle", func(c *check) { c.handle("m", "aB", 3) }, "invalid_format"},
		{"address", func(c *check) { c.https("m", "https://example.com/a?b#c") }, ""},
		{"http", func(c *check) { c.https("m", "http://example.com/") }, "invalid_format"},
		{"relative", func(c *check) { c.https("m", "//example.com/") }, "invalid_format"},
		{"no host", func(c *check) { c.https("m", "https:///a") }, "invalid_format"},
		{"a port alone", func(c *check) { c.https("m", "https://:443/") }, "invalid_format"},
		{"user", func(c *check) { c.https("m", "https://a@example.com/") }, "invalid_format"},
		{"a space", func(c *check) { c.https("m", "https://example.com/a b") }, "invalid_format"},
		{"a long address", func(c *check) { c.https("m", "https://example.com/"+strings.Repeat("a", 2029)) }, "too_long"},
		{"absent", func(c *check) { c.required("m", false) }, "required"},
		{"present", func(c *check) { c.required("m", true) }, ""},
		{"50 tags", func(c *check) { c.tags("m", slices.Repeat([]string{"a"}, 50)) }, ""},
		{"51 tags", func(c *check) { c.tags("m", slices.Repeat([]string{"a"}, 51)) }, "too_long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &check{}
			tc.f(c)
			want := ""
			if tc.want != "" {
				want = "#/m " + tc.want
			}
			if got := fieldOf(c.err()); got != want || (c.err() == nil) != (want == "") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// One answer names everything: what the facade found, then what the method
// found, each member once.
func TestCheckCollects(t *testing.T) {
	ctx := WithFields(t.Context(), []fault.Field{{Pointer: "#/price_minor", Code: fault.InvalidType}})
	for range 2 { // the facade's list is not written to
		c := newCheck(ctx)
		c.amount("price_minor", -1)
		c.line("title", "", 255)
		c.line("title", "", 255)
		c.tags("tags", []string{"a", "", strings.Repeat("x", 65)})
		err := c.err()
		got := []string{faultOf(err)}
		for _, f := range c.fields {
			got = append(got, f.Pointer+" "+f.Code)
		}
		want := []string{"validation_failed", "#/price_minor invalid_type", "#/title too_short", "#/tags/1 too_short", "#/tags/2 too_long"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if WithFields(t.Context(), nil) != t.Context() || newCheck(t.Context()).err() != nil {
		t.Error("nothing wrong, yet refused")
	}
}
