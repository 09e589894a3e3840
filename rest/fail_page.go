package rest

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/dashboard"
	"github.com/storefront-go/storefront/rest/page"
	"github.com/storefront-go/storefront/rest/variant"
)

// forPeople reports whether a failure is shown as a page: if the client prefers HTML, as browsers
// do, and the path is not the API's own.
func forPeople(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, base := range []string{Base, legacyBase} {
		if r.URL.Path == base || strings.HasPrefix(r.URL.Path, base+"/") {
			return false
		}
	}
	return variant.PrefersHTML(r.Header)
}

// showFailure answers with a failure page. The caller has set the headers, such as Retry-After.
func (a *API) showFailure(c *call, f *fault.Error, code int) {
	kind, _ := wire.ProblemOf(f)
	p := page.Failure{Status: code, Title: kind.Title, Text: cmp.Or(f.Detail, kind.Sentence), Request: c.id,
		Links: a.failureLinks(c.r, f)}
	if f.RetryAfter > 0 {
		p.Wait = ratelimit.Seconds(f.RetryAfter)
	}
	p.Send(&recorder{c.w, c}, c.r)
}

// failureLinks returns the links of a failure page: to the export whose file was asked for, which has a
// fresh address, and to pages that anyone may need.
func (a *API) failureLinks(r *http.Request, f *fault.Error) []page.Link {
	if f.RetryAfter > 0 {
		return []page.Link{{Href: "", Text: "Try again"}}
	}
	docs := page.Link{Href: "/docs", Text: "Documentation"}
	if a.Account == nil {
		return []page.Link{docs}
	}
	var list []page.Link
	if f.Kind == fault.AuthenticationRequired {
		list = append(list, page.Link{Href: account.SignInAddress(r.URL.RequestURI()), Text: "Sign in"})
	}
	if id, ok := wantedExport(r); ok {
		at := dashboard.Root + "/exports/" + xid.Export.Format(id)
		list = append(list, page.Link{Href: at, Text: "Open the export"})
	}
	return append(list, page.Link{Href: dashboard.Root, Text: "Dashboard"}, docs)
}

// wantedExport returns the export that a download address names. Nothing is looked up, so the
// export may not exist.
func wantedExport(r *http.Request) (id xid.ID, ok bool) { return linkedID(r, xid.Export) }

// linkedID returns the id of a kind in the path of a download.
func linkedID(r *http.Request, kind xid.Kind) (id xid.ID, ok bool) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), downloadRoot)
	name, _, _ := strings.Cut(path, "/")
	id, err := kind.Parse(name)
	return id, ok && err == nil
}

// missing answers an unknown path below a handler that [API.plain] wraps.
func (a *API) missing(w http.ResponseWriter, _ *http.Request) { a.fail(w.(*recorder).c, nothingHere()) }

func nothingHere() error { return fault.New(fault.NotFound, "Nothing is served at this path.") }
