package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
)

// Problem is one stable error code, for the page that its type address names. It
// has the fields of the problem table's rows, so a row converts to it.
type Problem struct {
	Code     string // "validation_failed"
	Status   int
	Title    string
	Sentence string // what it means and what to do
}

// Anchor returns the fragment of the problem's type address: the code with
// dashes (contract, section 2).
func (p Problem) Anchor() string { return strings.ReplaceAll(p.Code, "_", "-") }

// Docs serves /docs, rendered from an OpenAPI 3.1 document in YAML, /docs/problems
// with one anchor for each problem, /docs/limits with what holds here, /docs/webhooks for
// those who receive them, and /docs/themes for those who write themes. Pages are rendered here, once; the error
// says what of the document cannot be read.
func Docs(openapi []byte, problems []Problem, here limit.Values) (http.Handler, error) {
	doc, err := parse(openapi)
	if err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	docs, err := render("docs.html", docsPolicy, newDocsPage(doc, problems))
	if err != nil {
		return nil, err
	}
	title := doc.get("info", "title").text()
	list, err := render("problems.html", docsPolicy, struct {
		Title    string
		Problems []Problem
	}{title, problems})
	if err != nil {
		return nil, err
	}
	hooks, err := webhooks(title)
	if err != nil {
		return nil, err
	}
	bounds, err := limitsPage(title, here)
	if err != nil {
		return nil, err
	}
	themes, err := themesPage(title)
	if err != nil {
		return nil, err
	}
	css, err := staticAsset("docs.css", docsPolicy)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /docs", docs)
	mux.Handle("GET /docs/{$}", http.RedirectHandler("/docs", http.StatusPermanentRedirect))
	mux.Handle("GET /docs/problems", list)
	mux.Handle("GET /docs/limits", bounds)
	mux.Handle("GET /docs/webhooks", hooks)
	mux.Handle("GET /docs/themes", themes)
	mux.Handle("GET /docs/static/docs.css", css)
	return mux, nil
}
