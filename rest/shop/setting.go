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
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// colorPath is where the stylesheet is that hands a theme's colours to its own: one custom
// property for each, named in the query. The address says all that it holds, so it never
// changes.
const colorPath = staticRoot + "colors.css"

// The forms of the query's names and values.
var (
	colorName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	colorValue = regexp.MustCompile(`^[0-9a-f]{6}$`)
)

// value is what a setting is: what the merchant set if the theme takes it, or else what the
// theme has. A theme is never shown with a value that its author did not foresee.
func (l *look) value(s theme.Setting, set map[string]string, in state.Language) string {
	v, ok := set[s.Name]
	if s.Kind == state.SettingImage && ok && strings.HasPrefix(v, "https://") {
		return v
	}
	if !ok || s.Problem(v, &theme.Package{}) != "" && (s.Kind != state.SettingImage || l.images[v] == "") {
		return s.In(in)
	}
	return v
}

// set is the settings of a theme as its templates get them in a store's language, and its
// colours.
func (l *look) set(
	doc document.ThemeSettings, in state.Language,
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
			v = storefront.SettingPath(v)
		case s.Kind == state.SettingImage:
			v = l.images[v]
		}
		values[s.Name] = orNil(v)
	}
	return values, colors, nil
}

// colorLink is the link to the stylesheet of a theme's colours, "" where it has none.
func colorLink(colors url.Values) string {
	if len(colors) == 0 {
		return ""
	}
	return `<link rel="stylesheet" href="` + html.EscapeString(colorPath+"?"+colors.Encode()) + `">`
}

// colors answers with the stylesheet that an address describes. Whatever is asked for, it
// holds custom properties that are colours, and nothing else.
func (s *Shop) colors(w http.ResponseWriter, r *http.Request) {
	body, ok := colorSheet(r.URL.Query())
	if !ok {
		s.message(w, r, http.StatusNotFound, "There is nothing here", "The address may be misspelt.")
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
	for pair := range strings.SplitSeq(query.Encode(), "&") { // in the order of names
		name, value, _ := strings.Cut(pair, "=")
		if !colorName.MatchString(name) || !colorValue.MatchString(value) {
			return nil, false
		}
		b.WriteString("--setting-" + strings.ReplaceAll(name, "_", "-") + ":#" + value + ";")
	}
	b.WriteString("}\n")
	return []byte(b.String()), true
}
