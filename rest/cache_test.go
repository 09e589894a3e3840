package rest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/rest"
)

var weakTag = regexp.MustCompile(`^W/"[0-9a-z]+"$`)

func TestETag(t *testing.T) {
	c := newCast(t)
	for _, path := range []string{"/products", "/products?limit=1", "/products/" + productID,
		"/orders", "/orders/" + orderID, "/customers", "/exports", "/webhooks", "/themes", "/themes/" + themeID,
		"/themes/" + themeID + "/assets", "/marketplace/themes"} {
		t.Run(path, func(t *testing.T) {
			get := func(ifNoneMatch ...string) *answer {
				return c.do(t, request{As: c.as["all"], Path: path,
					Free: slices.Contains(ifNoneMatch, ""), Edit: func(r *http.Request) {
						if ifNoneMatch != nil {
							r.Header["If-None-Match"] = ifNoneMatch
						}
					}})
			}
			first := get().want(http.StatusOK, "")
			tag := first.Header.Get("ETag")
			if !weakTag.MatchString(tag) || first.Header.Get("Cache-Control") != "private, no-cache" {
				t.Fatalf("ETag %q, Cache-Control %q", tag, first.Header.Get("Cache-Control"))
			}
			strong := tag[2:]
			for _, matching := range [][]string{
				{tag}, {strong}, {"*"}, {`"x", ` + tag}, {tag + `,W/"y"`}, {`"x"`, tag}, {" " + tag + " "},
			} {
				a := get(matching...)
				if a.Status != http.StatusNotModified || len(a.Body) > 0 || a.Header.Get("ETag") != tag ||
					a.Header.Get("Cache-Control") != "private, no-cache" || a.Header.Get("Content-Type") != "" ||
					a.Header.Get("Vary") != first.Header.Get("Vary") {
					t.Errorf("If-None-Match %q: %d %v", matching, a.Status, a.Header)
				}
			}
			for _, other := range [][]string{
				{`W/"x"`}, {`"x"`}, {""}, {"x"}, {strong[1 : len(strong)-1]}, {tag[:len(tag)-2] + `"`},
			} {
				get(other...).want(http.StatusOK, "")
			}
			head := c.do(t, request{
				As: c.as["all"], Method: "HEAD", Path: path, Header: map[string]string{"If-None-Match": tag},
			})
			if head.Status != http.StatusNotModified {
				t.Errorf("HEAD: %d", head.Status)
			}
		})
	}
}

// TestETagFollowsTheRepresentation: another page or a change has another tag.
func TestETagFollowsTheRepresentation(t *testing.T) {
	c := newCast(t)
	tag := func(path string) string {
		return c.do(t, request{As: c.as["all"], Path: path}).want(http.StatusOK, "").Header.Get("ETag")
	}
	one, two, single := tag("/products?limit=1"), tag("/products?limit=2"), tag("/products/"+productID)
	if one == two || one == single || two == single {
		t.Errorf("tags %s %s %s", one, two, single)
	}
	if tag("/products?limit=2") != two {
		t.Error("the same page has another tag")
	}
	c.do(t, request{As: c.as["all"], Method: "POST", Path: "/products", Body: draft("New")}).
		want(http.StatusCreated, "")
	if tag("/products?limit=2") == two || tag("/products/"+productID) != single {
		t.Error("the tags do not follow the rows")
	}
}

// TestNoETag: answers of the moment and errors have no tag and are not cached.
func TestNoETag(t *testing.T) {
	c := newCast(t)
	for _, path := range []string{
		"/me", "/exports/" + exportID, "/products?limit=0", "/products/" + unknownID, "/nothing",
	} {
		a := c.do(t, request{As: c.as["all"], Path: path, Header: map[string]string{"If-None-Match": "*"}})
		if a.Status == http.StatusNotModified || a.Header.Get("ETag") != "" ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, ETag %q, Cache-Control %q", path, a.Status,
				a.Header.Get("ETag"), a.Header.Get("Cache-Control"))
		}
	}
	// Conditions apply to reads: a write is never 304.
	c.do(t, request{As: c.as["all"], Method: "POST", Path: "/products", Body: draft("x"),
		Header: map[string]string{"If-None-Match": "*"}}).want(http.StatusCreated, "")
}

func TestGzip(t *testing.T) {
	s, m := sqlite(t)
	m.stock(crowd(50)...)
	plain := s.do(t, request{As: m.all, Path: "/products"})
	for _, tc := range []struct {
		accept []string
		zipped bool
	}{
		{nil, false}, {[]string{""}, false}, {[]string{"identity"}, false},
		{[]string{"br, deflate"}, false}, {[]string{"gzip;q=0"}, false},
		{[]string{"gzip; q=0.000, br"}, false}, {[]string{"x-gzip"}, false},
		{[]string{"gzipped"}, false}, {[]string{"*"}, false}, {[]string{"gzip"}, true}, {[]string{"GZIP"}, true},
		{[]string{"deflate, gzip;q=0.5, br"}, true},
		{[]string{"br", "gzip ; q=1.0"}, true}, {[]string{"gzip;q=0.001"}, true},
	} {
		a := s.do(t, request{
			As: m.all, Path: "/products", Edit: func(r *http.Request) { r.Header["Accept-Encoding"] = tc.accept },
		})
		body := a.Body
		if got := a.Header.Get("Content-Encoding") == "gzip"; got != tc.zipped {
			t.Errorf("Accept-Encoding %q: gzip %t, want %t", tc.accept, got, tc.zipped)
			continue
		}
		if tc.zipped {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
			if len(a.Body) > len(body)/2 {
				t.Errorf("%d bytes became %d", len(body), len(a.Body))
			}
		}
		if !bytes.Equal(body, plain.Body) || a.Header.Get("ETag") != plain.Header.Get("ETag") {
			t.Errorf("Accept-Encoding %q: another representation", tc.accept)
		}
		if !slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") {
			t.Errorf("Accept-Encoding %q: Vary %q", tc.accept, a.Header.Values("Vary"))
		}
	}
	// Small answers are not compressed, and large errors are.
	if a := s.do(t, request{As: m.all, Path: "/products?limit=1",
		Header: map[string]string{"Accept-Encoding": "gzip"}}); a.Header.Get("Content-Encoding") != "" {
		t.Error("a small answer is packed")
	}
}

func TestCORS(t *testing.T) {
	c := newCast(t)
	const exposed = "X-Request-Id, Location, ETag, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, " +
		"WWW-Authenticate, Deprecation, Sunset, Link"
	for _, r := range []request{
		{Path: "/products", As: c.as["all"]}, {Path: "/products"}, {Path: "/nothing"},
		{Path: "/products", Method: "PUT"}, {Path: "/products?limit=0", As: c.as["all"]},
		{Path: "/products", Method: "POST", Body: draft("x"), As: c.as["all"]}, {Path: legacy + "/me", As: c.as["all"]},
		{Path: "/openapi.json"}, {Path: "/products", Method: "OPTIONS"},
	} {
		for _, origin := range []string{"", "https://shop.example", "null"} {
			r.Header = map[string]string{"Origin": origin}
			a := c.do(t, r)
			for name, want := range map[string]string{"Access-Control-Allow-Origin": "*",
				"Access-Control-Expose-Headers": exposed, "Access-Control-Allow-Credentials": "",
				"Access-Control-Allow-Methods": ""} {
				if got := a.Header.Get(name); got != want {
					t.Errorf("%s %s: %s %q, want %q", r.Method, r.Path, name, got, want)
				}
			}
		}
	}
}

func TestPreflight(t *testing.T) {
	c := newCast(t)
	for _, path := range []string{
		"/products", "/orders/x/notes", "/nothing", "/webhooks/whk_1", legacy + "/me", "/openapi.json",
	} {
		for _, asked := range []string{"authorization, idempotency-key, content-type", "x-anything", ""} {
			a := c.do(t, request{Method: "OPTIONS", Path: path,
				Header: map[string]string{"Origin": "https://shop.example",
					"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": asked}})
			want := map[string]string{"Access-Control-Allow-Origin": "*",
				"Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE", "Access-Control-Max-Age": "7200",
				"Access-Control-Allow-Credentials": "", "Access-Control-Allow-Headers": asked}
			if asked == "" {
				want["Access-Control-Allow-Headers"] = "*, Authorization"
			}
			for name, want := range want {
				if got := a.Header.Get(name); got != want {
					t.Errorf("%s: %s %q, want %q", path, name, got, want)
				}
			}
			if a.Status != http.StatusNoContent || len(a.Body) > 0 {
				t.Errorf("%s: %d with %d bytes", path, a.Status, len(a.Body))
			}
		}
	}
}

// TestNoCORS: pages for people and the core's GraphQL have no CORS headers.
func TestNoCORS(t *testing.T) {
	s, _ := sqlite(t, func(c *rest.Config) {
		c.GraphQL = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
	})
	for _, path := range []string{"/graphql", "/docs", "/docs/problems", "/", "/api/public/v1"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", "https://shop.example")
			r.Header.Set("Access-Control-Request-Method", "POST")
			res, err := s.free.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			for name := range res.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s %s: %s", method, path, name)
				}
			}
			if res.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s %s: no request id", method, path)
			}
		}
	}
}
