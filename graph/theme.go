package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// Themes lists the themes of the store, newest first.
func (q Query) Themes(ctx context.Context, first *int, after *string) (*model.ThemeConnection, error) {
	return nil, errStub
}

// Theme returns one theme of the store.
func (q Query) Theme(ctx context.Context, id string) (*model.Theme, error) { return nil, errStub }

// ThemeAssets lists the assets of a theme, by key.
func (q Query) ThemeAssets(ctx context.Context, themeID string, first *int, after *string) (*model.ThemeAssetConnection, error) {
	return nil, errStub
}

// ThemeImport adds a theme from a zip archive.
func (m Mutation) ThemeImport(ctx context.Context, in model.ThemeImportInput) (*model.ThemePayload, error) {
	return nil, errStub
}

// ThemeInstall adds a published theme of the marketplace.
func (m Mutation) ThemeInstall(ctx context.Context, marketplaceThemeID string) (*model.ThemePayload, error) {
	return nil, errStub
}

// ThemeDuplicate adds a copy of a theme.
func (m Mutation) ThemeDuplicate(ctx context.Context, id string, name *string) (*model.ThemePayload, error) {
	return nil, errStub
}

// ThemeRename gives a theme another name.
func (m Mutation) ThemeRename(ctx context.Context, id, name string) (*model.ThemePayload, error) {
	return nil, errStub
}

// ThemeActivate shows a theme on the storefront.
func (m Mutation) ThemeActivate(ctx context.Context, id string) (*model.ThemePayload, error) {
	return nil, errStub
}

// ThemeDelete removes a theme that is not active.
func (m Mutation) ThemeDelete(ctx context.Context, id string) (*model.ThemeDeletePayload, error) {
	return nil, errStub
}

// MarketplaceThemes lists the published themes of the marketplace.
func (q Query) MarketplaceThemes(ctx context.Context, first *int, after *string) (*model.MarketplaceThemeConnection, error) {
	return nil, errStub
}

// MarketplaceTheme returns one published theme of the marketplace.
func (q Query) MarketplaceTheme(ctx context.Context, id string) (*model.MarketplaceTheme, error) {
	return nil, errStub
}

// MarketplaceSubmissions lists what the store submitted, newest first.
func (q Query) MarketplaceSubmissions(ctx context.Context, first *int, after *string) (*model.MarketplaceSubmissionConnection, error) {
	return nil, errStub
}

// MarketplaceReviews lists what nobody has reviewed, newest first.
func (q Query) MarketplaceReviews(ctx context.Context, first *int, after *string) (*model.MarketplaceSubmissionConnection, error) {
	return nil, errStub
}

// MarketplaceThemeSubmit offers a theme of the store to the marketplace.
func (m Mutation) MarketplaceThemeSubmit(ctx context.Context, in model.MarketplaceThemeSubmitInput) (*model.MarketplaceSubmissionPayload, error) {
	return nil, errStub
}

// MarketplaceThemeReview approves or rejects what was submitted.
func (m Mutation) MarketplaceThemeReview(ctx context.Context, id string, verdict state.ReviewVerdict, note *string) (*model.MarketplaceSubmissionPayload, error) {
	return nil, errStub
}

// MarketplaceThemePublish shows what was approved, or was unlisted, to all stores.
func (m Mutation) MarketplaceThemePublish(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return nil, errStub
}

// MarketplaceThemeUnlist takes a published theme off the marketplace.
func (m Mutation) MarketplaceThemeUnlist(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return nil, errStub
}
