package graph_test

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onTheme are the arguments for a theme that was imported and processed, after a
// change.
func onTheme(change func(*caller, *model.Theme), more string) func(*caller) string {
	return func(w *caller) string {
		th := w.Imported(w.t, "Linen")
		if change != nil {
			change(w, th)
		}
		return fmt.Sprintf("id: %q%s", th.PublicID(), more)
	}
}

func activated(w *caller, th *model.Theme) {
	with(w, func(ctx context.Context, m graph.Mutation) (*model.ThemePayload, error) {
		return m.ThemeActivate(ctx, th.PublicID())
	})
}

// onUnprocessed are the arguments for a theme that waits for its processing.
func onUnprocessed(more string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("id: %q%s", w.Unprocessed(w.t).PublicID(), more)
	}
}

// onListing are the arguments for a theme on its way to the marketplace that has
// come so far.
func onListing(name string, as state.ListingStatus, more string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("%s: %q%s", name, w.Offered(w.t, as).PublicID(), more)
	}
}

// themeEffects are the mutations of themes. That an imported one is ready, the
// round tells that processes it.
var themeEffects = []effect{
	{"themeImport", "an archive", func(w *caller) string {
		return fmt.Sprintf("input: {archive: %q}", graphtest.Archived(w.t, graphtest.Tiny(w.t, "Linen", nil)))
	}, "", ""},
	{"themeImport", "not an archive", fixedArgs(`input: {archive: "aGVsbG8="}`), "", "invalid_format"},
	{"themeInstall", "a published one", onListing("marketplaceThemeId", state.ListingPublished, ""), "theme.installed", ""},
	{"themeInstall", "an approved one", onListing("marketplaceThemeId", state.ListingApproved, ""), "", "not_found"},
	{"themeInstall", "one with a price", func(w *caller) string {
		l := w.Submitted(w.t, model.MarketplaceThemeSubmitInput{PriceMinor: 1})
		w.Move(w.t, l, state.ListingPublished)
		return fmt.Sprintf("marketplaceThemeId: %q", l.PublicID())
	}, "", "theme_not_free"},
	{"themeDuplicate", "a ready one", onTheme(nil, ""), "theme.installed", ""},
	{"themeDuplicate", "the active one", onTheme(activated, `, name: "Twin"`), "theme.installed", ""},
	{"themeDuplicate", "one in processing", onUnprocessed(""), "", "theme_not_ready"},
	{"themeRename", "a ready one", onTheme(nil, `, name: "Ours"`), "", ""},
	{"themeRename", "one in processing", onUnprocessed(`, name: "Ours"`), "", ""},
	{"themeRename", "to its name", onTheme(nil, `, name: "Linen"`), "", ""},
	{"themeActivate", "a ready one", onTheme(nil, ""), "theme.activated", ""},
	{"themeActivate", "the active one", onTheme(activated, ""), "", ""},
	{"themeActivate", "one in processing", onUnprocessed(""), "", "theme_not_ready"},
	{"themeActivate", "an unknown one", func(*caller) string { return fmt.Sprintf("id: %q", xid.Theme.Format(xid.New())) }, "", "not_found"},
	{"themeDelete", "a ready one", onTheme(nil, ""), "", ""},
	{"themeDelete", "the active one", onTheme(activated, ""), "", "theme_active"},
	{"themeDelete", "one in processing", onUnprocessed(""), "", ""},

	{"marketplaceThemeSubmit", "a ready one", func(w *caller) string {
		return fmt.Sprintf("input: {themeId: %q}", w.Imported(w.t, "Linen").PublicID())
	}, "", ""},
	{"marketplaceThemeReview", "a submitted one", onListing("id", state.ListingSubmitted, ", verdict: APPROVE"), "", ""},
	{"marketplaceThemeReview", "again", onListing("id", state.ListingRejected, ", verdict: APPROVE"), "", "invalid_transition"},
	{"marketplaceThemePublish", "an approved one", onListing("id", state.ListingApproved, ""), "", ""},
	{"marketplaceThemePublish", "a rejected one", onListing("id", state.ListingRejected, ""), "", "invalid_transition"},
	{"marketplaceThemeUnlist", "a published one", onListing("id", state.ListingPublished, ""), "", ""},
	{"marketplaceThemeUnlist", "an approved one", onListing("id", state.ListingApproved, ""), "", "invalid_transition"},
}
