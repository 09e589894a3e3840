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

// Theme is a theme of a store, with what its row does not hold.
type Theme struct {
	*db.Theme
	// Active says that the storefront shows it.
	Active bool
	// PreviewURL is the signed link to the storefront as it would look.
	PreviewURL *string
	// PreviewImageURL is a picture of it.
	PreviewImageURL *string
	// Offers are what the marketplace has of the themes of its page.
	Offers *Batch[xid.ID, *db.MarketplaceTheme]
}

// Status returns its state, the active one's too.
func (t *Theme) Status() state.ThemeStatus {
	if t.Active {
		return state.ThemeActive
	}
	return t.Theme.Status
}

// Checksum returns the checksum of its package.
func (t *Theme) Checksum() string { return wire.Checksum(t.Theme.Checksum) }

// ThemeAsset is an asset of a theme under the store's host.
type ThemeAsset struct {
	*db.ThemeAsset
	// Host is scheme and host of the store.
	Host string
}

// Checksum returns the checksum of its bytes.
func (a *ThemeAsset) Checksum() string { return wire.Checksum(a.ThemeAsset.Checksum) }

// URL returns where it is served.
func (a *ThemeAsset) URL() string { return a.Host + wire.AssetPath(a.ThemeAsset.Checksum, a.Path) }

// MarketplaceTheme is a published theme of the marketplace, as one store sees it.
type MarketplaceTheme struct {
	wire.Listing
	// APIHost is {api_host}, which serves its pictures.
	APIHost string
}

// Categories returns the words under which it is found.
func (m *MarketplaceTheme) Categories() []string {
	return strings.Fields(m.MarketplaceTheme.Categories)
}

// PreviewImageURL returns a picture of it.
func (m *MarketplaceTheme) PreviewImageURL() *string { return pictureURL(m.APIHost, m.Preview) }

// PublishedAt returns when it was last published.
func (m *MarketplaceTheme) PublishedAt() micros.Time { return m.Listing.PublishedAt }

// Installed reports whether the store has it.
func (m *MarketplaceTheme) Installed() bool { return m.Listing.Installed != nil }

// InstalledThemeID returns the newest theme of the store that came of it.
func (m *MarketplaceTheme) InstalledThemeID() *string {
	if m.Listing.Installed == nil {
		return nil
	}
	return new(xid.Theme.Format(*m.Listing.Installed))
}

// MarketplaceSubmission is a theme on its way to the marketplace.
type MarketplaceSubmission struct {
	*db.MarketplaceTheme
	APIHost string
}

// Own reports whether the viewer's store submitted it.
func (m *MarketplaceSubmission) Own(ctx context.Context) bool {
	v := viewer.From(ctx)
	return v != nil && m.SubmitterID != nil && *m.SubmitterID == v.Store
}

// Categories returns the words under which it is found.
func (m *MarketplaceSubmission) Categories() []string {
	return strings.Fields(m.MarketplaceTheme.Categories)
}

// PreviewImageURL returns a picture of it.
func (m *MarketplaceSubmission) PreviewImageURL() *string { return pictureURL(m.APIHost, m.Preview) }

// pictureURL is the address of a picture of which the path is known.
func pictureURL(host string, path *string) *string {
	if path == nil {
		return nil
	}
	return new(host + *path)
}
