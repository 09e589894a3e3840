package checkout

import (
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// Whatever color a merchant chooses, texts and buttons are readable.
func TestBrandContrast(t *testing.T) {
	for name, s := range map[string]scheme{"light": light, "dark": night} {
		for n := range 9 * 9 * 9 {
			accent := rgb{float64(n % 9), float64(n / 9 % 9), float64(n / 81)}
			for i := range accent {
				accent[i] = min(accent[i]*32, 255)
			}
			got := map[string]rgb{}
			sheet := s.properties(accent)
			for _, m := range regexp.MustCompile(`--([a-z-]+):#([0-9a-f]{6})`).FindAllStringSubmatch(sheet, -1) {
				got[m[1]], _ = parseColor(m[2])
			}
			if len(got) != 4 || got["brand"] != accent || contrast(got["link"], s.card) < 4.5 ||
				contrast(got["link"], s.page) < 4.5 || contrast(got["on-brand"], got["brand"]) < 4.5 ||
				contrast(got["on-brand"], got["brand-over"]) < 4.5 {
				t.Fatalf("%s, %s: %s", name, accent, sheet)
			}
			if edge := strings.Contains(sheet, "--brand-edge:var(--brand)"); edge != (contrast(accent, s.card) >= 3) {
				t.Errorf("%s, %s: %s", name, accent, sheet)
			}
			if contrast(accent, s.card) >= 4.5 && contrast(accent, s.page) >= 4.5 && got["link"] != accent {
				t.Errorf("%s: %s is changed without need", name, accent)
			}
		}
	}
	css, err := files.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []scheme{light, night} {
		for name, c := range map[string]rgb{"page": s.page, "card": s.card, "soft": s.soft, "brand": s.brand} {
			if !strings.Contains(s.palette(string(css)), " --"+name+": "+c.String()+";") {
				t.Errorf("the stylesheet does not have %s %s", name, c)
			}
		}
	}
}

// Pages have any color on which the text of a scheme is readable, and keep their own otherwise.
func TestBrandPages(t *testing.T) {
	body, err := files.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(body)
	for query, want := range map[string]string{
		"page=fdeee2":                  "color-scheme:light;--page:#fdeee2",
		"page=0b0d10":                  "color-scheme:dark;--page:#0b0d10",
		"page=888888":                  "",
		"page=}":                       "",
		"page=fdeee2&page_dark=141819": "color-scheme:dark;--page:#141819",
	} {
		values, _ := url.ParseQuery(query)
		sheet := branded(css, values)
		if !strings.Contains(sheet, want) || (want == "") != (sheet == "") {
			t.Errorf("%s: %s", query, sheet)
		}
	}
	for n := range 256 {
		page := rgb{float64(n), float64(n), float64(n)}
		s, ok := readableOn(page)
		if ok && (contrast(s.soft, page) < 4.5 || contrast(s.link(s.brand), page) < 4.5) {
			t.Errorf("unreadable on %s", page)
		}
	}
}

// The address of the stylesheet can set colors and nothing else.
func TestBrandStyle(t *testing.T) {
	for address, b := range map[string]storefront.Brand{
		stylePath:                                {},
		stylePath + "?accent=ffd21f":             {Accent: "#ffd21f"},
		stylePath + "?accent=ffd21f&dark=0a0b0c": {Accent: "#ffd21f", AccentDark: "#0a0b0c"},
	} {
		if got := styleOf(b); got != address {
			t.Errorf("%+v is at %s", b, got)
		}
	}
	for query, want := range map[string]string{"": "", "accent=red": "", "accent=FFD21F": "", "dark=ffd21f": "",
		"accent=ffd21f}x{": "", "accent=ffd21f": "--brand:#ffd21f", "accent=ffd21f&dark=0a0b0c": "--brand:#0a0b0c",
		"accent=ffd21f&dark=url(x)": "--brand:#ffd21f"} {
		values, _ := url.ParseQuery(query)
		if got := branded("{:root {}:root {}", values); !strings.Contains(got, want) || (want == "") != (got == "") ||
			strings.Contains(got, "url") {
			t.Errorf("%s: %s", query, got)
		}
		w := httptest.NewRecorder()
		(&visit{w: w, r: httptest.NewRequest("GET", stylePath+"?"+url.QueryEscape(query), nil)}).style()
		if !strings.Contains(w.Body.String(), "--brand: ") {
			t.Errorf("%s: no stylesheet", query)
		}
	}
}
