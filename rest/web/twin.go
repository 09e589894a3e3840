package web

import (
	"net/http"

	"github.com/storefront-go/storefront/rest/variant"
)

// twins mounts a page and its form in Markdown, which Accept or the suffix .md asks for.
func (d *site) twins(at string, html asset, markdown string) {
	twin := newAsset(at+".md", docsPolicy, []byte(markdown))
	html.form.Vary, twin.form.Vary = variant.VaryKind, variant.VaryKind
	link := "<" + at + `.md>; rel="alternate"; type="text/markdown"`
	d.mux.Handle("GET "+at+".md", twin)
	d.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		if variant.PrefersMarkdown(r.Header) {
			twin.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Link", link)
		html.ServeHTTP(w, r)
	})
}
