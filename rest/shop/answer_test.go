package shop_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/model"
)

// policyOf returns the expected Referrer-Policy of an address: a signed one must not leak.
func policyOf(u *url.URL) string {
	if u.Query().Has("signature") {
		return "no-referrer"
	}
	return "strict-origin-when-cross-origin"
}

// TestHeaders: every answer of a storefront forbids scripts.
func TestHeaders(t *testing.T) {
	s := sqlite(t)
	id := s.theme("Bold")
	for _, a := range []answer{
		s.get("/"), s.get("/nothing"), s.get("/robots.txt"),
		s.get("/_storefront/preview.css"), s.get("/_storefront/none"),
		s.get("/_storefront/../shop.go"), s.get("/_storefront/"),
		s.get(s.link(id, time.Hour)), s.get(s.link(id, -time.Hour)),
		s.ask(http.MethodPost, s.handle+".shops.test", "/"), s.get("/", "If-None-Match", "*"), s.open().get("/"),
	} {
		frames := "'self'"
		if a.Request.URL.Query().Has("signature") {
			frames += " " + s.core.APIHost // the dashboard shows previews
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; font-src " +
				"'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + frames,
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": policyOf(a.Request.URL),
			"Permissions-Policy":          "camera=(), geolocation=(), microphone=()",
			"Access-Control-Allow-Origin": "", "Set-Cookie": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", a.Request.URL, a.Status, name, got, want)
			}
		}
	}
	if got := s.get("/").Header; got.Get("Content-Type") != "text/html; charset=utf-8" ||
		got.Get("Cache-Control") != "public, max-age=0, must-revalidate" ||
		got.Get("Vary") != "Accept, Accept-Encoding" {
		t.Errorf("headers of a page: %v", got)
	}
	if got := s.get("/_storefront/preview.css").Header.Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("a stylesheet is %q", got)
	}
}

func TestMethods(t *testing.T) {
	s := sqlite(t)
	s.sell("Blue mug")
	host := s.handle + ".shops.test"
	for _, path := range []string{"/", "/search?q=mug", "/robots.txt", "/nothing", "/_storefront/message.css"} {
		got, head := s.get(path), s.ask(http.MethodHead, host, path)
		if head.body != "" || head.StatusCode != got.StatusCode || head.ContentLength != int64(len(got.body)) ||
			head.Header.Get("Etag") != got.Header.Get("Etag") {
			t.Errorf("HEAD %s: %d %v", path, head.StatusCode, head.Header)
		}
		for _, method := range []string{
			http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch,
		} {
			if a := s.ask(method, host, path).want(t, 405, "!Blue mug"); a.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %v", method, path, a.Header)
			}
		}
	}
}

func TestConditions(t *testing.T) {
	s := sqlite(t)
	s.sell("Blue mug")
	tag := s.get("/").Header.Get("Etag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Fatalf("the tag is %q", tag)
	}
	for _, header := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		a := s.get("/", "If-None-Match", header).want(t, 304)
		if a.body != "" || a.Header.Get("Etag") != tag || a.Header.Get("Cache-Control") == "" ||
			a.Header.Get("Content-Type") != "" {
			t.Errorf("%s: %v", header, a.Header)
		}
	}
	s.get("/", "If-None-Match", `"x"`).want(t, 200)
	s.get("/nothing", "If-None-Match", "*").want(t, 404)
	s.activate(s.theme("Bold"))
	s.clock.add(time.Second)
	if a := s.get("/", "If-None-Match", tag).want(t, 200); a.Header.Get("Etag") == tag {
		t.Error("the tag stays with another theme")
	}
}

func TestCompression(t *testing.T) {
	s := sqlite(t)
	s.sell("Mug", func(in *model.ProductCreateInput) { in.Description = new(strings.Repeat("Long. ", 300)) })
	plain := s.get("/products/mug")
	for header, want := range map[string]string{
		"gzip": "gzip", "br, GZIP;q=0.5": "gzip", "gzip;q=0": "", "br": "", "": "", "identity": "",
	} {
		a := s.get("/products/mug", "Accept-Encoding", header)
		if got := a.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoded as %q", header, got)
		}
		if a.Header.Get("Etag") != plain.Header.Get("Etag") || a.ContentLength != int64(len(a.body)) {
			t.Errorf("%q: %v", header, a.Header)
		}
		body := a.body
		if want == "gzip" {
			z, err := gzip.NewReader(strings.NewReader(a.body))
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			body = string(unpacked)
		}
		if body != plain.body {
			t.Errorf("%q: another body of %d bytes", header, len(body))
		}
	}
}
