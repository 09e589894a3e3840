package theme

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Setting is a property of a theme that merchants may change. The members have the names of
// theme.json and of encoded packages.
type Setting struct {
	Name    string            `json:"name"` // 1 to 32 characters of a-z, 0-9 and _, starting with a letter
	Kind    state.SettingKind `json:"type"`
	Label   string            `json:"label"`   // shown to merchants, 1 to 64 characters
	Default string            `json:"default"` // a value, or "" for none; colors and choices have one
	// Options are the values of a choice, nil for other kinds.
	Options []string `json:"options,omitempty"`
	// Defaults are the defaults of a text in other languages, by language code.
	Defaults map[state.Language]string `json:"defaults,omitempty"`
}

// In returns the default in the language of a store.
func (s Setting) In(l state.Language) string {
	if text, ok := s.Defaults[l]; ok {
		return text
	}
	return s.Default
}

// Patterns of settings.
var (
	settingName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	colorForm   = regexp.MustCompile(`^#[0-9a-f]{6}$`)
)

// Problem returns what is wrong with a value of the setting in its theme, or "". An image is the
// path of one of the theme's; whether other images are allowed is not checked here.
func (s Setting) Problem(value string, p *Package) string {
	switch {
	case s.Kind == state.SettingColor && !colorForm.MatchString(value):
		return "A color is # and six hexadecimal digits in lower case."
	case s.Kind == state.SettingChoice && !slices.Contains(s.Options, value):
		return "It must be one of " + strings.Join(s.Options, ", ") + "."
	case s.Kind == state.SettingImage && value != "" && !p.hasImage(value):
		return "It is not the path of an image in the theme."
	case s.Kind == state.SettingText && s.Name == SectionsSetting:
		if _, err := ReadSections(value); err != nil {
			return err.Error()
		}
		return ""
	case utf8.RuneCountInString(value) > limit.ThemeSetting:
		return "It is longer than " + strconv.Itoa(limit.ThemeSetting) + " characters."
	case strings.ContainsFunc(value, unicode.IsControl):
		return "It has control characters."
	}
	return ""
}

func (p *Package) hasImage(path string) bool {
	a, ok := p.Find(path)
	return ok && a.Kind == state.AssetImage
}

func readSettings(r *wire.Reader) (list []Setting) {
	all, _ := r.Array("settings")
	if all == nil {
		return nil
	}
	for _, one := range all {
		s := Setting{Options: one.Strings("options")}
		for name, to := range map[string]*string{"name": &s.Name, "type": (*string)(&s.Kind), "label": &s.Label,
			"default": &s.Default} {
			if t := one.String(name); t != nil {
				*to = *t
			}
		}
		if in := one.Object("defaults"); in != nil {
			s.Defaults = map[state.Language]string{}
			for _, l := range state.Languages() {
				if t := in.String(string(l)); t != nil {
					s.Defaults[l] = *t
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// checkSettings checks the manifest's settings. Their default images are checked once the assets
// are known, see [Package.checkDefaults].
func (m Manifest) checkSettings(found *Problems) {
	if len(m.Settings) > limit.ThemeSettings {
		found.add(manifestName, "There are more than %d settings.", limit.ThemeSettings)
	}
	names := map[string]bool{}
	for i, s := range m.Settings {
		at := "settings/" + strconv.Itoa(i)
		note := func(wrong bool, detail string) {
			if wrong {
				found.add(manifestName, "%s: %s", at, detail)
			}
		}
		note(!settingName.MatchString(s.Name),
			"The name must be at most 32 characters of a-z, 0-9 and _, starting with a letter.")
		note(names[s.Name], "Another setting has this name.")
		note(!s.Kind.Known(), "The type must be text, color, choice or image.")
		note(!plain(s.Label, limit.Label),
			"The label must be one line of 1 to "+strconv.Itoa(limit.Label)+" characters.")
		note(s.Defaults != nil && s.Kind != state.SettingText,
			"Only text settings may have defaults in other languages.")
		note(!s.optionsFit(), "A choice must have 2 to "+strconv.Itoa(limit.ThemeOptions)+
			" different options of one line each; other types have none.")
		names[s.Name] = true
	}
}

// optionsFit reports whether a choice has options and other kinds have none.
func (s Setting) optionsFit() bool {
	if s.Kind != state.SettingChoice {
		return s.Options == nil
	}
	seen := map[string]bool{}
	for _, o := range s.Options {
		if seen[o] || !plain(o, limit.Label) {
			return false
		}
		seen[o] = true
	}
	return len(seen) >= 2 && len(seen) <= limit.ThemeOptions
}

// plain reports whether a text is one line of 1 to most characters.
func plain(text string, most int) bool {
	n := utf8.RuneCountInString(text)
	return n >= 1 && n <= most && strings.TrimSpace(text) != "" && !strings.ContainsFunc(text, unicode.IsControl)
}

func (p *Package) checkDefaults(found *Problems) {
	for i, s := range p.Manifest.Settings {
		if detail := s.Problem(s.Default, p); detail != "" {
			found.add(manifestName, "settings/%d/default: %s", i, detail)
		}
		for _, l := range state.Languages() {
			if detail := s.Problem(s.In(l), p); detail != "" && s.Defaults != nil {
				found.add(manifestName, "settings/%d/defaults/%s: %s", i, l, detail)
			}
		}
	}
}

// Sample returns values of the settings with which templates are tried: of all settings, or only of
// those that always have a value. An image is an address.
func (m Manifest) Sample(full bool) map[string]any {
	values := map[string]any{}
	for _, s := range m.Settings {
		switch {
		case s.Kind == state.SettingColor, s.Kind == state.SettingChoice:
			values[s.Name] = s.Default
		case !full, s.Name == SectionsSetting: // templates have the sections themselves
			values[s.Name] = nil
		case s.Kind == state.SettingImage:
			values[s.Name] = "/pictures/d41d8cd98f00b204e9800998ecf8427e/theme"
		default:
			values[s.Name] = "Fair & “square” <since 1974>"
		}
	}
	return values
}
