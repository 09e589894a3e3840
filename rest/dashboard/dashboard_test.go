package dashboard

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// open is a dashboard whose visitors are signed in if they have any cookie.
func open(t *testing.T) *dashboard {
	t.Helper()
	h, err := New(Config{
		Signed: func(r *http.Request) bool { return r.Header.Get("Cookie") != "" },
		SignIn: func(to string) string { return "/sign-in?return_to=" + url.QueryEscape(to) },
	})
	if err != nil {
		t.Fatal(err)
	}
	d, ok := h.(*dashboard)
	if !ok {
		t.Fatalf("got a %T", h)
	}
	return d
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// address returns the address of a file in the present version.
func address(t *testing.T, name string) string {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s.address(name)
}

func TestNewNeedsBoth(t *testing.T) {
	for name, c := range map[string]Config{
		"neither": {},
		"no sign": {SignIn: func(string) string { return "" }},
		"no page": {Signed: func(*http.Request) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(c); err == nil {
				t.Error("want an error")
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	d, app := open(t), address(t, "app.js")
	for _, tc := range []struct {
		name, method, target, cookie string
		status                       int
		mediaType, location          string
	}{
		{"shell", "GET", "/dashboard", "x=1", 200, "text/html; charset=utf-8", ""},
		{"shell slash", "GET", "/dashboard/", "x=1", 200, "text/html; charset=utf-8", ""},
		{"shell head", "HEAD", "/dashboard", "x=1", 200, "text/html; charset=utf-8", ""},
		{"deep link", "GET", "/dashboard/orders/ord_1?after=x", "x=1", 200, "text/html; charset=utf-8", ""},
		{"link that looks like a file", "GET", "/dashboard/app.js", "x=1", 200, "text/html; charset=utf-8", ""},
		{"stranger", "GET", "/dashboard", "", 303, "", "/sign-in?return_to=%2Fdashboard"},
		{"stranger's deep link", "GET", "/dashboard/orders?status=OPEN&from=2026-01-01", "", 303, "", "/sign-in?return_to=%2Fdashboard%2Forders%3Fstatus%3DOPEN%26from%3D2026-01-01"},
		{"stranger's head", "HEAD", "/dashboard/keys", "", 303, "", "/sign-in?return_to=%2Fdashboard%2Fkeys"},
		{"file", "GET", app, "", 200, "text/javascript; charset=utf-8", ""},
		{"file head", "HEAD", app, "", 200, "text/javascript; charset=utf-8", ""},
		{"style", "GET", address(t, "style.css"), "", 200, "text/css; charset=utf-8", ""},
		{"picture", "GET", address(t, "icon.svg"), "", 200, "image/svg+xml", ""},
		{"licence", "GET", address(t, "vendor/uplot/LICENSE"), "", 200, "text/plain; charset=utf-8", ""},
		{"made", "GET", address(t, "currencies.js"), "", 200, "text/javascript; charset=utf-8", ""},
		{"unknown file", "GET", address(t, "nothing.js"), "x=1", 404, "text/plain; charset=utf-8", ""},
		{"template", "GET", address(t, shellName), "x=1", 404, "text/plain; charset=utf-8", ""},
		{"other version", "GET", "/dashboard/assets/0123456789abcdef/app.js", "x=1", 404, "text/plain; charset=utf-8", ""},
		{"no version", "GET", "/dashboard/assets/app.js", "x=1", 404, "text/plain; charset=utf-8", ""},
		{"climbing", "GET", "/dashboard/assets/../../source.go", "x=1", 404, "text/plain; charset=utf-8", ""},
		{"outside", "GET", "/dashboards", "x=1", 404, "text/plain; charset=utf-8", ""},
		{"post", "POST", "/dashboard", "x=1", 405, "text/plain; charset=utf-8", ""},
		{"delete a file", "DELETE", app, "x=1", 405, "text/plain; charset=utf-8", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := ask(d, tc.method, tc.target, "Cookie", tc.cookie)
			if w.Code != tc.status {
				t.Fatalf("status %d, want %d", w.Code, tc.status)
			}
			if got := w.Header().Get("Content-Type"); got != tc.mediaType {
				t.Errorf("content type %q, want %q", got, tc.mediaType)
			}
			if got := w.Header().Get("Location"); got != tc.location {
				t.Errorf("location %q, want %q", got, tc.location)
			}
			if empty := w.Body.Len() == 0; empty != (tc.method == http.MethodHead || tc.status == 303) {
				t.Errorf("%d bytes for %s", w.Body.Len(), tc.method)
			}
			if got := w.Header().Get("Allow"); (got == "GET, HEAD") != (tc.status == 405) {
				t.Errorf("Allow %q", got)
			}
			if got := w.Header().Get("Cache-Control"); (got == "no-store") != (tc.status >= 300) {
				t.Errorf("Cache-Control %q", got)
			}
			safe(t, w.Header())
		})
	}
}

// safe looks for the headers that every answer has.
func safe(t *testing.T, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
	got := h.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' https:", "base-uri 'none'",
		"form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
	} {
		if !strings.Contains(got+";", want+";") {
			t.Errorf("policy %q lacks %q", got, want)
		}
	}
	if strings.Contains(got, "unsafe") {
		t.Errorf("policy %q allows too much", got)
	}
}

func TestCaching(t *testing.T) {
	d := open(t)
	for name, tc := range map[string]struct{ target, caching string }{
		"shell": {"/dashboard", "private, no-cache"},
		"file":  {address(t, "app.js"), "public, max-age=31536000, immutable"},
	} {
		t.Run(name, func(t *testing.T) {
			first := ask(d, "GET", tc.target, "Cookie", "x=1")
			if got := first.Header().Get("Cache-Control"); got != tc.caching {
				t.Errorf("Cache-Control %q, want %q", got, tc.caching)
			}
			tag := first.Header().Get("ETag")
			for _, value := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", value)
				if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag || w.Header().Get("Content-Type") != "" {
					t.Errorf("If-None-Match %s: %d, %d bytes, %v", value, w.Code, w.Body.Len(), w.Header())
				}
			}
			if w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", `"other"`); w.Code != http.StatusOK {
				t.Errorf("another tag: %d", w.Code)
			}
			if w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", tag, "Accept-Encoding", "gzip"); w.Code != http.StatusOK {
				t.Errorf("the tag of the other encoding: %d", w.Code)
			}
		})
	}
	if w := ask(d, "GET", "/dashboard", "If-None-Match", "*"); w.Code != http.StatusSeeOther {
		t.Errorf("a stranger with a tag: %d, want the sign-in page", w.Code)
	}
}

func TestGzip(t *testing.T) {
	d, target := open(t), address(t, "app.js")
	plain := ask(d, "GET", target)
	for accept, packed := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5, *": true, "GZIP": true, "gzip;q=1.0": true, "gzip ; q=0.001": true,
		"": false, "br": false, "gzip;q=0": false, "gzip;q=0.000": false, "x-gzip": false,
	} {
		t.Run(accept, func(t *testing.T) {
			w := ask(d, "GET", target, "Accept-Encoding", accept)
			if got := w.Header().Get("Content-Encoding") == "gzip"; got != packed {
				t.Fatalf("packed %t, want %t", got, packed)
			}
			if w.Header().Get("Vary") != "Accept-Encoding" {
				t.Error("no Vary")
			}
			body := w.Body.Bytes()
			if packed {
				body = unpack(t, body)
			}
			if !bytes.Equal(body, plain.Body.Bytes()) {
				t.Error("another content")
			}
			if (w.Header().Get("ETag") == plain.Header().Get("ETag")) == packed {
				t.Error("the encodings share a tag, or one has two")
			}
		})
	}
}

func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	b, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The shell holds nothing that its own policy would refuse, and what it names
// is served.
func TestShell(t *testing.T) {
	d := open(t)
	page := ask(d, "GET", "/dashboard", "Cookie", "x=1").Body.String()
	if m := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script(?:>|[^>]*>[^<])`).FindString(page); m != "" {
		t.Errorf("the shell has %q", m)
	}
	names := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 10 {
		t.Errorf("only %d files", len(names))
	}
	for _, m := range names {
		if w := ask(d, "GET", m[1]); w.Code != http.StatusOK {
			t.Errorf("%s: %d", m[1], w.Code)
		}
	}
}
