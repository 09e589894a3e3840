package wire

import (
	"encoding/hex"
	"path"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendTheme appends a theme with its current status and preview link.
func AppendTheme(b []byte, t *db.Theme, status state.ThemeStatus, previewURL *string) []byte {
	o := Open(b)
	o.ID("id", xid.Theme, t.ID)
	o.Str("name", t.Name)
	o.StrOpt("version", t.ThemeVersion)
	o.Plain("status", string(status))
	o.Plain("source", string(t.Source))
	o.IDOpt("marketplace_theme_id", xid.MarketplaceTheme, t.MarketplaceThemeID)
	o.StrOpt("author", t.Author)
	o.StrOpt("description", t.Description)
	o.Int("asset_count", t.AssetCount)
	o.Int("size_bytes", t.SizeBytes)
	o.Plain("checksum", Checksum(t.Checksum))
	o.StrOpt("preview_url", previewURL)
	o.TimeOpt("activated_at", t.ActivatedAt)
	o.Time("created_at", t.ID.Time())
	o.Time("updated_at", t.UpdatedAt)
	return o.Close()
}

// AppendThemeAsset appends an asset of a theme. Its address begins with its store's host.
func AppendThemeAsset(b []byte, a *db.ThemeAsset, host string) []byte {
	o := Open(b)
	o.ID("id", xid.ThemeAsset, a.ID)
	o.ID("theme_id", xid.Theme, a.ThemeID)
	o.Str("key", a.Path)
	o.Plain("kind", string(a.Kind))
	o.Plain("content_type", a.ContentType)
	o.Int("size_bytes", a.SizeBytes)
	o.Plain("checksum", Checksum(a.Checksum))
	o.Str("url", host+AssetPath(a.Checksum, a.Path))
	o.intOrNull("width", a.Width)
	o.intOrNull("height", a.Height)
	o.Time("created_at", a.ID.Time())
	return o.Close()
}

func (o *Object) intOrNull(name string, v *int) {
	if v == nil {
		o.Null(name)
		return
	}
	o.Int(name, int64(*v))
}

// Listing is a published theme of the marketplace, as one store sees it.
type Listing struct {
	*db.MarketplaceTheme
	// PublishedAt is when it was last published.
	PublishedAt micros.Time
	// Installed is the store's newest theme that was installed from it, if there is one.
	Installed *xid.ID
}

// AppendMarketplaceTheme appends a published theme of the marketplace. Its images are served under
// {api_host}.
func AppendMarketplaceTheme(b []byte, m Listing, apiHost string) []byte {
	o := Open(b)
	o.ID("id", xid.MarketplaceTheme, m.ID)
	o.Plain("slug", m.Slug)
	o.Str("name", m.Name)
	o.StrOpt("tagline", m.Tagline)
	o.Str("author", m.Author)
	o.Str("version", m.ThemeVersion)
	o.Int("price_minor", m.PriceMinor)
	o.Plain("currency", m.Currency)
	o.Strings("categories", strings.Fields(m.Categories))
	if m.Preview == nil {
		o.Null("preview_image_url")
	} else {
		o.Str("preview_image_url", apiHost+*m.Preview)
	}
	o.intOrNull("rating_percent", m.RatingPercent)
	o.Int("installs_count", m.InstallsCount)
	o.Bool("installed", m.Installed != nil)
	o.IDOpt("installed_theme_id", xid.Theme, m.Installed)
	o.Time("published_at", m.PublishedAt)
	o.Time("updated_at", m.UpdatedAt)
	return o.Close()
}

// Checksum formats a SHA-256 as in the API.
func Checksum(sum digest.Sum) string { return "sha256:" + hex.EncodeToString(sum[:]) }

// AssetPath returns the path at which every host serves an asset (contract, section 9). name is its
// key or the last part of that.
func AssetPath(sum digest.Sum, name string) string {
	return "/assets/" + hex.EncodeToString(sum[:]) + "/" + path.Base(name)
}
