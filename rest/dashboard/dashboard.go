// Package dashboard serves the merchant's dashboard: one page of native ES modules, embedded as
// they are written. There is no build step; at start-up the modules that most visits need are
// joined.
//
// The page reads and writes through POST /graphql alone, which decides what a person may do. This
// package knows only whether they are signed in. The files below static/vendor are as their npm
// packages ship them, listed in vendor.json.
package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
)

// Root is the path of the dashboard; everything below it belongs to it too.
const Root = "/dashboard"

const assetRoot = Root + "/assets/"

// policy is the Content-Security-Policy of every answer, without the frames. Images come from the
// host, QR codes from answers of the API. No text can become markup or code by mistake: that takes
// a trusted type, and the only one is for the script of the plots.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types plot"

// Config is the configuration of the dashboard.
type Config struct {
	// Elsewhere returns where to redirect a browser that may not see the dashboard, such as the
	// sign-in page; "" if it may.
	Elsewhere func(*http.Request) string
	// Frames is the Content-Security-Policy source of storefront previews, which a page shows in a
	// frame: https://*.shop.example. "" allows none.
	Frames string
}

type dashboard struct {
	Config
	policy string
	files  map[string]asset // by path
	shell  asset
}

// New returns the handler of [Root] and everything below it. An address that is not a file's gets
// the page, so that links into the dashboard work. A browser that may not see it is redirected
// (303).
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

func (d *dashboard) protect(h http.Header) {
	h.Set("Content-Security-Policy", d.policy)
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// refuse answers without a page. A file of another version gets this and must not be cached.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(status), status)
}
