package shop

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/rest/variant"
)

// policy is the Content-Security-Policy of every page: no scripts, and styles and images from the
// same host only, so that no other host learns of a visitor.
const policy = "default-src 'none'; img-src 'self' data:; style-src 'self'; font-src 'self'; form-action " +
	"'self'; base-uri 'none'; frame-ancestors 'self'"

// staticRoot is where the service's own files for storefronts are; themes cannot replace them.
const staticRoot = "/_storefront/"

//go:embed static
var files embed.FS

// Header values that answers share; never changed.
var (
	policies    = []string{policy}
	noSniff     = []string{"nosniff"}
	referrer    = []string{"strict-origin-when-cross-origin"}
	permissions = []string{"camera=(), geolocation=(), microphone=()"}
	revalidate  = []string{"public, max-age=0, must-revalidate"}
	noStore     = []string{"no-store"}
	noIndex     = []string{"noindex"}
	noReferrer  = []string{"no-referrer"}
)

// Media types of the pages.
const (
	htmlType = "text/html; charset=utf-8"
	textType = "text/plain; charset=utf-8"
	cssType  = "text/css; charset=utf-8"
	xmlType  = "application/xml; charset=utf-8"
)

// keepOut is the robots.txt of a closed shop.
var keepOut = newPage(http.StatusOK, textType, []byte("User-agent: *\nDisallow: /\n"), time.Time{})

func guard(h http.Header) {
	h["Content-Security-Policy"] = policies
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = referrer
	h["Permissions-Policy"] = permissions
}

type page struct {
	status int
	form   variant.Form // without a tag if it is not cacheable
	// location is the target of a redirect; "" for other pages.
	location string
	// link is the header of that name, which leads to the other form of the page; nil for none. A twin
	// is for programs, and not for the index of a search engine.
	link []string
	twin bool

	began time.Time  // when reading its data began
	until time.Time  // when a price on it changes; zero if none will
	state digest.Sum // of the store when it was rendered
}

func newPage(status int, contentType string, body []byte, began time.Time) *page {
	p := &page{status: status, began: began,
		form: variant.Form{Type: contentType, Plain: body, Packed: variant.Pack(body)}}
	if status == http.StatusOK {
		p.form.Tag = variant.WeakTag(body)
	}
	return p
}

// size returns the approximate memory of the page, in bytes.
func (p *page) size() int64 { return int64(len(p.form.Plain)+len(p.form.Packed)) + 512 }

// send answers with a page: 304 if the client has it, only headers for HEAD. Cache headers that are
// already set stay.
func send(w http.ResponseWriter, r *http.Request, p *page) {
	h := w.Header()
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = revalidate
	}
	if h["Vary"] = variant.Vary; p.form.Vary != nil {
		h["Vary"] = p.form.Vary
	}
	if p.link != nil {
		h["Link"] = p.link
	}
	if p.twin {
		h["X-Robots-Tag"] = noIndex
	}
	if p.location != "" {
		h.Set("Location", p.location)
	}
	p.form.Send(w, r, p.status)
}

func (s *Shop) static(w http.ResponseWriter, r *http.Request) {
	body, err := files.ReadFile("static/" + strings.TrimPrefix(r.URL.Path, staticRoot))
	if err != nil || path.Ext(r.URL.Path) != ".css" {
		s.message(w, r, http.StatusNotFound, "Page not found", "Check the address for typos.")
		return
	}
	send(w, r, newPage(http.StatusOK, cssType, body, time.Time{}))
}

// refuse answers when the theme's page cannot be shown. Internal errors are logged; visitors are
// asked to come back and never see the cause.
func (s *Shop) refuse(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, errThemeless):
		h.Set("Retry-After", "10")
		s.message(w, r, http.StatusServiceUnavailable, "This shop is being set up", "Please come back later.")
	case f != nil && f.Kind == fault.Unavailable, ent.IsUnavailable(err), errors.Is(err, errBusy),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		s.Logger.WarnContext(r.Context(), "storefront not available", slog.Any("error", err))
		h.Set("Retry-After", "2")
		s.message(w, r, http.StatusServiceUnavailable, "This shop is not available",
			"Please try again in a moment.")
	default:
		s.Logger.ErrorContext(r.Context(), "page of a storefront failed", slog.String("path", r.URL.Path),
			slog.Any("error", err))
		h.Set("Retry-After", "30")
		s.message(w, r, http.StatusServiceUnavailable, "This page cannot be shown",
			"Please try again later, or look at another page.")
	}
}

// message answers with a page of the service, for use where no theme page can be shown.
func (s *Shop) message(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	w.Header()["Cache-Control"] = noStore
	send(w, r, newPage(status, htmlType, fmt.Appendf(nil, messageHTML, html.EscapeString(title),
		html.EscapeString(title), html.EscapeString(text)), time.Time{}))
}

const messageHTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<link rel="stylesheet" href="` + staticRoot + `message.css">
</head>
<body>
<main>
<h1>%s</h1>
<p>%s</p>
</main>
</body>
</html>
`
