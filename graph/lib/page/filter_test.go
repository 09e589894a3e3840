package page_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/page"
)

func TestCanonicalDistinguishesSets(t *testing.T) {
	distinct := [][]string{
		{},
		{"a", ""},
		{"a"},
		{"", "a"},
		{"a", "b"},
		{"ab", ""},
		{"", "ab"},
		{"a", "b", "c", "d"},
		{"a", "bc", "d", ""},
		{"a", "b1:c", "d", ""},
		{"a", "b1:c1:d"},
		{"a", "d", "c", "b"},
		{"a", "b", "a", "b"},
		{"a", "b", "a", "c"},
		{"a", "b", "c"},
		{"a", "b", "c", ""},
		{"a", "b\x00c"},
		{"A", "b"},
		{"a", " b"},
	}
	seen := map[string]int{}
	for i, pairs := range distinct {
		text := page.Canonical(pairs...)
		if other, ok := seen[text]; ok {
			t.Errorf("%q and %q give the same %q", pairs, distinct[other], text)
		}
		seen[text] = i
	}
}

func TestCanonicalIgnoresTheOrder(t *testing.T) {
	pairs := [][2]string{{"status", "open"}, {"sku", ""}, {"email", "a@b"}, {"tag", "x"}, {"tag", "y"},
		{"created_from", "0"}}
	flat := func() []string {
		var f []string
		for _, p := range pairs {
			f = append(f, p[0], p[1])
		}
		return f
	}
	want := page.Canonical(flat()...)
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		given := flat()
		kept := slices.Clone(given)
		if got := page.Canonical(given...); got != want {
			t.Fatalf("Canonical(%q) = %q, want %q", given, got, want)
		}
		if !slices.Equal(given, kept) {
			t.Fatal("the caller's slice was changed")
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("a", "b", "c", "d")
	f.Add("a", "1:b", "", "")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		one, two := page.Canonical(a, b), page.Canonical(c, d)
		if (one == two) != (a == c && b == d) {
			t.Fatalf("(%q, %q) and (%q, %q): %q and %q", a, b, c, d, one, two)
		}
		if strings.Contains(a+b, ":") {
			return
		}
		if both := page.Canonical(a, b, c, d); both == one || both != page.Canonical(c, d, a, b) {
			t.Fatalf("two pairs: %q", both)
		}
	})
}
