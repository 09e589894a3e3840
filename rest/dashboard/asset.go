package dashboard

import (
	"net/http"
	"path"

	"github.com/storefront-go/storefront/rest/variant"
)

var mediaTypes = map[string]string{
	"":      "text/plain; charset=utf-8", // license texts
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
}

type asset struct {
	caching string
	form    variant.Form
}

func newAsset(name, caching string, content []byte) asset {
	return asset{caching, variant.Form{Type: mediaTypes[path.Ext(name)], Plain: content, Packed: variant.Pack(content),
		Tag: variant.StrongTag(content)}}
}

// Icon serves the dashboard's icon, which browsers request for every page that names none.
func Icon() http.Handler {
	content, _ := static.ReadFile("static/icon.svg") // a test reads it
	return newAsset("icon.svg", "public, max-age=86400", content)
}

// ServeHTTP answers GET and HEAD, with 304 for a known tag.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", a.caching)
	a.form.Send(w, r, http.StatusOK)
}
