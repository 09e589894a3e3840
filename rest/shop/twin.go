package shop

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/storefront-go/storefront/rest/variant"
)

const (
	// twinSuffix at the end of a page's path asks for its twin in Markdown. The twin of the home page
	// is at [homeTwin].
	twinSuffix   = ".md"
	homeTwin     = "/index"
	markdownType = "text/markdown; charset=utf-8"
)

// wanted returns what a request wants to see, and whether in Markdown: because the path says so, or
// the Accept header. What is for robots has no twin.
func wanted(r *http.Request) (v view, twin bool) {
	path, twin := strings.CutSuffix(r.URL.Path, twinSuffix)
	if !twin {
		v = viewOf(r.URL)
		return v, !v.forRobots() && variant.PrefersMarkdown(r.Header)
	}
	switch path {
	case homeTwin:
		path = "/"
	case "/":
		path = r.URL.Path
	}
	v = viewOf(&url.URL{Path: path, RawQuery: r.URL.RawQuery})
	if v.forRobots() {
		return view{kind: notFoundPage, arg: r.URL.Path[:min(len(r.URL.Path), maxPath)]}, true
	}
	return v, true
}

// twinPath returns the path of the twin of a page.
func twinPath(path string) string {
	if path == "/" {
		path = homeTwin
	}
	return path + twinSuffix
}

// query returns the query of the view's own address.
func (v view) query() string {
	switch {
	case v.kind == productsPage:
		_, query := v.list()
		return query
	case v.kind == searchPage && v.arg != "":
		return url.Values{"q": {v.arg}}.Encode()
	case v.variant() != "":
		return variantParam + "=" + v.variant()
	}
	return ""
}

// formed returns a page in the form that the scene wants, with the header that leads to the other
// form. A preview has one form.
func (s *Shop) formed(look *look, c content, in scene, began time.Time) (p *page, err error) {
	if in.twin {
		p = newPage(c.view.status(), markdownType, c.markdown(in), began)
		p.twin = true
	} else {
		body, err := s.render(look, c, in)
		if err != nil {
			return nil, err
		}
		p = newPage(c.view.status(), htmlType, body, began)
	}
	if in.links.query != "" {
		return p, nil
	}
	p.form.Vary = variant.VaryKind
	if c.view.kind == notFoundPage {
		return p, nil
	}
	query := c.view.query()
	if query != "" {
		query = "?" + query
	}
	if in.twin {
		p.link = []string{"<" + in.origin + c.view.path() + query + `>; rel="canonical"`}
	} else {
		p.link = []string{"<" + twinPath(c.view.path()) + query + `>; rel="alternate"; type="text/markdown"`}
	}
	return p, nil
}
