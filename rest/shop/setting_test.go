package shop_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// setting adds a theme with settings.
func (s *stall) setting(t *testing.T) xid.ID {
	t.Helper()
	return s.themeOf(theme.Manifest{Name: "Set", Settings: []theme.Setting{
		{Name: "slogan", Kind: state.SettingText, Label: "Slogan", Default: "Ours"},
		{Name: "accent_dark", Kind: state.SettingColor, Label: "Accent", Default: "#102030"},
		{Name: "grid", Kind: state.SettingChoice, Label: "Grid", Options: []string{"wide", "even"}, Default: "wide"},
		{Name: "hero", Kind: state.SettingImage, Label: "Picture"},
	}}, func(all map[string]string) {
		all["templates/home.html"] = `{{define "content"}}<h1>{{.settings.slogan}}|{{.settings.grid}}</h1>` +
			`{{with .settings.hero}}<img src="{{.}}" alt="">{{end}}{{end}}`
	})
}

// set writes the settings of all themes of the store, valid or not.
func (s *stall) set(settings, draft map[string]string) {
	s.write(func(ctx context.Context, c *db.Client) error {
		u := c.Theme.Update().SetSettings(document.NewThemeSettings(settings))
		if draft != nil {
			u.SetDraftSettings(document.NewThemeSettings(draft))
		}
		return u.Exec(ctx)
	})
	s.clock.add(time.Second)
}

// front writes how the shop looks beyond its theme.
func (s *stall) front(f document.StorefrontFields) {
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStorefront(document.NewStorefront(f)).AddVersion(1).Exec(ctx)
	})
	s.clock.add(time.Second)
}

// TestSettings: visitors see published values, previews saved ones, and nobody a value that the
// theme does not allow.
func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		id := s.setting(t)
		s.activate(id)
		s.clock.add(time.Second)
		const colors = `<link rel="stylesheet" href="/_storefront/colors.css?accent_dark=`
		s.get("/").want(t, 200, "<h1>Ours|wide</h1>", "!<img", colors+`102030">`)
		s.set(map[string]string{"slogan": "<b>Theirs</b>", "accent_dark": "#0000ff", "grid": "even"},
			map[string]string{"slogan": "", "hero": "https://pictures.example/a.jpg"})
		s.get("/").want(t, 200, "<h1>&lt;b&gt;Theirs&lt;/b&gt;|even</h1>", "!<img", colors+`0000ff">`)
		s.get(s.link(id, time.Hour)).want(t, 200, "<h1>|wide</h1>", `<img src="/pictures/`, colors+`102030">`)
		s.set(map[string]string{"accent_dark": "#0}body{display:none", "grid": "narrow", "hero": "assets/x.png",
			"gone": "x"}, nil)
		s.get("/").want(t, 200, "<h1>Ours|wide</h1>", "!<img", colors+`102030">`)
		s.get("/_storefront/colors.css?accent_dark=0000ff&b=102030").
			want(t, 200, ":root{--setting-accent-dark:#0000ff;--setting-b:#102030;}")
		for _, query := range []string{"", "?", "?a=red", "?A=102030", "?a=102030;}", "?a=102030&a%7D=102030"} {
			s.get("/_storefront/colors.css"+query).want(t, 404)
		}
	})
}

// TestBrand: the brand follows the merchant's theme settings, if the theme accepts them.
func TestBrand(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		brand := func() storefront.Brand {
			st, err := s.core.Storefront().State(viewer.Visitor(t.Context(), s.id))
			if err != nil {
				t.Fatal(err)
			}
			return s.shops.Brand(t.Context(), st)
		}
		if b := brand(); b != (storefront.Brand{}) {
			t.Errorf("a theme without settings has %+v", b)
		}
		s.activate(s.themeOf(theme.Manifest{Name: "Brand", Settings: []theme.Setting{
			{Name: "accent", Kind: state.SettingColor, Label: "Accent", Default: "#102030"},
			{Name: "accent_dark", Kind: state.SettingText, Label: "No colour", Default: "#405060"},
			{Name: "logo", Kind: state.SettingImage, Label: "Logo"},
		}}))
		if b := brand(); b != (storefront.Brand{Accent: "#102030"}) {
			t.Errorf("unset: %+v", b)
		}
		logo := "https://pictures.example/logo.png"
		s.set(map[string]string{"accent": "#0000ff", "logo": logo}, nil)
		if b := brand(); b != (storefront.Brand{Accent: "#0000ff", Logo: storefront.SettingImagePath(logo)}) {
			t.Errorf("set: %+v", b)
		}
		const own = "/pictures/img_00000000000000000000000000/0123456789abcdef0123456789abcdef.png"
		s.set(map[string]string{"logo": own}, nil)
		if b := brand(); b.Logo != own {
			t.Errorf("a file of the media library: %+v", b)
		}
		s.set(nil, nil)
		s.front(document.StorefrontFields{Logo: own + "?logo", Favicon: own})
		if b := brand(); b != (storefront.Brand{Accent: "#102030", Logo: own + "?logo", Favicon: own}) {
			t.Errorf("the store's: %+v", b)
		}
		s.get("/").want(t, 200, `<link rel="icon" href="`+own+`">`)
		s.front(document.StorefrontFields{})
		s.set(map[string]string{"accent": "#0}body{", "logo": "javascript:x"}, nil)
		if b := brand(); b != (storefront.Brand{Accent: "#102030"}) {
			t.Errorf("nonsense: %+v", b)
		}
	})
}
