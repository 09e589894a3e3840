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
		Elsewhere: func(r *http.Request) string {
			if r.Header.Get("Cookie") != "" {
				return ""
			}
			return "/sign-in?return_to=" + url.QueryEscape(r.URL.RequestURI())
		},
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

// address returns the address of a file in the current version.
func address(t *testing.T, name string) string {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s.address(name)
}

func TestNewNeedsElsewhere(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("created without it")
	}
}

func TestAnswers(t *testing.T) {
	d, app := open(t), address(t, "app.js")
	for _, tc := range []struct {
		name, method, target, cookie string
		status                       int
		mediaType, location          string
	}{
		{name: "shell", method: "GET", target: "/dashboard", cookie: "x=1", status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "shell slash", method: "GET", target: "/dashboard/", cookie: "x=1", status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "shell head", method: "HEAD", target: "/dashboard", cookie: "x=1", status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "deep link", method: "GET", target: "/dashboard/orders/ord_1?after=x", cookie: "x=1", status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "link that looks like a file", method: "GET", target: "/dashboard/app.js", cookie: "x=1", status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "stranger", method: "GET", target: "/dashboard", status: 303,
			location: "/sign-in?return_to=%2Fdashboard"},
		{name: "stranger's deep link", method: "GET", target: "/dashboard/orders?status=OPEN&from=2026-01-01",
			status: 303, location: "/sign-in?return_to=%2Fdashboard%2Forders%3Fstatus%3DOPEN%26from%3D2026-01-01"},
		{name: "stranger's head", method: "HEAD", target: "/dashboard/keys", status: 303,
			location: "/sign-in?return_to=%2Fdashboard%2Fkeys"},
		{name: "file", method: "GET", target: app, status: 200, mediaType: "text/javascript; charset=utf-8"},
		{name: "file head", method: "HEAD", target: app, status: 200, mediaType: "text/javascript; charset=utf-8"},
		{name: "style", method: "GET", target: address(t, "style.css"), status: 200,
			mediaType: "text/css; charset=utf-8"},
		{name: "picture", method: "GET", target: address(t, "icon.svg"), status: 200, mediaType: "image/svg+xml"},
		{name: "licence", method: "GET", target: address(t, "vendor/uplot/LICENSE"), status: 200,
			mediaType: "text/plain; charset=utf-8"},
		{name: "unknown file", method: "GET", target: address(t, "nothing.js"), cookie: "x=1", status: 404,
			mediaType: "text/plain; charset=utf-8"},
		{name: "template", method: "GET", target: address(t, shellName), cookie: "x=1", status: 404,
			mediaType: "text/plain; charset=utf-8"},
		{name: "other version", method: "GET", target: "/dashboard/assets/0123456789abcdef/app.js", cookie: "x=1",
			status: 404, mediaType: "text/plain; charset=utf-8"},
		{name: "no version", method: "GET", target: "/dashboard/assets/app.js", cookie: "x=1", status: 404,
			mediaType: "text/plain; charset=utf-8"},
		{name: "climbing", method: "GET", target: "/dashboard/assets/../../source.go", cookie: "x=1", status: 404,
			mediaType: "text/plain; charset=utf-8"},
		{name: "outside", method: "GET", target: "/dashboards", cookie: "x=1", status: 404,
			mediaType: "text/plain; charset=utf-8"},
		{name: "post", method: "POST", target: "/dashboard", cookie: "x=1", status: 405,
			mediaType: "text/plain; charset=utf-8"},
		{name: "delete a file", method: "DELETE", target: app, cookie: "x=1", status: 405,
			mediaType: "text/plain; charset=utf-8"},
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

// safe checks the headers that every answer has.
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
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
		"img-src 'self' data:", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types plot",
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
	for name, tc := range map[string]struct {
		target, caching string
		packed          bool
	}{
		"shell": {"/dashboard", "private, no-cache", false}, // too short for that
		"file":  {address(t, "app.js"), "public, max-age=31536000, immutable", true},
	} {
		t.Run(name, func(t *testing.T) {
			first := ask(d, "GET", tc.target, "Cookie", "x=1")
			if got := first.Header().Get("Cache-Control"); got != tc.caching {
				t.Errorf("Cache-Control %q, want %q", got, tc.caching)
			}
			tag := first.Header().Get("ETag")
			for _, value := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", value)
				if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag ||
					w.Header().Get("Content-Type") != "" {
					t.Errorf("If-None-Match %s: %d, %d bytes, %v", value, w.Code, w.Body.Len(), w.Header())
				}
			}
			if w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", `"other"`); w.Code != http.StatusOK {
				t.Errorf("another tag: %d", w.Code)
			}
			if w := ask(d, "GET", tc.target, "Cookie", "x=1", "If-None-Match", tag,
				"Accept-Encoding", "gzip"); (w.Code == http.StatusOK) != tc.packed {
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

// The shell contains nothing that its policy refuses, and everything that it names is served.
func TestShell(t *testing.T) {
	d := open(t)
	page := ask(d, "GET", "/dashboard", "Cookie", "x=1").Body.String()
	if m := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script(?:>|[^>]*>[^<])`).FindString(page); m != "" {
		t.Errorf("the shell has %q", m)
	}
	names := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 3 {
		t.Errorf("only %d files", len(names))
	}
	for _, m := range names {
		if w := ask(d, "GET", m[1]); w.Code != http.StatusOK {
			t.Errorf("%s: %d", m[1], w.Code)
		}
	}
}
