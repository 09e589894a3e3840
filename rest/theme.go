package rest

import (
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listThemes(c *call) error {
	page, err := a.Core.Query().Themes(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, appendTheme)
}

func (a *API) getTheme(c *call) error {
	t, err := a.Core.Query().Theme(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = appendTheme(c.out, t)
	return nil
}

func appendTheme(b []byte, t *model.Theme) []byte {
	return wire.AppendTheme(b, t.Theme, t.Status(), t.PreviewURL)
}

func (a *API) listThemeAssets(c *call) error {
	page, err := a.Core.Query().ThemeAssets(c.ctx, c.pathID(), c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, t *model.ThemeAsset) []byte {
		return wire.AppendThemeAsset(b, t.ThemeAsset, t.Host)
	})
}

// activateTheme is POST /themes/{id}/activate, which takes no members.
func (a *API) activateTheme(c *call) error {
	if err := c.noMembers(); err != nil {
		return err
	}
	done, err := a.Core.Mutation().ThemeActivate(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.code = http.StatusOK
	c.out = appendTheme(c.out, done.Theme)
	return nil
}

func (a *API) listMarketplaceThemes(c *call) error {
	page, err := a.Core.Query().MarketplaceThemes(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, m *model.MarketplaceTheme) []byte {
		return wire.AppendMarketplaceTheme(b, m.Listing, m.APIHost)
	})
}

// assetRoot is where every host serves the assets of themes, each under the SHA-256 of its bytes:
// /assets/<sha256>/<name>.
const assetRoot = "/assets/"

// maxAssetName is the longest name in an asset's address, in bytes.
const maxAssetName = 200

// Headers of every asset; never changed. Fonts of another origin need CORS, and the dashboard shows
// themes at {api_host}.
var (
	assetHeader = http.Header{"Cache-Control": immutable, "Cross-Origin-Resource-Policy": anyResource}
	fontHeader  = http.Header{"Cache-Control": immutable, "Cross-Origin-Resource-Policy": anyResource,
		"Access-Control-Allow-Origin": anyOrigin}
)

// asset serves the stylesheets, fonts and images of all themes, with ranges and conditions. The
// content of an address never changes, so no request reads the database.
func (s *files) asset(w http.ResponseWriter, r *http.Request) error {
	name, ok := parseAsset(r.URL.EscapedPath())
	if !ok {
		return fault.Missing("asset")
	}
	header := assetHeader
	if strings.HasPrefix(name.contentType, "font/") {
		header = fontHeader
	}
	return s.answer(w, r, "asset", name, header)
}

// parseAsset parses an address as sent: a valid one has nothing escaped.
func parseAsset(path string) (name stored, ok bool) {
	digits, file, ok := strings.Cut(strings.TrimPrefix(path, assetRoot), "/")
	var sum digest.Sum
	if !ok || !unhex(sum[:], digits) || !isFileName(file) {
		return name, false
	}
	contentType, ok := theme.ContentTypeOf(file)
	return stored{key: theme.BlobKey(sum, contentType), contentType: contentType, tag: `"` + digits + `"`}, ok
}

// unhex reads bytes in lower-case hexadecimal and reports whether s is such a text of their length.
func unhex(into []byte, s string) bool {
	if len(s) != 2*len(into) || strings.Trim(s, "0123456789abcdef") != "" {
		return false
	}
	_, err := hex.Decode(into, []byte(s))
	return err == nil
}

func isFileName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return s != "" && len(s) <= maxAssetName && strings.Trim(s, letters) == ""
}
