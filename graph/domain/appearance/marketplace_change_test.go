package appearance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Every transition from every state.
func TestMarketplaceTransitions(t *testing.T) {
	calls := map[string]func(context.Context, graph.Mutation, string) (*model.MarketplaceSubmissionPayload, error){
		"approve": func(ctx context.Context, m graph.Mutation, id string) (*model.MarketplaceSubmissionPayload, error) {
			return m.MarketplaceThemeReview(ctx, id, state.ReviewApprove, new("Well made."))
		},
		"reject": func(ctx context.Context, m graph.Mutation, id string) (*model.MarketplaceSubmissionPayload, error) {
			return m.MarketplaceThemeReview(ctx, id, state.ReviewReject, nil)
		},
		"publish": func(ctx context.Context, m graph.Mutation, id string) (*model.MarketplaceSubmissionPayload, error) {
			return m.MarketplaceThemePublish(ctx, id)
		},
		"unlist": func(ctx context.Context, m graph.Mutation, id string) (*model.MarketplaceSubmissionPayload, error) {
			return m.MarketplaceThemeUnlist(ctx, id)
		},
	}
	leads := map[string]state.ListingStatus{
		"submitted approve": state.ListingApproved, "submitted reject": state.ListingRejected,
		"approved publish": state.ListingPublished, "unlisted publish": state.ListingPublished,
		"published unlist": state.ListingUnlisted,
	}
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for _, from := range []state.ListingStatus{
			state.ListingSubmitted, state.ListingApproved, state.ListingRejected, state.ListingPublished,
			state.ListingUnlisted,
		} {
			for name, call := range calls {
				l := p.SubmitAs(t, from)
				before := p.Audited(t)
				done, err := call(p.Ctx, p.Mutation(), l.PublicID())
				to, ok := leads[string(from)+" "+name]
				switch {
				case !ok && (graphtest.FaultOf(err) != "invalid_transition" || p.Audited(t) != before):
					t.Errorf("%s of a %s one: %v", name, from, err)
				case ok && (err != nil || done.Submission.Status != to):
					t.Errorf("%s of a %s one: %v", name, from, err)
				}
			}
		}
	})
}

func TestMarketplaceAudit(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l := p.SubmitAs(t, state.ListingUnlisted)
		const want = "marketplace_theme.submit marketplace_theme.review marketplace_theme.publish " +
			"marketplace_theme.unlist"
		if got := p.Audited(t); !strings.HasSuffix(got, want) {
			t.Errorf("the audit log: %s", got)
		}
		log := graphtest.Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.Ctx, new(4), nil, nil))
		details := []string{}
		for _, e := range log.Nodes {
			details = append(details, *e.Detail)
		}
		if d := cmp.Diff([]string{"unlisted", "published", "approved", l.Slug}, details); d != "" {
			t.Error(d)
		}
	})
}

// The defaults come from the theme and the store.
func TestMarketplaceSubmit(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		plain := p.Submit(t, model.MarketplaceThemeSubmitInput{})
		if plain.Name != "Linen" || plain.Slug != "linen" || plain.Author != "Ada" || plain.ThemeVersion != "1.2.0" ||
			plain.Currency != "EUR" || plain.PriceMinor != 0 || plain.Status != state.ListingSubmitted ||
			plain.PublishedAt != nil || plain.Tagline != nil || len(plain.Categories()) != 0 ||
			plain.PreviewImageURL() == nil {
			t.Errorf("submitted %+v", plain.MarketplaceTheme)
		}
		again := p.Submit(t, model.MarketplaceThemeSubmitInput{})
		if !strings.HasPrefix(again.Slug, "linen-") || again.Slug[6:] != again.PublicID()[len(again.PublicID())-6:] {
			t.Errorf("the second slug is %q", again.Slug)
		}
		full := p.Submit(t,
			model.MarketplaceThemeSubmitInput{Slug: new("soft"), Name: new("Soft"), Tagline: new("So soft."),
				Author: new("Bea"), PriceMinor: 900, Currency: new("jpy"), Categories: []string{"b2b", "art", "b2b"}})
		if full.Slug != "soft" || full.Name != "Soft" || *full.Tagline != "So soft." || full.Author != "Bea" ||
			full.PriceMinor != 900 || full.Currency != "JPY" ||
			!slices.Equal(full.Categories(), []string{"art", "b2b"}) {
			t.Errorf("submitted %+v", full.MarketplaceTheme)
		}
	})
}

func TestMarketplaceSubmitRefusals(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th, other := p.ImportTheme(t, "Linen"), p.Other(t)
		foreign := other.ImportTheme(t, "Linen")
		p.Submit(t, model.MarketplaceThemeSubmitInput{Slug: new("taken")})
		before := leftovers(p, t)
		for _, tc := range []struct {
			name string
			in   model.MarketplaceThemeSubmitInput
			want string
		}{
			{"taken", model.MarketplaceThemeSubmitInput{Slug: new("taken")}, "#/slug taken"},
			{"slug", model.MarketplaceThemeSubmitInput{Slug: new("Upper")}, "#/slug invalid_format"},
			{"empty slug", model.MarketplaceThemeSubmitInput{Slug: new("")}, "#/slug too_short"},
			{"name", model.MarketplaceThemeSubmitInput{Name: new(" ")}, "#/name too_short"},
			{"tagline", model.MarketplaceThemeSubmitInput{Tagline: new(strings.Repeat("x", 256))},
				"#/tagline too_long"},
			{"author", model.MarketplaceThemeSubmitInput{Author: new("a\nb")}, "#/author invalid_format"},
			{"price", model.MarketplaceThemeSubmitInput{PriceMinor: -1}, "#/price_minor out_of_range"},
			{"currency", model.MarketplaceThemeSubmitInput{Currency: new("ABC")}, "#/currency unknown_value"},
			{"categories", model.MarketplaceThemeSubmitInput{Categories: strings.Fields("a b c d e f g h i j k")},
				"#/categories too_long"},
			{"category", model.MarketplaceThemeSubmitInput{Categories: []string{"ok", "No"}},
				"#/categories/1 invalid_format"},
			{"long category", model.MarketplaceThemeSubmitInput{Categories: []string{strings.Repeat("x", 33)}},
				"#/categories/0 too_long"},
			{"empty category", model.MarketplaceThemeSubmitInput{Categories: []string{""}}, "#/categories/0 too_short"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				tc.in.ThemeID = th.PublicID()
				_, err := p.Mutation().MarketplaceThemeSubmit(p.Ctx, tc.in)
				if graphtest.FaultOf(err) != "validation_failed" || graphtest.FieldOf(err) != tc.want {
					t.Errorf("got %v, want %s", err, tc.want)
				}
			})
		}
		for id, want := range map[string]string{
			foreign.PublicID(): "not_found", xid.Theme.Format(xid.New()): "not_found", "thm_x": "not_found",
		} {
			if got := graphtest.FaultOf(last(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
				model.MarketplaceThemeSubmitInput{ThemeID: id}))); got != want {
				t.Errorf("%s: %s, want %s", id, got, want)
			}
		}
		if after := leftovers(p, t); after != before {
			t.Errorf("after %s, before %s", after, before)
		}
		waiting := p.ImportUnprocessed(t)
		if got := graphtest.FaultOf(last(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
			model.MarketplaceThemeSubmitInput{ThemeID: waiting.PublicID()}))); got != "theme_not_ready" {
			t.Errorf("a theme in processing: %s", got)
		}
	})
}

// Submissions of other stores are visible only to reviewers.
func TestMarketplaceOwnership(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := p.Other(t)
		l := p.SubmitAs(t, state.ListingApproved)
		for name, err := range map[string]error{
			"publish": last(other.Mutation().MarketplaceThemePublish(other.Ctx, l.PublicID())),
			"unlist":  last(other.Mutation().MarketplaceThemeUnlist(other.Ctx, l.PublicID())),
			"show":    last(other.Query().MarketplaceTheme(other.Ctx, l.PublicID())),
			"install": last(other.Mutation().ThemeInstall(other.Ctx, l.PublicID())),
			"sample": last(p.Mutation().MarketplaceThemeUnlist(p.Ctx,
				graphtest.Must[*model.MarketplaceThemeConnection](t)(
					p.Query().MarketplaceThemes(p.Ctx, nil, nil)).Nodes[0].PublicID())),
		} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if list := graphtest.Must[*model.MarketplaceSubmissionConnection](t)(
			other.Query().MarketplaceSubmissions(other.Ctx, nil, nil)); len(list.Nodes) != 0 {
			t.Errorf("the other store sees %d submissions", len(list.Nodes))
		}
		// A reviewer may review submissions of any store; nobody else may.
		waiting := p.Submit(t, model.MarketplaceThemeSubmitInput{})
		p.Reviewer = func(s *db.Store) bool { return s.ID == other.Model.ID }
		if got := graphtest.FaultOf(last(p.Mutation().MarketplaceThemeReview(p.Ctx, waiting.PublicID(),
			state.ReviewApprove, nil))); got != "forbidden" {
			t.Errorf("a store that is no reviewer reviews: %s", got)
		}
		if got := graphtest.FaultOf(last(p.Query().MarketplaceReviews(p.Ctx, nil, nil))); got != "forbidden" {
			t.Errorf("a store that is no reviewer lists reviews: %s", got)
		}
		reviews := graphtest.Must[*model.MarketplaceSubmissionConnection](t)(other.Query().MarketplaceReviews(other.Ctx,
			nil, nil))
		if len(reviews.Nodes) != 1 || reviews.Nodes[0].ID != waiting.ID {
			t.Errorf("%d await review", len(reviews.Nodes))
		}
		done := graphtest.Must[*model.MarketplaceSubmissionPayload](t)(
			other.Mutation().MarketplaceThemeReview(other.Ctx, waiting.PublicID(), state.ReviewReject,
				new("Too dark.")))
		mine := graphtest.Must[*model.MarketplaceSubmissionConnection](t)(p.Query().MarketplaceSubmissions(p.Ctx, nil,
			nil))
		if *done.Submission.ReviewNote != "Too dark." || mine.Nodes[0].Status != state.ListingRejected ||
			*mine.Nodes[0].ReviewNote != "Too dark." {
			t.Errorf("the submitter sees %+v", mine.Nodes[0].MarketplaceTheme)
		}
		// Nobody approves a submission of their own store.
		theirs := other.Submit(t, model.MarketplaceThemeSubmitInput{})
		owner := other.As(other.Owner.ID, viewer.Owner)
		if got := graphtest.FaultOf(last(other.Mutation().MarketplaceThemeReview(owner, theirs.PublicID(),
			state.ReviewApprove, nil))); got != "forbidden" {
			t.Errorf("their own: %s", got)
		}
		graphtest.Must[*model.MarketplaceSubmissionPayload](t)(other.Mutation().MarketplaceThemeReview(owner,
			theirs.PublicID(), state.ReviewReject, nil))
		if got := graphtest.FieldOf(last(other.Mutation().MarketplaceThemeReview(other.Ctx, l.PublicID(),
			state.ReviewApprove, new(strings.Repeat("x", 1001))))); got != "#/note too_long" {
			t.Errorf("a long note: %s", got)
		}
	})
}

// Of concurrent identical calls, one succeeds.
func TestMarketplaceRaces(t *testing.T) {
	const many = 6
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		approved, th := p.SubmitAs(t, state.ListingApproved), p.ImportTheme(t, "Linen")
		for name, race := range map[string]struct {
			call func() error
			lose string
		}{
			"publish": {func() error { return last(p.Mutation().MarketplaceThemePublish(p.Ctx, approved.PublicID())) },
				"invalid_transition"},
			"submit": {func() error {
				return last(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
					model.MarketplaceThemeSubmitInput{ThemeID: th.PublicID(), Slug: new("race")}))
			}, "validation_failed"},
		} {
			var wg sync.WaitGroup
			won := make(chan string, many)
			for range many {
				wg.Go(func() { won <- graphtest.FaultOf(race.call()) })
			}
			wg.Wait()
			close(won)
			counts := map[string]int{}
			for w := range won {
				counts[w]++
			}
			if d := cmp.Diff(map[string]int{"": 1, race.lose: many - 1}, counts); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	})
}

// Concurrent installations are all counted.
func TestThemeInstallCounts(t *testing.T) {
	const many = 8
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l, other := p.SubmitAs(t, state.ListingPublished), p.Other(t)
		var wg sync.WaitGroup
		for range many {
			for _, p := range []*graphtest.Shop{p, other} {
				wg.Go(func() {
					if _, err := p.Mutation().ThemeInstall(p.Ctx, l.PublicID()); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		shown := graphtest.Must[*model.MarketplaceTheme](t)(other.Query().MarketplaceTheme(other.Ctx, l.PublicID()))
		themes := graphtest.Must[*model.ThemeConnection](t)(other.Query().Themes(other.Ctx, nil, nil))
		if shown.InstallsCount != 2*many || !shown.Installed() ||
			*shown.InstalledThemeID() != themes.Nodes[0].PublicID() || len(themes.Nodes) != many+1 {
			t.Errorf("%d installations, %d themes, the newest %s is not %v", shown.InstallsCount, len(themes.Nodes),
				themes.Nodes[0].PublicID(), *shown.InstalledThemeID())
		}
		if th := themes.Nodes[0]; th.Source != state.ThemeMarketplace || *th.MarketplaceThemeID != l.ID ||
			th.Name != "Linen" || th.AssetCount != 3 ||
			th.Checksum() != p.ThemeNow(t,
				graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, nil, nil)).Nodes[0]).Checksum() {
			t.Errorf("installed %+v", th.Theme)
		}
		if got := strings.Count(other.Audited(t), "theme.install"); got != many {
			t.Errorf("%d installations audited", got)
		}
	})
}

// A theme without author and version is submitted with its store's name and version 1.0.0.
func TestMarketplaceSubmitAnonymous(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		files := graphtest.Tiny(t, "", map[string]string{"theme.json": `{"name": "漢字"}`})
		added := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
			model.ThemeImportInput{Archive: graphtest.Archived(t, files)})).Theme
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx := p.As(p.Owner.ID, viewer.Admin)
		l := graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(ctx,
			model.MarketplaceThemeSubmitInput{ThemeID: added.PublicID()})).Submission
		if got := fmt.Sprint(l.Slug, ", ", l.Name, ", ", l.Author, ", ", l.ThemeVersion, ", ",
			l.PreviewImageURL()); got != "han-zi, 漢字, Corner shop, 1.0.0, <nil>" {
			t.Errorf("submitted %s", got)
		}
	})
}

// Installations are counted, and marketplace actions are in the store's audit log, once, even if a
// crash interrupts them.
func TestCrashBeforeCounting(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l, other := p.SubmitAs(t, state.ListingPublished), p.Other(t)
		graphtest.Crash(p.Resolver, appearance.InstallTask, audit.StoreTask)
		graphtest.Must[*model.ThemePayload](t)(other.Mutation().ThemeInstall(other.Ctx, l.PublicID()))
		graphtest.Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeUnlist(p.Ctx, l.PublicID()))
		p.Resolver = graphtest.Recover(t, p.Resolver, 2)
		row := p.Client(p.Ctx).MarketplaceTheme.Query().Where(marketplacetheme.ID(l.ID)).OnlyX(p.Ctx)
		if row.InstallsCount != 1 {
			t.Errorf("%d installs", row.InstallsCount)
		}
		if log := p.Audited(t); strings.Count(log, "marketplace_theme.unlist") != 1 {
			t.Errorf("audited %q", log)
		}
	})
}
