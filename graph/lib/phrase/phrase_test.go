package phrase

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/feature/plural"

	"github.com/storefront-go/storefront/ent/state"
)

var places = regexp.MustCompile(`\{[^}]*\}`)

func placesOf(text string) []string {
	return slices.Sorted(slices.Values(places.FindAllString(text, -1)))
}

func TestLanguagesHaveTheSameTexts(t *testing.T) {
	for _, l := range state.Languages() {
		texts := In(l)
		if texts.Language != l || texts.Tag().String() != string(l) {
			t.Fatalf("%s: got the texts of %s", l, texts.Language)
		}
		if len(texts.Texts) != len(In(state.English).Texts) || len(texts.Plurals) != len(In(state.English).Plurals) ||
			len(texts.Separator) != 1 || len(texts.Point) != 1 || texts.Direction != "ltr" && texts.Direction != "rtl" {
			t.Errorf("%s: the file has other texts than the English one, or lacks a format", l)
		}
		for k := range In(state.English).Texts {
			text := texts.Say(k)
			if strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text {
				t.Errorf("%s: text %s is %q", l, k, text)
			}
			if diff := cmp.Diff(placesOf(In(state.English).Say(k)), placesOf(text)); diff != "" {
				t.Errorf("%s: places of text %s, %q (-English +this):\n%s", l, k, text, diff)
			}
		}
		for i, m := range texts.Months {
			if m == "" || slices.Index(texts.Months[:], m) != i {
				t.Errorf("%s: month %d is %q", l, i+1, m)
			}
		}
	}
}

func TestCountHasEveryForm(t *testing.T) {
	for _, l := range state.Languages() {
		for p, f := range In(l).Plurals {
			if !slices.Equal(placesOf(f["other"]), []string{"{0}"}) {
				t.Errorf("%s: plural %s has no text with the number: %q", l, p, f["other"])
			}
			for n := range int64(210) {
				if form(In(l).Tag(), n) != plural.Other && l == state.Arabic && f.of(form(In(l).Tag(), n)) == "" {
					t.Errorf("%s: plural %s has no text for %d", l, p, n)
				}
			}
		}
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		language state.Language
		n        int64
		want     string
	}{
		{state.English, 0, "0 items"},
		{state.English, 1, "1 item"},
		{state.English, 2, "2 items"},
		{state.English, math.MaxInt64, "9223372036854775807 items"},
		{state.German, 1, "1 Artikel"},
		{state.French, 0, "0 article"},
		{state.French, 2, "2 articles"},
		{state.Japanese, 1, "1点"},
		{state.Arabic, 0, "لا منتجات"},
		{state.Arabic, 1, "منتج واحد"},
		{state.Arabic, 2, "منتجان"},
		{state.Arabic, 5, "5 منتجات"},
		{state.Arabic, 11, "11 منتجًا"},
		{state.Arabic, 100, "100 منتج"},
		{state.Arabic, 10_000_011, "10000011 منتجًا"},
	} {
		if got := In(tt.language).Count(Items, tt.n); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.language, tt.n, got, tt.want)
		}
	}
}

func TestMoney(t *testing.T) {
	for _, tt := range []struct {
		language state.Language
		minor    int64
		code     string
		want     string
	}{
		{state.English, 123_456, "EUR", "€1,234.56"},
		{state.German, 123_456, "EUR", "1.234,56\u00a0€"},
		{state.French, 123_456, "EUR", "1\u202f234,56\u00a0€"},
		{state.Spanish, 1_234_567, "EUR", "12.345,67\u00a0€"},
		{state.Japanese, 1200, "JPY", "￥1,200"},
		{state.Arabic, 1999, "EUR", "\u200f19.99\u00a0€"},
		{state.German, 1500, "KWD", "1,500\u00a0KWD"},
		{state.English, -100, "USD", "-$1.00"},
		{state.English, 12, "???", "12\u00a0???"},
	} {
		if got := In(tt.language).Money(tt.minor, tt.code); got != tt.want {
			t.Errorf("%s %d %s: %q, want %q", tt.language, tt.minor, tt.code, got, tt.want)
		}
	}
}

func TestDate(t *testing.T) {
	day := time.Date(2026, time.March, 9, 23, 0, 0, 0, time.UTC)
	want := map[state.Language]string{
		state.English: "9 March 2026", state.German: "9. März 2026", state.French: "9 mars 2026",
		state.Spanish: "9 de marzo de 2026", state.Japanese: "2026年3月9日", state.Arabic: "9 مارس 2026",
	}
	for l, text := range want {
		if got := In(l).Date(day); got != text {
			t.Errorf("%s: %q, want %q", l, got, text)
		}
	}
}

func TestSayIgnoresPlaceholdersInArguments(t *testing.T) {
	if got := In(state.Japanese).Say(ConfirmedSubject, "{1}", "{0}"); got != "{0}のご注文 {1}" {
		t.Errorf("got %q", got)
	}
}

func TestInFallsBackToEnglish(t *testing.T) {
	if got := In("tlh").Say(Cart); got != "Cart" {
		t.Errorf("got %s", strconv.Quote(got))
	}
}
