package search_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

func TestTerms(t *testing.T) {
	home := document.NewAddress(&document.AddressFields{Name: new("Zoë O'Brien"), Line1: "a", City: "b", Country: "NO"})
	got, err := search.OfOrder(&db.Order{Number: 1042, Email: new("zoe.smith@Example.com"), ShippingAddress: home,
		BillingAddress: home}, []*db.OrderLine{{Sku: new("AB-12 x")}, {Sku: new("AB-12 x")}, {Title: "Mug"}}, nil,
		&db.Customer{FirstName: new("Zoë"), LastName: new("Smith-Jones")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"ozoesmith@example.com": true, "osmith": true, "ozoe": true,
		"oobrien": true, "ojones": true, "osmithjones": true, "oab12x": false, "omug": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestProductTerms: the SKU of each variant is found, however many there are.
func TestProductTerms(t *testing.T) {
	p := &db.Product{Title: "Bolt", Options: document.NewOptions([]document.Option{{Name: "Size"}})}
	for i := range limit.Variants {
		p.Variants = append(p.Variants, &db.Variant{Sku: new("B-" + strconv.Itoa(i))})
	}
	got, err := search.OfProduct(p)
	if _, last := got["pb1999"]; err != nil || len(got) != limit.Variants+1 || !last {
		t.Errorf("%d terms (%v)", len(got), err)
	}
}

// TestAsk: every way to type a word gives the same word.
func TestAsk(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " %_* ": "", "AB-12": "ab12", "ab 12": "ab 12", "Ann.Lee@EXAMPLE": "annlee@example", "@x": "x",
		"Zoë  zoe ZOE": "zoe", "#1042": "1042",
		"1 2 3 4 5 6 7 8 9 10": "1 2 3 4 5 6 7 8 tel:12345678910", "東京都": "東京 京都",
		"👩‍🚀 mug": "mug", "\xff\xfe": "",
	} {
		if got := search.Parse(text).String(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestPhone: a telephone number is found in any spelling, whichever it was stored with, and no
// other number is.
func TestPhone(t *testing.T) {
	national := []string{"030 1234567", "(030) 123 45 67", "030/1234567", "0301234567", "030-123-4567", "1234567",
		"４５６７"}
	all := append(slices.Clone(national), "+49 30 1234567", "+49 (0)30 1234567", "004930 1234567",
		"+49.30.1234567", "٠٣٠ ١٢٣٤٥٦٧")
	for _, kept := range []string{"030 1234567", "+49 30 1234567", "+49 (0)30/123 45-67", "00 49 30 1234567",
		"٠٣٠١٢٣٤٥٦٧"} {
		terms, err := search.OfCustomer(&db.Customer{Phone: &kept})
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range all {
			if !search.Begins(terms, typed) {
				t.Errorf("%q is not found by %q", kept, typed)
			}
		}
		for _, typed := range []string{"030 1234568", "+49 40 1234567", "765 4321"} {
			if search.Begins(terms, typed) {
				t.Errorf("%q is found by %q", kept, typed)
			}
		}
	}
}

// FuzzAsk: the words of any text fit their column, and any typed part of it finds it.
func FuzzAsk(f *testing.F) {
	for _, s := range []string{"Blue mug", "T-shirt (XL)", "ann.lee+a@example.com", "東京都 タワー", "İstanbul ﬁsh", "%_*\\",
		strings.Repeat("word ", 1000), strings.Repeat("x", 5000), "\xff@\x00@\u0300", "🎈", "O'Brien’s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := search.Parse(text).String()
		q, _, _ = strings.Cut(q, " tel:")
		asked := strings.Fields(q)
		if len(asked) > 8 || !utf8.ValidString(q) {
			t.Fatalf("%q is parsed as %q", text, q)
		}
		terms := listings.Terms(text)
		for _, w := range append(asked, terms...) {
			if len(w) > 48 || w == "" {
				t.Fatalf("%q has the word %q", text, w)
			}
		}
		for _, w := range asked {
			begins := func(term string) bool { return strings.HasPrefix(term, w) }
			if !strings.Contains(text, "@") && len(text) <= 1000 && !slices.ContainsFunc(terms, begins) {
				t.Fatalf("%q has no %q, but %q", text, w, terms)
			}
		}
	})
}
