package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// Submit submits a new theme of the shop to the marketplace.
func (p *Shop) Submit(t testing.TB, in model.MarketplaceThemeSubmitInput) *model.MarketplaceSubmission {
	t.Helper()
	in.ThemeID = p.ImportTheme(t, "Linen").PublicID()
	return Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx, in)).Submission
}

// Move brings a submission into a state.
func (p *Shop) Move(t testing.TB, l *model.MarketplaceSubmission, to state.ListingStatus) *model.MarketplaceSubmission {
	t.Helper()
	m, id := p.Mutation(), l.PublicID()
	review := func(v state.ReviewVerdict) {
		l = Must[*model.MarketplaceSubmissionPayload](t)(m.MarketplaceThemeReview(p.Ctx, id, v, nil)).Submission
	}
	switch to {
	case state.ListingSubmitted:
		return l
	case state.ListingRejected:
		review(state.ReviewReject)
		return l
	}
	if review(state.ReviewApprove); to == state.ListingApproved {
		return l
	}
	l = Must[*model.MarketplaceSubmissionPayload](t)(m.MarketplaceThemePublish(p.Ctx, id)).Submission
	if to == state.ListingPublished {
		return l
	}
	return Must[*model.MarketplaceSubmissionPayload](t)(m.MarketplaceThemeUnlist(p.Ctx, id)).Submission
}

// SubmitAs submits a theme of the shop and brings it into a state.
func (p *Shop) SubmitAs(t testing.TB, as state.ListingStatus) *model.MarketplaceSubmission {
	t.Helper()
	return p.Move(t, p.Submit(t, model.MarketplaceThemeSubmitInput{}), as)
}

// laterSet changes the theme of [Shop.ImportSettable] to version 2.0.0, which has no accent.
var laterSet = map[string]string{"theme.json": `{"name": "Set", "version": "2.0.0", "settings": [
	{"name": "slogan", "type": "text", "label": "Slogan", "default": "Ours"},
	{"name": "hero", "type": "image", "label": "Picture"}]}`}

// InstallOutdated installs a theme like that of [Shop.ImportSettable] and then gives the marketplace a later
// version.
func (p *Shop) InstallOutdated(t testing.TB) *model.Theme {
	t.Helper()
	l := p.Move(t, Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
		model.MarketplaceThemeSubmitInput{ThemeID: p.ImportSettable(t).PublicID()})).Submission, state.ListingPublished)
	th := Must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.Ctx, l.PublicID())).Theme
	next := p.imported(t, Tiny(t, "Set", laterSet))
	err := p.Store.InTx(viewer.Everywhere(t.Context()), func(ctx context.Context) error {
		return p.Store.DB(ctx).MarketplaceTheme.Update().Where(marketplacetheme.ID(l.ID)).
			SetChecksum(next.Theme.Checksum).SetThemeVersion(*next.ThemeVersion).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return th
}
