package listings_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// TestRank: a product with the word in its title, exactly as typed, comes first.
func TestRank(t *testing.T) {
	q := listings.Parse("blue mug")
	var last int
	for i, texts := range []listings.Texts{
		{Title: "Blue mug, large"}, {Title: "Mug, blue", SKU: "M-1"}, {Title: "Cup", Vendor: "Blue",
			Tags: []string{"mug"}}, {Title: "Mugs in bluish"}, {Title: "Cup"},
	} {
		rank := q.Rank(texts)
		if i > 0 && rank >= last {
			t.Errorf("%+v has %d, the one before %d", texts, rank, last)
		}
		last = rank
	}
}

func TestAlike(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"brake", "braek", true}, {"brake", "brke", true}, {"brake", "brakke", true}, {"brake", "brave", true},
		{"brakes", "braek", true}, {"brake", "bread", false}, {"mug", "bug", true}, {"", "", true},
		{"abcd", "badc", false},
	} {
		if got := listings.Alike(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q: %t", tc.a, tc.b, got)
		}
		if listings.Alike(tc.a, tc.b) != listings.Alike(tc.b, tc.a) {
			t.Errorf("%q and %q: not the same the other way", tc.a, tc.b)
		}
	}
}

// TestSpellings: few rows lead to a word, and their values fit the columns.
func TestSpellings(t *testing.T) {
	for _, w := range []string{"a", "brake", "brk300disc", strings.Repeat("ö", 100), "donaudampfschiffahrts"} {
		for _, s := range listings.Words(w) {
			list := listings.Spellings(s)
			if len(list) > 70 {
				t.Errorf("%q has %d spellings", s, len(list))
			}
			for _, spelling := range list {
				if len(spelling) > 49 || !utf8.ValidString(spelling) {
					t.Errorf("%q has the spelling %q", s, spelling)
				}
			}
		}
	}
	if got := fmt.Sprint(listings.Words("Men's T-Shirt, 100% 綿花糖")); got != "[mens t shirt 100 綿花 花糖 糖]" {
		t.Error(got)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Jalapeño", "SOẞE", "İstanbul", "ｱ", "ﬁ", "\xff", "é\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := listings.Fold(s)
		if !utf8.ValidString(s) {
			return
		}
		if again := listings.Fold(once); again != once {
			t.Errorf("%q folds to %q and then to %q", s, once, again)
		}
		if upper := listings.Fold(strings.ToUpper(s)); listings.ASCII(s) && upper != once {
			t.Errorf("%q folds to %q, in capitals to %q", s, once, upper)
		}
	})
}
