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

// onTheme returns arguments for a processed theme after a change.
func onTheme(change func(*caller, *model.Theme), more string) func(*caller) string {
	return func(w *caller) string {
		th := w.ImportTheme(w.t, "Linen")
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

// onUnprocessed returns arguments for a theme that is not processed yet.
func onUnprocessed(more string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("id: %q%s", w.ImportUnprocessed(w.t).PublicID(), more)
	}
}

// onListing returns arguments for a marketplace theme in a state.
func onListing(name string, as state.ListingStatus, more string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("%s: %q%s", name, w.SubmitAs(w.t, as).PublicID(), more)
	}
}

// themeEffects covers the mutations of themes. The round that processes an imported theme emits the
// event that it is ready.
var themeEffects = []effect{
	{field: "themeImport", name: "an archive", args: func(w *caller) string {
		return fmt.Sprintf("input: {archive: %q}", graphtest.Archived(w.t, graphtest.Tiny(w.t, "Linen", nil)))
	}},
	{field: "themeImport", name: "not an archive", args: fixedArgs(`input: {archive: "aGVsbG8="}`),
		refused: "invalid_format"},
	{field: "themeInstall", name: "a published one", args: onListing("marketplaceThemeId", state.ListingPublished, ""),
		events: "theme.installed"},
	{field: "themeInstall", name: "an approved one", args: onListing("marketplaceThemeId", state.ListingApproved, ""),
		refused: "not_found"},
	{field: "themeInstall", name: "one with a price", args: func(w *caller) string {
		l := w.Submit(w.t, model.MarketplaceThemeSubmitInput{PriceMinor: 1})
		w.Move(w.t, l, state.ListingPublished)
		return fmt.Sprintf("marketplaceThemeId: %q", l.PublicID())
	}, refused: "theme_not_free"},
	{field: "themeDuplicate", name: "a ready one", args: onTheme(nil, ""), events: "theme.installed"},
	{field: "themeDuplicate", name: "the active one", args: onTheme(activated, `, name: "Twin"`),
		events: "theme.installed"},
	{field: "themeDuplicate", name: "one in processing", args: onUnprocessed(""), refused: "theme_not_ready"},
	{field: "themeUpdate", name: "an outdated one", args: func(w *caller) string {
		return fmt.Sprintf("id: %q", w.InstallOutdated(w.t).PublicID())
	}, events: "theme.installed"},
	{field: "themeUpdate", name: "one of the store's own", args: onTheme(nil, ""), refused: "invalid_transition"},
	{field: "themeUpdate", name: "one in processing", args: onUnprocessed(""), refused: "theme_not_ready"},
	{field: "themeRename", name: "a ready one", args: onTheme(nil, `, name: "Ours"`)},
	{field: "themeRename", name: "one in processing", args: onUnprocessed(`, name: "Ours"`)},
	{field: "themeRename", name: "to its name", args: onTheme(nil, `, name: "Linen"`)},
	{field: "themeSettingsSave", name: "none", args: onTheme(nil, `, values: []`)},
	{field: "themeSettingsSave", name: "a slogan", args: func(w *caller) string {
		return fmt.Sprintf(`id: %q, values: [{name: "slogan", value: "Mine"}]`, w.ImportSettable(w.t).PublicID())
	}},
	{field: "themeSettingsSave", name: "an unknown one", args: onTheme(nil, `, values: [{name: "x"}], publish: true`),
		refused: "unknown_value"},
	{field: "themeActivate", name: "a ready one", args: onTheme(nil, ""), events: "theme.activated"},
	{field: "themeActivate", name: "the active one", args: onTheme(activated, "")},
	{field: "themeActivate", name: "one in processing", args: onUnprocessed(""), refused: "theme_not_ready"},
	{field: "themeActivate", name: "an unknown one",
		args: func(*caller) string { return fmt.Sprintf("id: %q", xid.Theme.Format(xid.New())) }, refused: "not_found"},
	{field: "themeDelete", name: "a ready one", args: onTheme(nil, "")},
	{field: "themeDelete", name: "the active one", args: onTheme(activated, ""), refused: "theme_active"},
	{field: "themeDelete", name: "one in processing", args: onUnprocessed("")},

	{field: "marketplaceThemeSubmit", name: "a ready one", args: func(w *caller) string {
		return fmt.Sprintf("input: {themeId: %q}", w.ImportTheme(w.t, "Linen").PublicID())
	}},
	{field: "marketplaceThemeReview", name: "a submitted one",
		args: onListing("id", state.ListingSubmitted, ", verdict: REJECT")},
	{field: "marketplaceThemeReview", name: "again", args: onListing("id", state.ListingRejected, ", verdict: REJECT"),
		refused: "invalid_transition"},
	{field: "marketplaceThemePublish", name: "an approved one", args: onListing("id", state.ListingApproved, "")},
	{field: "marketplaceThemePublish", name: "a rejected one", args: onListing("id", state.ListingRejected, ""),
		refused: "invalid_transition"},
	{field: "marketplaceThemeUnlist", name: "a published one", args: onListing("id", state.ListingPublished, "")},
	{field: "marketplaceThemeUnlist", name: "an approved one", args: onListing("id", state.ListingApproved, ""),
		refused: "invalid_transition"},
}
