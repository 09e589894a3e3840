package shop

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

func TestQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " \t\n": "", " blue  mug\x00": "blue mug", "Blue MUG": "Blue MUG", "\xff": "\ufffd",
		strings.Repeat("é", 101): strings.Repeat("é", 100), strings.Repeat("a", 99) + " b": strings.Repeat("a", 99),
	} {
		if got := question(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzView: whatever is requested, a view is short, is text, and parses to itself.
func FuzzView(f *testing.F) {
	for _, target := range []string{
		"/", "/pages/imprint", "/sitemap.xml", "/sitemap-products-01kahv.xml", "/robots.txt",
		"/search?q=a+b", "/products/blue-mug", "/products/%2e", "//",
		"/products/a?variant=var_01jgn7hq3zd5va9k4m8p2r6t0w", "/search?q=%zz", "/?expires=1&preview=x",
	} {
		f.Add(target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		v := viewOf(u)
		if len(v.arg) > 3*maxPath || !utf8.ValidString(v.arg) {
			t.Errorf("%q is the view %q", target, v)
		}
		if v.kind == searchPage && question(v.arg) != v.arg {
			t.Errorf("%q is not in one form", v.arg)
		}
		if l, ok := linksOf(u.RawQuery); ok && (!signed(u.RawQuery) || len(l.fields()) != len(signedNames)) {
			t.Errorf("%q is signed with %q", u.RawQuery, l.query)
		}
	})
}

// TestDataIsWhatThemesAreJudgedWith: a page has exactly the values with which templates are tried
// at import.
func TestDataIsWhatThemesAreJudgedWith(t *testing.T) {
	photo := &storefront.Image{URL: "/a-800.jpg", Small: "/a-320.jpg", Set: "/a-320.jpg 320w, /a.jpg 400w", Width: 400,
		Height: 300, Alt: "A mug"}
	offer := &storefront.Offer{Title: "“Mug”", Images: []*storefront.Image{photo}, Handle: "mug", PriceMinor: 200,
		BeforeMinor: 300, LowestMinor: 200, Currency: "EUR",
		Image: "https://example.com/", Vendor: "Kiln", Type: "Mugs", SKU: "M-1", Tags: []string{"blue"},
		Paragraphs: []string{"One."}, Available: true, Ships: true,
		HTML: "<p>One.</p>", Maker: &document.MakerFields{Name: new("K"), Address: new("A"), Email: new("E"),
			URL: new("U"), Safety: new("S")},
		Custom: []storefront.CustomValue{{Name: "a.b", Label: "B", Type: state.FieldNumber, Value: []byte("1.5")},
			{Name: "a.c", Label: "C", Type: state.FieldURL, Value: []byte(`"https://a.example"`)}},
		Videos: []string{"https://vimeo.com/1"}, SizeChart: &storefront.Text{Title: "Sizes", Handle: "sizes"},
		Options: []document.Option{{Name: "Color", Values: []string{"Red", "Blue"}}},
		Variants: []*storefront.OfferVariant{{ID: xid.New(), Title: "Red", Texts: []string{"Red"}, PriceMinor: 200,
			Image: photo}, {ID: xid.New(), Title: "Blue", Texts: []string{"Blue"},
			Image: &storefront.Image{ID: xid.New()}}}}
	in := scene{
		shop: &storefront.State{Name: "Shop", Currency: "EUR", Language: state.German, Taxed: true, TaxIncluded: true,
			Shipping: "/pages/shipping", ContactEmail: "shop@clay.example"},
		links:    links{"expires=1&preview=2&store=3&signature=4"},
		accounts: true, settings: map[string]any{},
	}
	menu := []storefront.Link{{Title: "A", Address: "/", Children: []storefront.Link{{Title: "B", Address: "/b"}}}}
	for _, kind := range []string{homePage, productPage, searchPage, notFoundPage, textPage, productsPage} {
		c := content{view: view{kind, "mug"}, product: offer, offers: []*storefront.Offer{offer}, count: 1,
			menus: &storefront.Menus{Main: menu, Footer: menu},
			blocks: []section{{Section: theme.Section{Kind: theme.SectionImage, Title: "New", Text: "Look.",
				Label: "Go"},
				link: "/products", image: photo}, {offers: []*storefront.Offer{offer}}},
			list: &listed{asked: asked{least: "10", most: "24.90", options: []string{"Size:S"}}, own: listings.Newest,
				ProductPage: &storefront.ProductPage{Offers: []*storefront.Offer{offer}, After: "a", Before: "b"},
				facets:      []storefront.Facet{{Name: "Size", Value: "S"}}, path: storefront.ProductsPath,
				title: "Products", description: "All."},
			text: &storefront.Text{Title: "Shipping", Kind: "shipping", Description: "Twice.", HTML: "<p>Hi"}}
		got, want := shape(c.data(in, &look{name: "Plain", version: "1"})), shape(render.SampleData(kind))
		// Other pages leave the description to the theme.
		if kind != textPage && kind != productPage && kind != productsPage {
			got = append(got, ".page.description text")
			got = slices.DeleteFunc(got, func(s string) bool { return s == ".page.description nothing" })
			slices.Sort(got)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", kind, d)
		}
	}
}

// Prices, and the note that one varies, are in the store's language.
func TestPricesSpeakTheLanguageOfTheStore(t *testing.T) {
	for _, tc := range []struct {
		language    state.Language
		price, text string
	}{
		{state.English, "€1,234.50", "from €1,234.50"}, {state.German, "1.234,50\u00a0€", "ab 1.234,50\u00a0€"},
		{state.Japanese, "€1,234.50", "€1,234.50から"},
	} {
		in := scene{shop: &storefront.State{Name: "Shop", Currency: "EUR", Language: tc.language}}
		mug := &storefront.Offer{Title: "Mug", PriceMinor: 123450, Currency: "EUR", From: true}
		c := card(mug, in.links, wordsOf(in.shop))
		if c["price"] != tc.price || c["price_text"] != tc.text || c["compare_at_price"] != nil {
			t.Errorf("%s: %q, %q, before %v", tc.language, c["price"], c["price_text"], c["compare_at_price"])
		}
	}
}

// shape lists the names in a value with their types. The first member of a list stands for all.
func shape(v any) []string {
	var list []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(path+"."+name, member)
			}
		case []any:
			if len(v) > 0 {
				walk(path+"[]", v[0])
			}
		case float64:
			list = append(list, path+" number")
		case bool:
			list = append(list, path+" bool")
		case string:
			list = append(list, path+" text")
		case template.HTML:
			list = append(list, path+" HTML")
		default:
			list = append(list, path+" nothing")
		}
	}
	walk("", v)
	slices.Sort(list)
	return list
}

func TestInitial(t *testing.T) {
	for title, want := range map[string]string{
		"mug": "M", "🌶 salsa": "S", "“ölkanne”": "Ö", "3 cups": "3", "!?": "•", "": "•", "茶": "茶",
	} {
		if got := initial(title); got != want {
			t.Errorf("%q begins with %q, want %q", title, got, want)
		}
	}
}

// FuzzColorSheet: whatever the query, the stylesheet holds only colors.
func FuzzColorSheet(f *testing.F) {
	for _, query := range []string{"a=102030", "a=1&b=2", "a_b=aabbcc&c=000000", "a=102030;}*{}", "%61=102030"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, _ := url.ParseQuery(query)
		sheet, ok := colorSheet(values)
		if ok && (strings.Count(string(sheet), "{") != 1 || strings.Trim(string(sheet),
			"abcdefghijklmnopqrstuvwxyz0123456789-:#;{}\n") != "") {
			t.Errorf("%q: %s", query, sheet)
		}
	})
}
