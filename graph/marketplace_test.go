package graph

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// The shelf shows what is published, what was published last first, on pages
// whose cursors hold while others are published and unlisted.
func TestMarketplaceThemes(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		th := p.imported(t, "Linen")
		want := []string{"plain"}
		for i := range 6 {
			l := must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.ctx,
				model.MarketplaceThemeSubmitInput{ThemeID: th.PublicID(), Slug: new(fmt.Sprint("theme-", i))})).Submission
			p.move(t, l, []state.ListingStatus{state.ListingPublished, state.ListingUnlisted}[i%2])
			if i%2 == 0 {
				want = append(want, l.Slug)
			}
		}
		slices.Reverse(want)
		var got []string
		var after *string
		for {
			page := must[*model.MarketplaceThemeConnection](t)(p.Query().MarketplaceThemes(p.ctx, new(1), after))
			for _, m := range page.Nodes {
				got = append(got, m.Slug)
			}
			if page.Next == "" {
				break
			}
			after = &page.Next
			l := must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.ctx,
				model.MarketplaceThemeSubmitInput{ThemeID: th.PublicID()})).Submission
			p.move(t, l, state.ListingPublished)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// Publishing anew brings a theme to the front.
func TestMarketplaceRepublish(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		one, two := p.offered(t, state.ListingPublished), p.offered(t, state.ListingPublished)
		p.Mutation().MarketplaceThemeUnlist(p.ctx, one.PublicID())
		if got := faultOf(last(p.Query().MarketplaceTheme(p.ctx, one.PublicID()))); got != "not_found" {
			t.Errorf("an unlisted theme is shown: %s", got)
		}
		again := must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemePublish(p.ctx, one.PublicID())).Submission
		shelf := must[*model.MarketplaceThemeConnection](t)(p.Query().MarketplaceThemes(p.ctx, nil, nil)).Nodes
		if len(shelf) != 3 || shelf[0].ID != one.ID || shelf[1].ID != two.ID || *again.PublishedAt <= *one.PublishedAt || shelf[0].PublishedAt() != *again.PublishedAt {
			t.Errorf("the shelf has %d themes, the first is %s", len(shelf), shelf[0].Slug)
		}
	})
}

// installed tells of the viewer's store alone.
func TestMarketplaceInstalled(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		l, other := p.offered(t, state.ListingPublished), p.other(t)
		show := func(p *shop) *model.MarketplaceTheme {
			return must[*model.MarketplaceTheme](t)(p.Query().MarketplaceTheme(p.ctx, l.PublicID()))
		}
		if m := show(p); m.Installed() || m.InstalledThemeID() != nil {
			t.Error("a theme that was submitted counts as installed")
		}
		must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.ctx, l.PublicID()))
		newest := must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.ctx, l.PublicID())).Theme
		if m := show(p); !m.Installed() || *m.InstalledThemeID() != newest.PublicID() || m.InstallsCount != 2 {
			t.Errorf("installed as %v, %d times", m.InstalledThemeID(), m.InstallsCount)
		}
		if m := show(other); m.Installed() || m.InstallsCount != 2 {
			t.Errorf("the other store has it, %d times", m.InstallsCount)
		}
		// What is unlisted stays where it is installed.
		must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeUnlist(p.ctx, l.PublicID()))
		must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.ctx, newest.PublicID()))
	})
}
