package rest_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	parts "github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/rest"
)

// gallery is a server with its own blob store.
type gallery struct {
	*server
	blobs *blob.Store
}

func newGallery(t testing.TB, edit ...func(*rest.Config)) *gallery {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	edit = append(edit, func(c *rest.Config) { c.Blobs = blobs })
	return &gallery{newServer(t, storetest.Open(t), edit...), blobs}
}

// hang adds an asset and returns its address.
func (g *gallery) hang(t testing.TB, name string, body []byte) string {
	t.Helper()
	contentType, ok := parts.ContentTypeOf(name)
	if !ok {
		t.Fatalf("no type of %s", name)
	}
	sum := digest.Of(body)
	if err := g.blobs.Put(t.Context(), parts.BlobKey(sum, contentType), contentType, body); err != nil {
		t.Fatal(err)
	}
	return "/assets/" + hex.EncodeToString(sum[:]) + "/" + name
}

// raw sends a request without a credential to any path; header holds names and values, among them
// Host.
func (s *server) raw(t testing.TB, method, path string, header ...string) *answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.free.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{Status: res.StatusCode, Header: res.Header, Body: body, t: t}
}

func (a *answer) header(t testing.TB, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := a.Header.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
}

// noise returns bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// TestAssets: files are served by checksum, with the type of their name, without a query.
func TestAssets(t *testing.T) {
	g := newGallery(t)
	before := g.store.Statements()
	for name, contentType := range map[string]string{
		"style.css": "text/css; charset=utf-8", "a.woff2": "font/woff2", "a.woff": "font/woff",
		"a.ttf": "font/ttf", "a.otf": "font/otf", "a.png": "image/png", "a.jpg": "image/jpeg",
		"A-b_c.JPEG": "image/jpeg", "a.gif": "image/gif", "a.webp": "image/webp", "a.svg": "image/svg+xml",
		"large.png": "image/png",
	} {
		size := 3000
		if name == "large.png" {
			size = 2 << 20
		}
		body := noise(size)
		address := g.hang(t, name, body)
		tag := `"` + strings.Split(address, "/")[2] + `"`
		for range 2 { // first from the blob store, then from memory
			a := g.raw(t, http.MethodGet, address).want(http.StatusOK, "")
			if !bytes.Equal(a.Body, body) {
				t.Errorf("%s: other bytes", name)
			}
			want := map[string]string{
				"Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable", "Etag": tag,
				"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
				"Cross-Origin-Resource-Policy": "cross-origin", "Content-Length": fmt.Sprint(size),
				"Access-Control-Allow-Origin": "", "Set-Cookie": "",
			}
			if strings.HasPrefix(contentType, "font/") {
				want["Access-Control-Allow-Origin"] = "*"
			}
			a.header(t, want)
			head := g.raw(t, http.MethodHead, address).want(http.StatusOK, "")
			if head.header(t, want); len(head.Body) != 0 {
				t.Errorf("HEAD %s has a body", name)
			}
			if a := g.raw(t, http.MethodGet, address, "If-None-Match", tag); a.Status != http.StatusNotModified ||
				len(a.Body) != 0 || a.Header.Get("Etag") != tag {
				t.Errorf("%s: condition: %d %v", name, a.Status, a.Header)
			}
			g.raw(t, http.MethodGet, address, "If-None-Match", `"x"`).want(http.StatusOK, "")
		}
		// The name may differ if it has the same type.
		g.raw(t, http.MethodGet, address[:strings.LastIndex(address, "/")]+"/other"+
			address[strings.LastIndex(address, "."):]).want(http.StatusOK, "")
	}
	if n := g.store.Statements() - before; n != 0 {
		t.Errorf("%d statements", n)
	}
}

func TestAssetRanges(t *testing.T) {
	g := newGallery(t)
	for _, size := range []int{5000, 3 << 20} {
		body := noise(size)
		address := g.hang(t, "font.woff2", body)
		tag := `"` + strings.Split(address, "/")[2] + `"`
		for _, tc := range []struct {
			ask        string
			status     int
			from, till int
		}{
			{ask: "bytes=0-9", status: 206, till: 10}, {ask: "bytes=100-", status: 206, from: 100, till: size},
			{ask: "bytes=-7", status: 206, from: size - 7, till: size},
			{ask: "bytes=4999-99999999", status: 206, from: 4999, till: size},
			{ask: "bytes=0-0", status: 206, till: 1}, {ask: "items=0-9", status: 200, till: size},
			{ask: "bytes=-0", status: 416}, {ask: fmt.Sprintf("bytes=%d-", size), status: 416},
			{ask: "bytes=9-1", status: 416},
		} {
			a := g.raw(t, http.MethodGet, address, "Range", tc.ask)
			if a.Status != tc.status || tc.status < 300 && !bytes.Equal(a.Body, body[tc.from:tc.till]) {
				t.Errorf("%d bytes, %s: %d with %d bytes, want %d with %d", size, tc.ask, a.Status,
					len(a.Body), tc.status, tc.till-tc.from)
			}
			if want := fmt.Sprintf("bytes %d-%d/%d", tc.from, tc.till-1, size); tc.status == 206 &&
				a.Header.Get("Content-Range") != want {
				t.Errorf("%s: Content-Range %q, want %q", tc.ask, a.Header.Get("Content-Range"), want)
			}
		}
		if a := g.raw(t, http.MethodGet, address, "Range", "bytes=0-9", "If-Range", tag); a.Status != 206 {
			t.Errorf("If-Range with the tag: %d", a.Status)
		}
		if a := g.raw(t, http.MethodGet, address, "Range", "bytes=0-9", "If-Range", `"x"`); a.Status != 200 ||
			len(a.Body) != size {
			t.Errorf("If-Range with another tag: %d", a.Status)
		}
		if a := g.raw(t, http.MethodGet, address, "If-Match", `"x"`); a.Status != http.StatusPreconditionFailed {
			t.Errorf("If-Match: %d", a.Status)
		}
	}
}

// TestUnknownAssets: malformed and unknown addresses of assets give the same problem.
func TestUnknownAssets(t *testing.T) {
	g := newGallery(t)
	known := g.hang(t, "a.png", noise(100))
	sum := strings.Split(known, "/")[2]
	for _, path := range []string{
		"/assets/", "/assets/" + sum, "/assets/" + sum + "/", "/assets/" + strings.Repeat("0", 64) + "/a.png",
		"/assets/" + sum + "/a.gif", "/assets/" + sum + "/a", "/assets/" + sum + "/a.png.html", "/assets/" + sum +
			"/a.exe", "/assets/" + sum + "/.svg",
		"/assets/" + strings.ToUpper(sum) + "/a.png", "/assets/" + sum[1:] + "/a.png", "/assets/" + sum + "0/a.png",
		"/assets/" + sum + "/x/a.png", "/assets/" + sum + "/..%2fa.png", "/assets/" + sum +
			"/%2e%2e/a.png", "/assets/" + sum + "/../a.png",
		"/assets/..%2f..%2fetc%2fpasswd/a.png", "/assets//" + sum + "/a.png", "/assets/" + sum +
			"/a%00.png", "/assets/" + sum + "/a%20b.png",
		"/assets/" + sum + "/" + strings.Repeat("a", 200) + ".png", "/assets/" + sum + "/é.png",
	} {
		a := g.raw(t, http.MethodGet, path).want(http.StatusNotFound, "not_found")
		a.header(t, map[string]string{"Cache-Control": "no-store", "Etag": ""})
		if strings.Contains(string(a.Body), g.t.Name()) || a.problem().RequestID != a.Header.Get("X-Request-Id") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		g.raw(t, method, known).want(http.StatusMethodNotAllowed, "method_not_allowed").header(t,
			map[string]string{"Allow": "GET, HEAD"})
	}
	if a := g.raw(t, http.MethodHead, "/assets/x/a.png"); a.Status != http.StatusNotFound || len(a.Body) != 0 {
		t.Errorf("HEAD: %d %s", a.Status, a.Body)
	}
}

// TestAssetCompression: texts are compressed on request, under a tag of their own.
func TestAssetCompression(t *testing.T) {
	g := newGallery(t)
	for name, packs := range map[string]bool{"style.css": true, "a.svg": true, "a.ttf": false, "a.png": false} {
		body := bytes.Repeat([]byte("a { color: red } "), 200)
		address := g.hang(t, name, body)
		sum := strings.Split(address, "/")[2]
		a := g.raw(t, http.MethodGet, address, "Accept-Encoding", "gzip").want(http.StatusOK, "")
		if !packs {
			a.header(t, map[string]string{"Content-Encoding": "", "Etag": `"` + sum + `"`, "Vary": ""})
			continue
		}
		a.header(t, map[string]string{"Content-Encoding": "gzip", "Etag": `"` + sum + `-gzip"`,
			"Vary": "Accept-Encoding", "Content-Length": fmt.Sprint(len(a.Body))})
		z, err := gzip.NewReader(bytes.NewReader(a.Body))
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(z); err != nil || !bytes.Equal(unpacked, body) {
			t.Errorf("%s: %v, %d bytes", name, err, len(unpacked))
		}
		if a := g.raw(t, http.MethodGet, address, "Accept-Encoding", "gzip", "If-None-Match",
			`"`+sum+`-gzip"`); a.Status != http.StatusNotModified {
			t.Errorf("%s: condition: %d", name, a.Status)
		}
		a = g.raw(t, http.MethodGet, address, "Accept-Encoding", "gzip", "If-Match", "*")
		if a.Header.Get("Content-Encoding") != "" || !bytes.Equal(a.Body, body) {
			t.Errorf("%s: If-Match: plain bytes, labelled %q", name, a.Header.Get("Content-Encoding"))
		}
		a = g.raw(t, http.MethodGet, address, "Accept-Encoding", "gzip", "Range", "bytes=0-3")
		if a.Status != http.StatusPartialContent || string(a.Body) != "a { " || a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: a range of what is compressed: %d %q %v", name, a.Status, a.Body, a.Header)
		}
	}
}

// TestAssetsAtOnce: many clients request an asset that is not cached yet.
func TestAssetsAtOnce(t *testing.T) {
	g := newGallery(t)
	body := noise(400 << 10)
	address := g.hang(t, "a.png", body)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if a := g.raw(t, http.MethodGet, address); !bytes.Equal(a.Body, body) {
				t.Errorf("%d with %d bytes", a.Status, len(a.Body))
			}
		})
	}
	wait.Wait()
}
