package checkout

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// readable is the contrast that text needs with its background (WCAG 2.2, criterion 1.4.3), and
// visible that of the edge of a button (criterion 1.4.11).
const (
	readable = 4.5
	visible  = 3
)

// rgb is a color by its channels from 0 to 255.
type rgb [3]float64

var black, white = rgb{}, rgb{255, 255, 255}

// scheme is a color scheme of page.css: the backgrounds behind text, the weakest color of text on
// pages, the accent, and whether the backgrounds are dark.
type scheme struct {
	page, card, soft, brand rgb
	dark                    bool
}

// The schemes of page.css; a test compares them.
var (
	light = scheme{page: rgb{0xf5, 0xf7, 0xfa}, card: white, soft: rgb{0x4d, 0x58, 0x6b},
		brand: rgb{0x0f, 0x5f, 0x58}}
	night = scheme{page: rgb{0x12, 0x16, 0x1d}, card: rgb{0x18, 0x1d, 0x26}, soft: rgb{0xa9, 0xb3, 0xc3},
		brand: rgb{0x63, 0xcf, 0xc0}, dark: true}
)

// parseColor reads six lower-case hexadecimal digits.
func parseColor(s string) (c rgb, ok bool) {
	if len(s) != 6 || strings.Trim(s, "0123456789abcdef") != "" {
		return c, false
	}
	var n int
	if _, err := fmt.Sscanf(s, "%x", &n); err != nil {
		return c, false
	}
	return rgb{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}, true
}

// String returns the color as in a stylesheet.
func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// mix returns the color at a part, from 0 to 1, of the way to another one, in whole channels.
func (c rgb) mix(to rgb, part float64) rgb {
	for i := range c {
		c[i] = math.Round(c[i] + (to[i]-c[i])*part)
	}
	return c
}

// luminance returns the relative luminance that WCAG defines.
func (c rgb) luminance() float64 {
	var l [3]float64
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			l[i] = v / 12.92
		} else {
			l[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

// contrast returns the contrast of two colors, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// link returns the color of links: the accent, moved as far as readability requires.
func (s scheme) link(accent rgb) rgb {
	to := black
	if s.dark {
		to = white
	}
	for part := 0.0; part < 1; part += 1.0 / 64 {
		if c := accent.mix(to, part); contrast(c, s.card) >= readable && contrast(c, s.page) >= readable {
			return c
		}
	}
	return to
}

// properties returns the custom properties of the stylesheet for an accent. A button has the accent
// as its background, with black or white text: one of them is readable on any color.
func (s scheme) properties(accent rgb) string {
	ink, edge, over := white, "var(--edge)", accent.mix(black, 0.15)
	if contrast(accent, black) > contrast(accent, white) {
		ink, over = black, accent.mix(white, 0.15)
	}
	if contrast(accent, s.card) >= visible {
		edge = "var(--brand)"
	}
	return fmt.Sprintf(":root{--link:%s;--brand:%s;--on-brand:%s;--brand-over:%s;--brand-edge:%s}\n", s.link(accent),
		accent, ink, over, edge)
}

// readableOn returns the scheme whose text is readable on pages of a color, with that color, and false
// if there is none.
func readableOn(page rgb) (scheme, bool) {
	for _, s := range []scheme{light, night} {
		if contrast(s.soft, page) >= readable {
			s.page = page
			return s, true
		}
	}
	return scheme{}, false
}

// Parameters of a stylesheet's address.
const (
	accentName     = "accent"
	accentDarkName = "dark"
	pageName       = "page"
	pageDarkName   = "page_dark"
)

// styleOf returns the address of the stylesheet in a brand's colors. The address determines the
// whole sheet, so only a new version of the program changes what it serves.
func styleOf(b storefront.Brand) string {
	query := url.Values{}
	for name, value := range map[string]string{accentName: b.Accent, accentDarkName: b.AccentDark,
		pageName: b.Background, pageDarkName: b.BackgroundDark} {
		if value != "" {
			query.Set(name, strings.TrimPrefix(value, "#"))
		}
	}
	if len(query) == 0 {
		return stylePath
	}
	return stylePath + "?" + query.Encode()
}

// branded returns the rules that are added to the stylesheet for the colors in an address. Whatever
// the query, they hold nothing but colors. Dark mode has the colors of light mode unless it has its
// own.
func branded(css string, query url.Values) string {
	rules := rulesOf(css, light, query, []string{accentName}, []string{pageName})
	if rules == "" {
		return ""
	}
	return rules + "@media (prefers-color-scheme: dark){\n" +
		rulesOf(css, night, query, []string{accentDarkName, accentName}, []string{pageDarkName, pageName}) + "}\n"
}

// rulesOf returns the custom properties for the first color in the query for accents and the first one
// for pages. Pages of a color have the scheme that is readable on it, by default s.
func rulesOf(css string, s scheme, query url.Values, accents, pages []string) (rules string) {
	if c, ok := colorOf(query, pages); ok {
		if on, ok := readableOn(c); ok {
			s, rules = on, on.palette(css)
		}
	}
	if c, ok := colorOf(query, accents); ok {
		return rules + s.properties(c)
	}
	if rules != "" {
		rules += s.properties(s.brand)
	}
	return rules
}

func colorOf(query url.Values, names []string) (c rgb, ok bool) {
	for _, name := range names {
		if c, ok = parseColor(query.Get(name)); ok {
			break
		}
	}
	return c, ok
}

// palette returns the properties of a scheme in the stylesheet css, whose first rule is that of light
// mode and whose second one is that of dark mode, with the color of the scheme's pages.
func (s scheme) palette(css string) string {
	const schemes = 3
	parts, at, name := strings.SplitN(css, ":root {", schemes), 1, "light"
	if s.dark {
		at, name = at+1, "dark"
	}
	colors, _, _ := strings.Cut(parts[at], "}")
	return ":root{" + colors + "color-scheme:" + name + ";--page:" + s.page.String() + "}\n"
}
