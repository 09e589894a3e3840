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
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/rest/variant"
)

// policy is the Content-Security-Policy of every page: no script at all, and no style
// or picture but from the host: no other one hears of a visitor.
const policy = "default-src 'none'; img-src 'self' data:; style-src 'self'; font-src 'self'; form-action " +
	"'self'; base-uri 'none'; frame-ancestors 'self'"

// staticRoot is where the files of the storefront itself are, which no theme has.
const staticRoot = "/_storefront/"

//go:embed static
var files embed.FS

// Header values that answers share; they are never changed.
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

// keepOut is for the robots that come to a closed shop.
var keepOut = newPage(http.StatusOK, textType, []byte("User-agent: *\nDisallow: /\n"), time.Time{})

// guard sets what every answer says to the browser.
func guard(h http.Header) {
	h["Content-Security-Policy"] = policies
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = referrer
	h["Permissions-Policy"] = permissions
}

// page is a whole answer, ready to be sent.
type page struct {
	status int
	form   variant.Form // without a tag for what is of the moment
	// location is where a redirect leads; "" for other pages.
	location string

	began time.Time  // when reading what it shows began
	state digest.Sum // of the store when it was made
}

func newPage(status int, contentType string, body []byte, began time.Time) *page {
	p := &page{status: status, began: began,
		form: variant.Form{Type: contentType, Plain: body, Packed: variant.Pack(body)}}
	if status == http.StatusOK {
		p.form.Tag = `W/"` + strconv.FormatUint(xxhash.Sum64(body), 36) + `"`
	}
	return p
}

// loose reports whether the page is one of those that anybody can make any number
// of.
func (p *page) loose() bool { return p.status != http.StatusOK }

// size is about how much memory the page takes, in bytes.
func (p *page) size() int64 { return int64(len(p.form.Plain)+len(p.form.Packed)) + 512 }

// unkept is the page as an answer of the moment.
func (p *page) unkept() *page {
	p.form.Tag = ""
	return p
}

// send answers with a page: 304 where the client has it, its headers alone for
// HEAD. An answer whose caching was decided before keeps that.
func send(w http.ResponseWriter, r *http.Request, p *page) {
	h := w.Header()
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = revalidate
	}
	h["Vary"] = variant.Vary
	if p.location != "" {
		h.Set("Location", p.location)
	}
	p.form.Send(w, r, p.status)
}

// static serves the files of the storefront itself.
func (s *Shop) static(w http.ResponseWriter, r *http.Request) {
	body, err := files.ReadFile("static/" + strings.TrimPrefix(r.URL.Path, staticRoot))
	if err != nil || path.Ext(r.URL.Path) != ".css" {
		s.message(w, r, http.StatusNotFound, "There is nothing here", "The address may be misspelt.")
		return
	}
	send(w, r, newPage(http.StatusOK, cssType, body, time.Time{}))
}

// refuse answers where the theme's page cannot be shown. What is our fault is
// logged; visitors are asked to come back, and never see a cause.
func (s *Shop) refuse(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, errThemeless):
		h.Set("Retry-After", "10")
		s.message(w, r, http.StatusServiceUnavailable, "This shop is being set up", "Come back in a while.")
	case f != nil && f.Kind == fault.Unavailable, ent.IsUnavailable(err), errors.Is(err, errBusy),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		s.Logger.WarnContext(r.Context(), "storefront not available", slog.Any("error", err))
		h.Set("Retry-After", "2")
		s.message(w, r, http.StatusServiceUnavailable, "This shop is not available",
			"It will be back in a moment: please try again.")
	default:
		s.Logger.ErrorContext(r.Context(), "page of a storefront failed", slog.String("path", r.URL.Path),
			slog.Any("error", err))
		h.Set("Retry-After", "30")
		s.message(w, r, http.StatusServiceUnavailable, "This page cannot be shown",
			"Please try again later, or look at another page.")
	}
}

// message answers with a page of our own, for where no theme's can be shown.
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
