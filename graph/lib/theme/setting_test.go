package theme

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/state"
)

// settingManifest returns a manifest with settings in JSON.
func settingManifest(settings string) string {
	return `{"name": "Plain", "settings": ` + settings + `}`
}

// oneOfEach is a setting of every kind.
const oneOfEach = `[
	{"name": "slogan", "type": "text", "label": "Slogan", "default": "Fair <&>"},
	{"name": "note", "type": "text", "label": "Note", "defaults": {"de": "Grüße", "ar": ""}},
	{"name": "accent", "type": "color", "label": "Accent", "default": "#2b3fd6"},
	{"name": "grid", "type": "choice", "label": "Grid", "options": ["wide", "Größe"], "default": "wide"},
	{"name": "hero", "type": "image", "label": "Picture", "default": "assets/preview.png"}]`

func TestSettings(t *testing.T) {
	p := mustRead(t, good().with("theme.json", settingManifest(oneOfEach),
		"templates/home.html", `{{define "content"}}<p title="{{.settings.slogan}}">{{.settings.grid}}</p>`+
			`{{with .settings.hero}}<img src="{{.}}" alt="">{{end}}{{end}}`).zip())
	if len(p.Manifest.Settings) != 5 || p.Manifest.Settings[3].Options[1] != "Größe" {
		t.Fatalf("read %+v", p.Manifest.Settings)
	}
	back, err := Parse(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept(p), back); diff != "" {
		t.Error(diff)
	}
	// A package without settings keeps its original encoding.
	if plain := mustRead(t, good().zip()).Encode(); !bytes.HasPrefix(plain, []byte(`{"form":1,`)) ||
		bytes.Contains(plain, []byte("settings")) {
		t.Errorf("a package without settings: %.200s", plain)
	}
	if note := back.Manifest.Settings[1]; note.In(state.German) != "Grüße" || note.In(state.French) != "" {
		t.Errorf("the defaults of the note are %v", note.Defaults)
	}
	values := map[string][2]string{ // a valid value, and an invalid one
		"slogan": {"", "two\nlines"}, "note": {"Grüße", strings.Repeat("x", 1001)}, "accent": {"#00ff00", "red;}"},
		"grid": {"Größe", "narrow"}, "hero": {"", "assets/style.css"},
	}
	for _, s := range p.Manifest.Settings {
		v := values[s.Name]
		if s.Problem(v[0], p) != "" || s.Problem(v[1], p) == "" {
			t.Errorf("%s: %q is %q, %q is %q", s.Name, v[0], s.Problem(v[0], p), v[1], s.Problem(v[1], p))
		}
	}
}

func TestSettingsRefused(t *testing.T) {
	one := func(members string) string { return `[{"name": "a", "label": "A", ` + members + `}]` }
	for settings, want := range map[string]string{
		`{}`:                          "settings: Must be an array",
		`[1]`:                         "settings/0: Must be an object",
		one(`"type": "text", "x": 1`): "settings/0/x",
		one(`"type": "text", "defaults": {"xx": "a"}`):                                   "settings/0/defaults/xx",
		one(`"type": "text", "defaults": {"de": "a\nb"}`):                                "settings/0/defaults/de",
		one(`"type": "image", "defaults": {"de": ""}`):                                   "Only text settings may have defaults",
		one(`"type": "font"`):                                                            "The type must be text, color, choice or image.",
		one(`"type": "color"`):                                                           "A color is #",
		one(`"type": "color", "default": "#FFF"`):                                        "A color is #",
		one(`"type": "choice", "options": ["a"], "default": "a"`):                        "A choice must have 2 to",
		one(`"type": "choice", "options": ["a", "a"], "default": "a"`):                   "A choice must have 2 to",
		one(`"type": "choice", "options": ["a", "b"], "default": "c"`):                   "It must be one of a, b.",
		one(`"type": "text", "options": ["a", "b"]`):                                     "A choice must have 2 to",
		one(`"type": "image", "default": "assets/none.png"`):                             "It is not the path",
		`[{"name": "A", "label": "A", "type": "text"}]`:                                  "The name must be at most 32",
		`[{"name": "a", "label": "", "type": "text"}]`:                                   "The label must be one line",
		"[" + strings.Repeat(`{"name": "a", "label": "A", "type": "text"},`, 2) + `{}]`:  "Another setting",
		"[" + strings.Repeat(`{"name": "a", "label": "A", "type": "text"},`, 40) + `{}]`: "more than 40 settings",
	} {
		_, err := Read(good().with("theme.json", settingManifest(settings)).zip())
		found, ok := errors.AsType[*Problems](err)
		if !ok || !strings.Contains(found.Error(), want) {
			t.Errorf("%.80s: %v, want %q", settings, err, want)
		}
	}
}
