package rest

import (
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

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

// assets serves the stylesheets, fonts and images of all themes. The content of an address never
// changes, so no request reads the database.
type assets struct{ *files }

// ServeHTTP answers GET and HEAD, with ranges and conditions.
func (s *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, r, wrongMethod(w.Header(), "GET, HEAD"))
		return
	}
	name, ok := parseAsset(r.URL.EscapedPath())
	if !ok {
		s.refuse(w, r, fault.Missing("asset"))
		return
	}
	header := assetHeader
	if strings.HasPrefix(name.contentType, "font/") {
		header = fontHeader
	}
	_ = s.answer(w, r, "asset", name, header)
}

// parseAsset parses an address as sent: a valid one has nothing escaped.
func parseAsset(path string) (name stored, ok bool) {
	digits, file, ok := strings.Cut(strings.TrimPrefix(path, assetRoot), "/")
	var sum digest.Sum
	if !ok || !isHex(digits, len(sum)) || !isFileName(file) {
		return name, false
	}
	if _, err := hex.Decode(sum[:], []byte(digits)); err != nil {
		return name, false
	}
	contentType, ok := theme.ContentTypeOf(file)
	return stored{key: theme.BlobKey(sum, contentType), contentType: contentType, tag: `"` + digits + `"`}, ok
}

// isHex reports whether s is n bytes in lower-case hexadecimal.
func isHex(s string, n int) bool { return len(s) == 2*n && strings.Trim(s, "0123456789abcdef") == "" }

func isFileName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return s != "" && len(s) <= maxAssetName && strings.Trim(s, letters) == ""
}
