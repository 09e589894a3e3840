package appearance_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The marketplace lists published themes, the most recently published first. Cursors stay valid
// while others are published and unlisted.
func TestMarketplaceThemes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.ImportTheme(t, "Linen")
		want := []string{"plain"}
		for i := range 6 {
			l := graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
				model.MarketplaceThemeSubmitInput{ThemeID: th.PublicID(),
					Slug: new(fmt.Sprint("theme-", i))})).Submission
			p.Move(t, l, []state.ListingStatus{state.ListingPublished, state.ListingUnlisted}[i%2])
			if i%2 == 0 {
				want = append(want, l.Slug)
			}
		}
		slices.Reverse(want)
		var got []string
		var after *string
		for {
			page := graphtest.Must[*model.MarketplaceThemeConnection](t)(p.Query().MarketplaceThemes(p.Ctx, new(1),
				after))
			for _, m := range page.Nodes {
				got = append(got, m.Slug)
			}
			if page.Next == "" {
				break
			}
			after = &page.Next
			l := graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
				model.MarketplaceThemeSubmitInput{ThemeID: th.PublicID()})).Submission
			p.Move(t, l, state.ListingPublished)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// Publishing again moves a theme to the front.
func TestMarketplaceRepublish(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		one, two := p.SubmitAs(t, state.ListingPublished), p.SubmitAs(t, state.ListingPublished)
		p.Mutation().MarketplaceThemeUnlist(p.Ctx, one.PublicID())
		if got := graphtest.FaultOf(last(p.Query().MarketplaceTheme(p.Ctx, one.PublicID()))); got != "not_found" {
			t.Errorf("an unlisted theme is shown: %s", got)
		}
		again := graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemePublish(p.Ctx,
			one.PublicID())).Submission
		listed := graphtest.Must[*model.MarketplaceThemeConnection](t)(p.Query().MarketplaceThemes(p.Ctx, nil,
			nil)).Nodes
		if len(listed) != 3 || listed[0].ID != one.ID || listed[1].ID != two.ID ||
			*again.PublishedAt <= *one.PublishedAt || listed[0].PublishedAt() != *again.PublishedAt {
			t.Errorf("%d themes, the first is %s", len(listed), listed[0].Slug)
		}
	})
}

// TestMarketplaceInstalled checks that the field is about the viewer's store only.
func TestMarketplaceInstalled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l, other := p.SubmitAs(t, state.ListingPublished), p.Other(t)
		show := func(p *graphtest.Shop) *model.MarketplaceTheme {
			return graphtest.Must[*model.MarketplaceTheme](t)(p.Query().MarketplaceTheme(p.Ctx, l.PublicID()))
		}
		if m := show(p); m.Installed() || m.InstalledThemeID() != nil {
			t.Error("a submitted theme counts as installed")
		}
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.Ctx, l.PublicID()))
		newest := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.Ctx, l.PublicID())).Theme
		if m := show(p); !m.Installed() || *m.InstalledThemeID() != newest.PublicID() || m.InstallsCount != 2 {
			t.Errorf("installed as %v, %d times", m.InstalledThemeID(), m.InstallsCount)
		}
		if m := show(other); m.Installed() || m.InstallsCount != 2 {
			t.Errorf("installed in the other store, %d times", m.InstallsCount)
		}
		// An unlisted theme remains installed.
		graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeUnlist(p.Ctx, l.PublicID()))
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, newest.PublicID()))
	})
}
