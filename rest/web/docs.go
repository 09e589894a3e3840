package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
)

// Problem is a stable error code, for the page of its type address. It has the fields of the
// problem table's rows, so a row converts to it.
type Problem struct {
	Code     string // "validation_failed"
	Status   int
	Title    string
	Sentence string // what it means and what to do
}

// Anchor returns the fragment of the problem's type address: the code with dashes (contract,
// section 2).
func (p Problem) Anchor() string { return strings.ReplaceAll(p.Code, "_", "-") }

// DocsConfig is the configuration of the documentation.
type DocsConfig struct {
	// OpenAPI is the document of the REST API: OpenAPI 3.1 in YAML.
	OpenAPI  []byte
	Problems []Problem
	// Limits holds this server's deviations from the table of limits.
	Limits limit.Values
	// APIHost is the host in the guides' examples.
	APIHost string
	// Explorer says that the GraphQL explorer is served, so that pages may link to it.
	Explorer bool
	// Missing answers for a page that does not exist.
	Missing http.Handler
}

// site collects the pages; the first error ends it.
type site struct {
	DocsConfig
	root  string
	title string
	mux   *http.ServeMux
	err   error
}

// newSite returns a site whose first page is at root and its files below that.
func newSite(c DocsConfig, root string) *site {
	d := &site{DocsConfig: c, root: root, mux: http.NewServeMux()}
	d.mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusPermanentRedirect))
	return d
}

// Docs serves /docs, the reference, which Scalar renders from /openapi.json in the browser; guides
// below /docs/guides; /docs/problems with an anchor for each problem; /docs/limits with this
// server's limits; /docs/webhooks for receivers; and /docs/themes for theme authors. Pages are
// rendered here, once; it fails if a source cannot be read.
func Docs(c DocsConfig) (http.Handler, error) {
	_, title, err := parse(c.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	d := newSite(c, "/docs")
	d.title = title
	d.reference()
	d.guides()
	d.page("/docs/problems", "problems.html", struct {
		Title    string
		Problems []Problem
	}{d.title, c.Problems})
	d.webhooks()
	d.limits()
	d.themes()
	d.static("frame.css", docsPolicy)
	d.static("docs.css", docsPolicy)
	if c.Missing != nil {
		d.mux.Handle("GET /docs/", c.Missing)
	}
	return d.mux, d.err
}

func (d *site) page(at, name string, data any) { d.add(at, name, docsPolicy, data) }

func (d *site) add(at, name, policy string, data any) {
	a, err := render(sections(at, d.Explorer), name, policy, data)
	d.note(err)
	d.mux.Handle("GET "+at, a)
}

func (d *site) static(name, policy string) {
	a, err := staticAsset(name, policy)
	d.note(err)
	d.mux.Handle("GET "+d.root+"/static/"+name, a)
}

func (d *site) note(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *site) reference() {
	script := d.ship("scalar/standalone.js", referencePolicy)
	d.add("/docs", "reference.html", referencePolicy, struct{ Title, Viewer string }{d.title, script})
	d.static("reference.js", referencePolicy)
	d.static("reference.css", referencePolicy)
}
