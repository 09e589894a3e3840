// Package web serves the pages for developers: the reference of the REST API, guides, problems and
// limits, and the GraphQL explorer. Templates, guides, styles and scripts are embedded. Nothing is
// loaded from another host, which the policy of every page enforces. The files below vendor are as
// their npm packages ship them, but compressed, and listed in vendor.json.
package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"

	"github.com/storefront-go/storefront/rest/variant"
)

//go:embed templates static guides vendor
var files embed.FS

// Policies of the pages: only what they name is allowed. Pages cannot be framed, and forms go
// nowhere. Both viewers add style elements to their pages, and the explorer's fonts are in its
// stylesheet.
const (
	strict = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:; " +
		"style-src 'self'"
	viewer          = strict + " 'unsafe-inline'; script-src 'self'; connect-src 'self'"
	docsPolicy      = strict
	referencePolicy = viewer
	explorerPolicy  = viewer + "; font-src data:"
)

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".md":   "text/markdown; charset=utf-8",
}

type asset struct {
	form   variant.Form
	policy string
}

func newAsset(name, policy string, content []byte) asset {
	return asset{variant.Form{Type: mediaTypes[path.Ext(name)], Plain: content, Packed: variant.Pack(content),
		Tag: variant.StrongTag(content)}, policy}
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
	protect(w.Header(), a.policy)
	w.Header().Set("Cache-Control", "no-cache")
	a.form.Send(w, r, http.StatusOK)
}

func protect(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

type section struct {
	Path, Name string
	Current    bool
}

const explorerPath = "/graphql/explorer"

// sections returns the parts of the documentation; at is the path of the current page.
func sections(at string, explorer bool) []section {
	list := []section{
		{Path: "/docs", Name: "Reference"}, {Path: guidesPath, Name: "Guides"},
		{Path: "/docs/webhooks", Name: "Webhooks"}, {Path: "/docs/themes", Name: "Themes"},
		{Path: "/docs/limits", Name: "Limits"}, {Path: "/docs/problems", Name: "Problems"},
		{Path: explorerPath, Name: "GraphQL"}, {Path: "/openapi.json", Name: "OpenAPI"},
	}
	for i := range list {
		list[i].Current = list[i].Path == at
	}
	return slices.DeleteFunc(list, func(s section) bool { return s.Path == explorerPath && !explorer })
}

func render(head []section, name, policy string, data any) (asset, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"sections": func() []section { return head }}).
		ParseFS(files, "templates/frame.html", "templates/"+name)
	if err != nil {
		return asset{}, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return asset{}, fmt.Errorf("render %s: %w", name, err)
	}
	return newAsset(name, policy, b.Bytes()), nil
}
