package shop

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// colorPath is the stylesheet that passes the colors of a theme to its own stylesheets: a custom
// property for each, named in the query. The address determines the content, which never changes.
const colorPath = staticRoot + "colors.css"

// Forms of the query's names and values.
var (
	colorName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	colorValue = regexp.MustCompile(`^[0-9a-f]{6}$`)
)

// value returns the merchant's value of a setting if the theme accepts it, and the theme's default
// otherwise. A theme is never shown with a value that its author did not allow.
func (l *look) value(s theme.Setting, set map[string]string, in state.Language) string {
	v, ok := set[s.Name]
	if s.Kind == state.SettingImage && ok && (strings.HasPrefix(v, "https://") || images.IsPath(v)) {
		return v
	}
	if !ok || s.Problem(v, &theme.Package{}) != "" && (s.Kind != state.SettingImage || l.images[v] == "") {
		return s.In(in)
	}
	return v
}

// logoSetting is the image setting that shows the store's logo unless the merchant set another image.
const logoSetting = "logo"

// set returns the settings of a theme for its templates, in a store's language, and its colors.
func (l *look) set(
	doc document.ThemeSettings, logo string, in state.Language,
) (values map[string]any, colors url.Values, err error) {
	set, err := doc.Values()
	if err != nil {
		return nil, nil, fmt.Errorf("read the settings of a theme: %w", err)
	}
	values, colors = map[string]any{}, url.Values{}
	for _, s := range l.settings {
		v := l.value(s, set, in)
		switch {
		case s.Kind == state.SettingColor:
			colors.Set(s.Name, strings.TrimPrefix(v, "#"))
		case s.Kind == state.SettingImage && strings.HasPrefix(v, "https://"):
			v = storefront.SettingImagePath(v)
		case s.Kind == state.SettingImage && v == "" && s.Name == logoSetting:
			v = logo
		case s.Kind == state.SettingImage && !images.IsPath(v):
			v = l.images[v]
		}
		values[s.Name] = orNil(v)
	}
	return values, colors, nil
}

// colorLink returns the link to the stylesheet of a theme's colors, or "" if it has none.
func colorLink(colors url.Values) string {
	if len(colors) == 0 {
		return ""
	}
	return `<link rel="stylesheet" href="` + html.EscapeString(colorPath+"?"+colors.Encode()) + `">`
}

// colors serves the stylesheet that an address describes. Whatever the query, it holds nothing but
// custom properties with colors.
func (s *Shop) colors(w http.ResponseWriter, r *http.Request) {
	body, ok := colorSheet(r.URL.Query())
	if !ok {
		s.message(w, r, http.StatusNotFound, "Page not found", "Check the address for typos.")
		return
	}
	send(w, r, newPage(http.StatusOK, cssType, body, time.Time{}))
}

func colorSheet(query url.Values) (sheet []byte, ok bool) {
	if len(query) == 0 || len(query) > limit.ThemeSettings {
		return nil, false
	}
	var b strings.Builder
	b.WriteString(":root{")
	for pair := range strings.SplitSeq(query.Encode(), "&") { // sorted by name
		name, value, _ := strings.Cut(pair, "=")
		if !colorName.MatchString(name) || !colorValue.MatchString(value) {
			return nil, false
		}
		b.WriteString("--setting-" + strings.ReplaceAll(name, "_", "-") + ":#" + value + ";")
	}
	b.WriteString("}\n")
	return []byte(b.String()), true
}
