package model

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Theme is a theme of a store with derived data.
type Theme struct {
	*db.Theme
	// Active means that the storefront uses the theme.
	Active bool
	// PreviewURL is the signed link to a preview of the storefront.
	PreviewURL *string
	// PreviewImageURL is the preview image of the theme.
	PreviewImageURL *string
	// Offers loads the marketplace versions of all themes of the page.
	Offers *Batch[xid.ID, *db.MarketplaceTheme]
}

// Status returns the state of the theme, including active.
func (t *Theme) Status() state.ThemeStatus {
	if t.Active {
		return state.ThemeActive
	}
	return t.Theme.Status
}

// Checksum returns the checksum of the theme's package.
func (t *Theme) Checksum() string { return wire.Checksum(t.Theme.Checksum) }

// ThemeAsset is an asset of a theme with the store's host.
type ThemeAsset struct {
	*db.ThemeAsset
	// Host is the scheme and host of the store.
	Host string
}

// Checksum returns the checksum of the asset's content.
func (a *ThemeAsset) Checksum() string { return wire.Checksum(a.ThemeAsset.Checksum) }

// URL returns the address of the asset.
func (a *ThemeAsset) URL() string { return a.Host + wire.AssetPath(a.ThemeAsset.Checksum, a.Path) }

// MarketplaceTheme is a published theme of the marketplace, as one store sees it.
type MarketplaceTheme struct {
	wire.Listing
	// APIHost is {api_host}, which serves the images of the marketplace.
	APIHost string
}

// Categories returns the categories of the theme.
func (m *MarketplaceTheme) Categories() []string {
	return strings.Fields(m.MarketplaceTheme.Categories)
}

// PreviewImageURL returns the preview image of the theme, or nil.
func (m *MarketplaceTheme) PreviewImageURL() *string { return imageURL(m.APIHost, m.Preview) }

// PublishedAt returns when the theme was last published.
func (m *MarketplaceTheme) PublishedAt() micros.Time { return m.Listing.PublishedAt }

// Installed reports whether the store has installed the theme.
func (m *MarketplaceTheme) Installed() bool { return m.Listing.Installed != nil }

// InstalledThemeID returns the newest theme that the store installed from this one, or nil.
func (m *MarketplaceTheme) InstalledThemeID() *string {
	if m.Listing.Installed == nil {
		return nil
	}
	return new(xid.Theme.Format(*m.Listing.Installed))
}

// MarketplaceSubmission is a theme that was submitted to the marketplace, in any state.
type MarketplaceSubmission struct {
	*db.MarketplaceTheme
	APIHost string
}

// Own reports whether the viewer's store submitted it.
func (m *MarketplaceSubmission) Own(ctx context.Context) bool {
	v := viewer.From(ctx)
	return v != nil && m.SubmitterID != nil && *m.SubmitterID == v.Store
}

// Categories returns the categories of the theme.
func (m *MarketplaceSubmission) Categories() []string {
	return strings.Fields(m.MarketplaceTheme.Categories)
}

// PreviewImageURL returns the preview image of the theme, or nil.
func (m *MarketplaceSubmission) PreviewImageURL() *string { return imageURL(m.APIHost, m.Preview) }

// imageURL returns the URL of an image by its path, or nil.
func imageURL(host string, path *string) *string {
	if path == nil {
		return nil
	}
	return new(host + *path)
}
