package variant_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/storefront-go/storefront/rest/variant"
)

func TestAcceptsGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"gzip": true, "GZIP": true, "br, gzip;q=0.5, *": true, "gzip;q=1.0": true, "gzip ; q=0.001": true,
		"gzip;\tQ=1": true, "gzip;x=1": true, "": false, "br": false, "*": false,
		"identity": false, "x-gzip": false, "gzipped": false, "gzip;q=0": false, "gzip; q=0.000, br": false,
		"gzip;\tq=0": false, "gzip;q=NaN": false, "gzip;q=2": false, "gzip;q=": false,
	} {
		if got := variant.AcceptsGzip(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q: %t, want %t", accept, got, want)
		}
	}
	if !variant.AcceptsGzip(http.Header{"Accept-Encoding": {"br", "gzip"}}) || variant.AcceptsGzip(nil) {
		t.Error("several headers, or none, are misread")
	}
}

func TestPrefersHTML(t *testing.T) {
	for accept, want := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8": true, "text/html": true,
		"TEXT/HTML; q=0.3": true, "application/json;q=0.5, text/html": true, "text/html;level=1;q=0.9": true,
		"": false, "*/*": false, "text/*": false, "application/json": false, "text/html, application/json": false,
		"application/problem+json, text/html;q=0.9": false, "text/html;q=0": false, "text/html;q=x": false,
		"image/avif,image/webp,*/*;q=0.8": false, "application/json, text/plain, */*": false,
	} {
		if got := variant.PrefersHTML(http.Header{"Accept": {accept}}); got != want {
			t.Errorf("%q: %t, want %t", accept, got, want)
		}
	}
	if variant.PrefersHTML(nil) || !variant.PrefersHTML(http.Header{"Accept": {"*/*", "text/html"}}) {
		t.Error("several headers, or none, are misread")
	}
}

func TestMatches(t *testing.T) {
	for _, tag := range []string{`"a"`, `W/"a"`} {
		for header, want := range map[string]bool{
			`"a"`: true, `W/"a"`: true, `"x", W/"a"`: true, "*": true, `"x"`: false, "a": false, "": false,
		} {
			if got := variant.Matches(http.Header{"If-None-Match": {header}}, tag); got != want {
				t.Errorf("%s of %q: %t, want %t", tag, header, got, want)
			}
		}
	}
}

// ask sends headers, as names and values, to a handler.
func ask(h http.HandlerFunc, method string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h(w, r)
	return w.Result()
}

func TestForm(t *testing.T) {
	body := []byte(strings.Repeat("a text ", 400))
	for tag, packedTag := range map[string]string{`"a"`: `"a-gzip"`, `W/"a"`: `W/"a"`, "": ""} {
		f := &variant.Form{Type: "text/plain", Plain: body, Packed: variant.Pack(body), Tag: tag}
		send := func(w http.ResponseWriter, r *http.Request) { f.Send(w, r, http.StatusOK) }
		for encoding, want := range map[string]string{"": tag, "gzip": packedTag} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				res := ask(send, method, "Accept-Encoding", encoding)
				got, _ := io.ReadAll(res.Body)
				if res.Header.Get("Etag") != want || res.Header.Get("Vary") != "Accept-Encoding" ||
					res.Header.Get("Content-Encoding") != encoding {
					t.Errorf("%s %s of %q: %v", method, tag, encoding, res.Header)
				}
				if encoding == "gzip" && len(got) > 0 {
					got = unpack(t, got)
				}
				if method == http.MethodGet && !bytes.Equal(got, body) || method == http.MethodHead && len(got) > 0 {
					t.Errorf("%s %s of %q: %d bytes", method, tag, encoding, len(got))
				}
			}
			if tag == "" {
				continue
			}
			res := ask(send, http.MethodGet, "Accept-Encoding", encoding, "If-None-Match", want)
			if res.StatusCode != http.StatusNotModified || res.Header.Get("Content-Type") != "" ||
				res.Header.Get("Content-Encoding") != "" {
				t.Errorf("condition with %s: %d %v", want, res.StatusCode, res.Header)
			}
		}
	}
}

func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPack(t *testing.T) {
	if variant.Pack(make([]byte, variant.MinPacked-1)) != nil {
		t.Error("what is small is compressed")
	}
	body := make([]byte, variant.MinPacked)
	if got := unpack(t, variant.Pack(body)); !bytes.Equal(got, body) {
		t.Errorf("%d bytes", len(got))
	}
	for range 3 { // compressors are reused
		var b bytes.Buffer
		if n := variant.WriteGzip(&b, body); n != len(body) || !bytes.Equal(unpack(t, b.Bytes()), body) {
			t.Errorf("%d bytes", n)
		}
	}
}

// TestContent: a single suffix of no bytes cannot be satisfied; ranges in an unknown unit are
// ignored.
func TestContent(t *testing.T) {
	const body = "0123456789"
	serve := func(w http.ResponseWriter, r *http.Request) {
		variant.Content(w, r, strings.NewReader(body))
	}
	for asked, want := range map[string]struct {
		status int
		body   string
	}{
		"bytes=-0": {416, ""}, "bytes=-000": {416, ""}, "bytes= -0 ": {416, ""}, "bytes=-0,-0": {416, ""},
		"bytes=10-": {416, ""}, "bytes=x": {416, ""}, "bytes=-": {416, ""},
		"bytes=0-1,-0": {206, "01"}, "bytes=-1": {206, "9"}, "bytes=-10": {206, body},
		"Bytes=0-0": {206, "0"}, "bytes=-20": {206, body}, "items=0-1": {200, body}, "bytes": {200, body},
		"": {200, body}, "bytes=" + strings.Repeat("0-0,", 16) + "1-1": {200, body},
	} {
		res := ask(serve, http.MethodGet, "Range", asked)
		got, _ := io.ReadAll(res.Body)
		if res.StatusCode != want.status || want.status != 416 && string(got) != want.body {
			t.Errorf("%q: %d %q, want %d %q", asked, res.StatusCode, got, want.status, want.body)
		}
		if ranges := res.Header.Get("Content-Range"); strings.HasPrefix(asked, "bytes=-0") && ranges != "bytes */10" {
			t.Errorf("%q: Content-Range %q", asked, ranges)
		}
	}
	if res := ask(serve, http.MethodGet, "Range", "bytes=0-0", "Range", "bytes=1-1"); res.StatusCode != 200 {
		t.Errorf("two headers: %d", res.StatusCode)
	}
}

// FuzzHeaders: whatever the headers, the answer is one of the forms, whole or in part, or an error.
func FuzzHeaders(f *testing.F) {
	for _, h := range [][3]string{{"gzip;q=0.5", `W/"a", *`, "bytes=0-1,-0"}, {"br, gzip ; q=", `"a-gzip"`, "bytes=-0"},
		{"\x00", ",,", "bytes=9-,,-"}} {
		f.Add(h[0], h[1], h[2])
	}
	body := []byte(strings.Repeat("0123456789", 200))
	form := &variant.Form{Plain: body, Packed: variant.Pack(body), Tag: `"a"`}
	f.Fuzz(func(t *testing.T, accept, match, ranges string) {
		send := func(w http.ResponseWriter, r *http.Request) { form.Send(w, r, http.StatusOK) }
		switch res := ask(send, http.MethodGet, "Accept-Encoding", accept, "If-None-Match", match); {
		case res.StatusCode == http.StatusNotModified && strings.TrimSpace(match) != "":
		case res.StatusCode == http.StatusOK &&
			(res.Header.Get("Content-Encoding") == "") == bytes.Equal(text(res), body):
		default:
			t.Fatalf("%q, %q: %d", accept, match, res.StatusCode)
		}
		content := func(w http.ResponseWriter, r *http.Request) { variant.Content(w, r, bytes.NewReader(body)) }
		switch res := ask(content, http.MethodGet, "Range", ranges); res.StatusCode {
		case http.StatusOK:
			if !bytes.Equal(text(res), body) {
				t.Fatalf("%q: another body", ranges)
			}
		case http.StatusPartialContent:
			if len(text(res)) == 0 {
				t.Fatalf("%q: a part of nothing", ranges)
			}
		case http.StatusRequestedRangeNotSatisfiable:
		default:
			t.Fatalf("%q: %d", ranges, res.StatusCode)
		}
	})
}

func text(res *http.Response) []byte {
	b, _ := io.ReadAll(res.Body)
	return b
}
