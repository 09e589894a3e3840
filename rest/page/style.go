package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/storefront-go/storefront/rest/variant"
)

// StylePath is where the pages expect [Style].
const StylePath = "/pages/page.css"

// Style serves the stylesheet: GET and HEAD, with 304 for a known tag.
func Style() http.Handler {
	css, _ := files.ReadFile("page.css") // embedded above
	sum := sha256.Sum256(css)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", "text/css; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "public, no-cache")
		h.Set("ETag", tag)
		variant.Content(w, r, bytes.NewReader(css))
	})
}
