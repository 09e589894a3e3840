// Package dashboard serves the merchant's dashboard: one page of native ES
// modules, embedded as they are written. Nothing is built on the machine of
// whoever compiles the program; those that most visits need are put together
// when it starts.
//
// The page reads and writes through POST /graphql alone, so what a person may
// do is decided there; this package knows only whether they are signed in. What
// lies below static/vendor is as its npm package ships it, listed in
// vendor.json.
package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
)

// Root is where the dashboard is served: this path, and all below it.
const Root = "/dashboard"

// assetRoot is where the page's files are, each below the version of them all.
const assetRoot = Root + "/assets/"

// policy is the Content-Security-Policy of every answer, but for the frames. Pictures come
// from the host, and QR codes from the answers. No text becomes markup or code, not even
// by mistake: that would take a trusted type, and the one that exists is for the script of
// the plots.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types plot"

// Config is what the dashboard needs.
type Config struct {
	// Elsewhere returns where a browser is sent that has no business here, such as the
	// sign-in page for one that is not signed in; "" for one that has.
	Elsewhere func(*http.Request) string
	// Frames is where the previews of storefronts are that a page shows in a frame, as a
	// source of the Content-Security-Policy: https://*.shop.example. "" for nowhere.
	Frames string
}

type dashboard struct {
	Config
	policy string
	files  map[string]asset // by path
	shell  asset
}

// New makes the handler of [Root] and everything below it. An address that is
// not a file's gets the page, so that links into the dashboard work; who has no business
// here is sent elsewhere (303).
func New(c Config) (http.Handler, error) {
	if c.Elsewhere == nil {
		return nil, errors.New("dashboard: Elsewhere is needed")
	}
	s, err := load()
	if err != nil {
		return nil, err
	}
	frames := "; frame-src " + cmp.Or(c.Frames, "'none'")
	d := &dashboard{Config: c, policy: policy + frames, files: make(map[string]asset, len(s.files))}
	for name, content := range s.files {
		d.files[s.address(name)] = newAsset(name, "public, max-age=31536000, immutable", content)
	}
	page, err := s.page()
	if err != nil {
		return nil, err
	}
	d.shell = newAsset("shell.html", "private, no-cache", page)
	return d, nil
}

// ServeHTTP answers GET and HEAD.
func (d *dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.protect(w.Header())
	file, found := d.files[r.URL.Path]
	switch path := r.URL.Path; {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed)
	case found:
		file.ServeHTTP(w, r)
	case strings.HasPrefix(path, assetRoot), path != Root && !strings.HasPrefix(path, Root+"/"):
		refuse(w, http.StatusNotFound)
	default:
		if to := d.Elsewhere(r); to != "" {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		d.shell.ServeHTTP(w, r)
	}
}

// protect sets what every answer says to the browser.
func (d *dashboard) protect(h http.Header) {
	h.Set("Content-Security-Policy", d.policy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// refuse answers without a page. A file of another version is one of these: it
// must not be remembered.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(status), status)
}
