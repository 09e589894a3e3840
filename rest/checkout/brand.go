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

// scheme is a color scheme of page.css: the backgrounds behind text, and whether they are dark.
type scheme struct {
	page, card rgb
	dark       bool
}

// The schemes of page.css; a test compares them.
var (
	light = scheme{page: rgb{0xf5, 0xf7, 0xfa}, card: white}
	night = scheme{page: rgb{0x12, 0x16, 0x1d}, card: rgb{0x18, 0x1d, 0x26}, dark: true}
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

// styleOf returns the address of the stylesheet in a brand's colors. The address determines the
// whole sheet, so only a new version of the program changes what it serves.
func styleOf(b storefront.Brand) string {
	query := url.Values{}
	for name, value := range map[string]string{"accent": b.Accent, "dark": b.AccentDark} {
		if value != "" {
			query.Set(name, strings.TrimPrefix(value, "#"))
		}
	}
	if len(query) == 0 {
		return stylePath
	}
	return stylePath + "?" + query.Encode()
}

// branded returns the rules that the stylesheet adds for the colors in an address. Whatever the
// query, they hold nothing but colors.
func branded(query url.Values) string {
	accent, ok := parseColor(query.Get("accent"))
	if !ok {
		return ""
	}
	dark, ok := parseColor(query.Get("dark"))
	if !ok {
		dark = accent
	}
	return light.properties(accent) + "@media (prefers-color-scheme: dark){\n" + night.properties(dark) + "}\n"
}
