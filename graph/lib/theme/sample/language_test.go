package sample_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// addresses matches the names of data that is not text.
var addresses = regexp.MustCompile(`url$|^(href|srcset|origin|handle|id|path|language|direction|kind|image)$`)

// translate replaces all letters of the texts in a value by one that no theme uses.
func translate(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = translate(name, member)
		}
	case []any:
		for i, member := range v {
			v[i] = translate(name, member)
		}
	case string:
		if !addresses.MatchString(name) {
			return letters.ReplaceAllString(v, "ж")
		}
	}
	return v
}

var letters = regexp.MustCompile(`\p{Latin}`)

// spoken returns the texts of a page, including those for screen readers, but not those marked as
// English.
func spoken(page string) (texts []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	english := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return texts
		case html.TextToken:
			if english == "" {
				texts = append(texts, string(z.Text()))
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == english {
				english = ""
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			for _, a := range t.Attr {
				switch {
				case a.Key == "lang" && t.Data != "html":
					english = t.Data
				case a.Key == "aria-label", a.Key == "placeholder", a.Key == "alt", a.Key == "title",
					a.Key == "content" && slices.Contains(t.Attr, html.Attribute{Key: "name", Val: "description"}):
					texts = append(texts, a.Val)
				}
			}
		}
	}
}

// A theme has no texts of its own: every text is in the language of the store.
func TestThemesSpeakTheLanguageOfTheStore(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range pages {
			for _, v := range variants {
				if v.name == "hostile" {
					continue
				}
				data := render.SampleData(page)
				v.change(data)
				translate("", data)
				if article, ok := data["article"].(map[string]any); ok {
					article["body"] = nil
				}
				if product, ok := data["product"].(map[string]any); ok {
					product["body"], product["maker"].(map[string]any)["url"] = nil, nil
				}
				for _, text := range spoken(show(t, made, page, data)) {
					if letters.MatchString(text) {
						t.Errorf("%s, %s: %q", page, v.name, strings.TrimSpace(text))
					}
				}
			}
		}
	})
}

// The texts that merchants may change are at first in the language of the store, if the theme has
// them in that language. All texts of all themes are in the same languages.
func TestSettingsSpeakTheLanguageOfTheStore(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		for _, setting := range read(t, s).Manifest.Settings {
			for _, l := range []state.Language{state.German, state.French, state.Spanish, state.Japanese,
				state.Arabic} {
				if setting.Kind == state.SettingText && setting.Default != "" && setting.In(l) == setting.Default {
					t.Errorf("%s in %s is %q", setting.Name, l, setting.Default)
				}
			}
		}
	})
}
