package page

import (
	"bytes"
	"net/http"

	"github.com/storefront-go/storefront/rest/variant"
)

// Addresses of the pages' files.
const (
	StylePath  = "/pages/page.css"   // [Style]
	ScriptPath = "/pages/passkey.js" // [Script]
)

// Style serves the stylesheet: GET and HEAD, with 304 for a known tag.
func Style() http.Handler { return file("page.css", "text/css; charset=utf-8") }

// Script serves the script of pages with passkeys, like [Style].
func Script() http.Handler { return file("passkey.js", "text/javascript; charset=utf-8") }

func file(name, media string) http.Handler {
	body, _ := files.ReadFile(name) // embedded in this package
	tag := variant.StrongTag(body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", media)
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "public, no-cache")
		h.Set("ETag", tag)
		variant.Content(w, r, bytes.NewReader(body))
	})
}
