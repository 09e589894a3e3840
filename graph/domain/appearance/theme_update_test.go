package appearance_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestThemeUpdate: the marketplace's version of a theme is added, with the settings that it still
// has; shoppers see the old theme.
func TestThemeUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.InstallOutdated(t)
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, th.PublicID()))
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeSettingsSave(p.Ctx, th.PublicID(),
			set("slogan", "Mine", "accent", "#0000ff", "hero", "https://pictures.example/a.jpg"), true))
		offered := func(th *model.Theme) string {
			own := appearance.New(p.Core, appearance.Engines{Themes: p.Themes})
			v, err := appearance.ThemeFields{Resolver: own}.NewVersion(p.Ctx, th)
			if v == nil || err != nil {
				return ""
			}
			return *v
		}
		for _, th := range graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, nil, nil)).Nodes {
			if want := map[bool]string{true: "2.0.0"}[th.Active]; offered(th) != want {
				t.Errorf("%s can become %q, want %q", th.Name, offered(th), want)
			}
		}
		before := p.Audited(t)
		added := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeUpdate(p.Ctx, th.PublicID())).Theme
		if added.ID == th.ID || added.Name != th.Name || *added.ThemeVersion != "2.0.0" || offered(added) != "" ||
			added.Status() != state.ThemeInactive || *added.MarketplaceThemeID != *th.MarketplaceThemeID ||
			p.Audited(t) != before+" theme.update" {
			t.Errorf("added %+v, audited%s", added.Theme, p.Audited(t))
		}
		values := graphtest.Must[map[string]string](t)(added.Settings.Values())
		if len(values) != 2 || values["slogan"] != "Mine" || values["hero"] != "https://pictures.example/a.jpg" {
			t.Errorf("settings %v", values)
		}
		if now := p.ThemeNow(t, th); now.Status() != state.ThemeActive || now.Theme.Checksum != th.Theme.Checksum {
			t.Errorf("shoppers see %+v", now.Theme)
		}
	})
}
