package appearance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	pictures "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// set returns values in the form of the input; "-" is null.
func set(pairs ...string) (list []*model.ThemeSettingInput) {
	for i := 0; i < len(pairs); i += 2 {
		in := &model.ThemeSettingInput{Name: pairs[i], Value: &pairs[i+1]}
		if pairs[i+1] == "-" {
			in.Value = nil
		}
		list = append(list, in)
	}
	return list
}

// TestThemeSettings: saved settings are a draft until they are published, and omitted settings keep
// their values.
func TestThemeSettings(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.ImportSettable(t)
		before := p.Audited(t)
		shown := func() string {
			var b strings.Builder
			for _, s := range graphtest.Must[[]*model.ThemeSetting](t)(p.Query().ThemeSettings(p.Ctx, th.PublicID())) {
				fmt.Fprintf(&b, "%s %s %s; ", s.Name, s.Value, s.Draft)
			}
			return b.String()
		}
		for _, step := range []struct {
			values  []*model.ThemeSettingInput
			publish bool
			want    string
		}{
			{nil, false, "slogan Ours Ours; accent #102030 #102030; hero  ; "},
			{set("slogan", "Mine"), false, "slogan Ours Mine; accent #102030 #102030; hero  ; "},
			{set("accent", "#0000ff", "hero", "assets/preview.png"), true,
				"slogan Mine Mine; accent #0000ff #0000ff; hero assets/preview.png assets/preview.png; "},
			{set("accent", "-", "hero", "https://pictures.example/a.jpg"), false,
				"slogan Mine Mine; accent #0000ff #102030; hero assets/preview.png https://pictures.example/a.jpg; "},
			{set("accent", "#0000ff", "hero", "assets/preview.png"), false, // the draft is unchanged
				"slogan Mine Mine; accent #0000ff #0000ff; hero assets/preview.png assets/preview.png; "},
			{set("accent", "-", "slogan", "", "hero", "-"), true, "slogan  ; accent #102030 #102030; hero  ; "},
		} {
			graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeSettingsSave(p.Ctx, th.PublicID(), step.values,
				step.publish))
			if got := shown(); got != step.want {
				t.Errorf("got %s\nwant %s", got, step.want)
			}
		}
		if got := p.Audited(t); got != before+strings.Repeat(" theme.settings_save", 5) {
			t.Errorf("the audit log: %s", got)
		}
		copied := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeDuplicate(p.Ctx, th.PublicID(), nil)).Theme
		if string(copied.Settings) != `{"slogan":""}` {
			t.Errorf("a copy has %s", copied.Settings)
		}
	})
}

func TestThemeSettingsRefused(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th, other := p.ImportSettable(t), p.Other(t)
		for want, values := range map[string][]*model.ThemeSettingInput{
			"#/values/1/name unknown_value":   set("slogan", "x", "x", "y"),
			"#/values/0/value invalid_format": set("accent", "red"),
			"#/values/0/value too_long":       set("hero", "https://pictures.example/"+strings.Repeat("x", 3000)),
			"#/values/2/value invalid_format": set("slogan", "a", "accent", "-", "hero", "assets/style.css"),
		} {
			err := last(p.Mutation().ThemeSettingsSave(p.Ctx, th.PublicID(), values, true))
			if got := graphtest.FieldOf(err); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		for name, err := range map[string]error{
			"read": last(other.Query().ThemeSettings(other.Ctx, th.PublicID())),
			"save": last(other.Mutation().ThemeSettingsSave(other.Ctx, th.PublicID(), set("slogan", "x"), true)),
		} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s: %v", name, err)
			}
		}
		raw := p.ImportUnprocessed(t).PublicID()
		if err := last(p.Query().ThemeSettings(p.Ctx, raw)); graphtest.FaultOf(err) != "theme_not_ready" {
			t.Errorf("one in processing: %v", err)
		}
	})
}

// TestThemeSections: the sections of a home page are stored as sent, with images of the own store only.
func TestThemeSections(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th, other := p.ImportSectioned(t), p.Other(t)
		images := func(list ...*db.ProductImage) string {
			var b strings.Builder
			for _, img := range list {
				fmt.Fprintf(&b, `,{"kind":"image","image":%q}`, pictures.Path(img, img.Width))
			}
			return "[" + strings.TrimPrefix(b.String(), ",") + "]"
		}
		own := graphtest.NewMedia(t, p.Ctx, p.Resolver, 400, 300)
		foreign := graphtest.NewMedia(t, other.Ctx, other.Resolver, 400, 300)
		for value, want := range map[string]string{
			images(own):                       "",
			images(own, foreign):              "#/values/0/value unknown_value",
			`[{"kind":"text","title":"New"}]`: "",
			`[{"kind":"text"}]`:               "#/values/0/value invalid_format",
			"[":                               "#/values/0/value invalid_format",
			"":                                "",
		} {
			err := last(p.Mutation().ThemeSettingsSave(p.Ctx, th.PublicID(), set("home_sections", value), true))
			got := ""
			if err != nil {
				got = graphtest.FieldOf(err)
			}
			if got != want {
				t.Errorf("%s: %q, want %q", value, got, want)
			}
		}
	})
}
