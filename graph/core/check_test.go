package core_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("é", 10)
	for _, tc := range []struct {
		name string
		f    func(*core.Check)
		want string
	}{
		{"line", func(c *core.Check) { c.Line("m", "a b", 10) }, ""},
		{"line at the limit, in code points", func(c *core.Check) { c.Line("m", long, 10) }, ""},
		{"line above it", func(c *core.Check) { c.Line("m", long+"é", 10) }, "too_long"},
		{"line is not trimmed", func(c *core.Check) { c.Line("m", " a ", 10) }, ""},
		{"line with a mark of direction", func(c *core.Check) { c.Line("m", "\u200fمرحبا!", 10) }, ""},
		{"line with a joined emoji", func(c *core.Check) { c.Line("m", "👩\u200d🚀", 10) }, ""},
		{"line of spaces that are not ASCII", func(c *core.Check) { c.Line("m", "\u00a0\u3000", 10) }, "too_short"},
		{"line of zero width", func(c *core.Check) { c.Line("m", "\u200b\u2060\ufeff", 10) }, "too_short"},
		{"line of joiners", func(c *core.Check) { c.Line("m", "\u200d\u034f\ufe0f", 10) }, "too_short"},
		{"line of soft hyphens", func(c *core.Check) { c.Line("m", "\u00ad\u00ad", 10) }, "too_short"},
		{"line of fillers", func(c *core.Check) { c.Line("m", "\u3164\u115f\u2800", 10) }, "too_short"},
		{"line of marks of direction", func(c *core.Check) { c.Line("m", "\u200e\u200f\u061c", 10) }, "too_short"},
		{"long text that shows nothing", func(c *core.Check) { c.Long("m", "\n\u200b\t", 10) }, "too_short"},
		{"line that turns", func(c *core.Check) { c.Line("m", "mug \u202egpj", 10) }, "invalid_format"},
		{"line that isolates", func(c *core.Check) { c.Line("m", "mug \u2067gpj", 10) }, "invalid_format"},
		{"empty line", func(c *core.Check) { c.Line("m", "", 10) }, "too_short"},
		{"blank line", func(c *core.Check) { c.Line("m", "\u3000 ", 10) }, "too_short"},
		{"line with a tab", func(c *core.Check) { c.Line("m", "a\tb", 10) }, "invalid_format"},
		{"line with DEL", func(c *core.Check) { c.Line("m", "a\x7f", 10) }, "invalid_format"},
		{"line with NUL", func(c *core.Check) { c.Line("m", "a\x00", 10) }, "invalid_format"},
		{"line with C1", func(c *core.Check) { c.Line("m", "a\u0085", 10) }, "invalid_format"},
		{"bad UTF-8", func(c *core.Check) { c.Line("m", "a\xff", 10) }, "invalid_format"},
		{"long text", func(c *core.Check) { c.Long("m", "a\tb\r\nc", 10) }, ""},
		{"long text with ESC", func(c *core.Check) { c.Long("m", "a\x1b", 10) }, "invalid_format"},
		{"no amount", func(c *core.Check) { c.Amount("m", 0) }, ""},
		{"largest amount", func(c *core.Check) { c.Amount("m", currency.MaxMinor) }, ""},
		{"above it", func(c *core.Check) { c.Amount("m", currency.MaxMinor+1) }, "out_of_range"},
		{"below zero", func(c *core.Check) { c.Amount("m", -1) }, "out_of_range"},
		{"currency", func(c *core.Check) { c.Currency("m", "eur") }, ""},
		{"no currency", func(c *core.Check) { c.Currency("m", "EURO") }, "unknown_value"},
		{"handle", func(c *core.Check) { c.Handle("m", "a-9", 3) }, ""},
		{"empty handle", func(c *core.Check) { c.Handle("m", "", 3) }, "too_short"},
		{"long handle", func(c *core.Check) { c.Handle("m", "abcd", 3) }, "too_long"},
		{"upper handle", func(c *core.Check) { c.Handle("m", "aB", 3) }, "invalid_format"},
		{"GTIN-8", func(c *core.Check) { c.GTIN("m", "96385074") }, ""},
		{"GTIN-12", func(c *core.Check) { c.GTIN("m", "614141000036") }, ""},
		{"GTIN-13", func(c *core.Check) { c.GTIN("m", "4006381333931") }, ""},
		{"GTIN-14", func(c *core.Check) { c.GTIN("m", "10614141000415") }, ""},
		{"mistyped GTIN", func(c *core.Check) { c.GTIN("m", "4006381333913") }, "invalid_format"},
		{"short GTIN", func(c *core.Check) { c.GTIN("m", "0") }, "invalid_format"},
		{"GTIN of other characters", func(c *core.Check) { c.GTIN("m", "9638507é") }, "invalid_format"},
		{"address", func(c *core.Check) { c.HTTPS("m", "https://example.com/a?b#c") }, ""},
		{"http", func(c *core.Check) { c.HTTPS("m", "http://example.com/") }, "invalid_format"},
		{"relative", func(c *core.Check) { c.HTTPS("m", "//example.com/") }, "invalid_format"},
		{"no host", func(c *core.Check) { c.HTTPS("m", "https:///a") }, "invalid_format"},
		{"a port alone", func(c *core.Check) { c.HTTPS("m", "https://:443/") }, "invalid_format"},
		{"user", func(c *core.Check) { c.HTTPS("m", "https://a@example.com/") }, "invalid_format"},
		{"a space", func(c *core.Check) { c.HTTPS("m", "https://example.com/a b") }, "invalid_format"},
		{"a long address", func(c *core.Check) { c.HTTPS("m", "https://example.com/"+strings.Repeat("a", 2029)) },
			"too_long"},
		{"absent", func(c *core.Check) { c.Required("m", false) }, "required"},
		{"present", func(c *core.Check) { c.Required("m", true) }, ""},
		{"50 tags", func(c *core.Check) { c.Tags("m", slices.Repeat([]string{"a"}, 50)) }, ""},
		{"51 tags", func(c *core.Check) { c.Tags("m", slices.Repeat([]string{"a"}, 51)) }, "too_long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &core.Check{}
			tc.f(c)
			want := ""
			if tc.want != "" {
				want = "#/m " + tc.want
			}
			if got := graphtest.FieldOf(c.Err()); got != want || (c.Err() == nil) != (want == "") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// One answer reports all faults: the facade's, then the method's, each member once.
func TestCheckCollects(t *testing.T) {
	in := model.NewDecoded([]fault.Field{{Pointer: "#/price_minor", Code: fault.InvalidType}})
	for range 2 { // the facade's list is not modified
		c := core.NewCheck(in)
		c.Amount("price_minor", -1)
		c.Line("title", "", 255)
		c.Line("title", "", 255)
		c.Tags("tags", []string{"a", "", strings.Repeat("x", 65)})
		err := c.Err()
		got := []string{graphtest.FaultOf(err)}
		for _, f := range core.Fields(c) {
			got = append(got, f.Pointer+" "+f.Code)
		}
		want := []string{"validation_failed", "#/price_minor invalid_type", "#/title too_short", "#/tags/1 too_short",
			"#/tags/2 too_long"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if core.NewCheck(model.Decoded{}).Err() != nil || new(core.Check).Err() != nil {
		t.Error("refused without a fault")
	}
}

func TestTyped(t *testing.T) {
	if got := core.CleanInput(" \u202d+49 30 1234\u202c "); got != "+49 30 1234" {
		t.Errorf("got %q", got)
	}
}
