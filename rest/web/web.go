// Package web serves the pages for people: the documentation of the REST API,
// its problems, and the GraphQL explorer. Templates, styles and scripts are
// embedded; nothing is loaded from another host, and the policy of every page
// says so to the browser.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"path"

	"github.com/storefront-go/storefront/rest/variant"
)

//go:embed templates static
var files embed.FS

// The policies of the pages: nothing is allowed but what they name. Pages
// cannot be framed, and forms go nowhere.
const (
	docsPolicy     = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	explorerPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; " +
		"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// asset is a whole answer, made once at start-up.
type asset struct {
	content   []byte
	mediaType string
	policy    string
	etag      string
}

func newAsset(name, policy string, content []byte) asset {
	sum := sha256.Sum256(content)
	return asset{
		content, mediaTypes[path.Ext(name)], policy, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
	}
}

func staticAsset(name, policy string) (asset, error) {
	b, err := files.ReadFile("static/" + name)
	if err != nil {
		return asset{}, err
	}
	return newAsset(name, policy, b), nil
}

// ServeHTTP answers GET and HEAD, with 304 for a known tag.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.mediaType)
	h.Set("Content-Security-Policy", a.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.etag)
	variant.Content(w, r, bytes.NewReader(a.content))
}

// render executes one template into an asset.
func render(name, policy string, data any) (asset, error) {
	t, err := template.New(name).ParseFS(files, "templates/"+name)
	if err != nil {
		return asset{}, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return asset{}, fmt.Errorf("render %s: %w", name, err)
	}
	return newAsset(name, policy, b.Bytes()), nil
}
