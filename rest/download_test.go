package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
)

func TestDownload(t *testing.T) {
	c := newCounter(t, 100_000)
	ts := httptest.NewServer(c.handler)
	defer ts.Close()
	body, tag := string(c.body), c.tag()
	for _, tc := range []struct {
		name    string
		method  string
		headers []string
		status  int
		want    string
		ranged  string // Content-Range
	}{
		{name: "whole", method: "GET", status: 200, want: body},
		{name: "head", method: "HEAD", status: 200},
		{name: "gzip is accepted", method: "GET", headers: []string{"Accept-Encoding", "gzip"}, status: 200,
			want: body},
		{name: "a credential is not looked at", method: "GET", headers: []string{"Authorization", "Bearer sfk_wrong"},
			status: 200, want: body},
		{name: "first byte", method: "GET", headers: []string{"Range", "bytes=0-0"}, status: 206, want: body[:1],
			ranged: "bytes 0-0/100000"},
		{name: "from the middle", method: "GET", headers: []string{"Range", "bytes=50000-"}, status: 206,
			want: body[50000:], ranged: "bytes 50000-99999/100000"},
		{name: "the last ones", method: "GET", headers: []string{"Range", "bytes=-10"}, status: 206, want: body[99990:],
			ranged: "bytes 99990-99999/100000"},
		{name: "over the end", method: "GET", headers: []string{"Range", "bytes=99999-200000"}, status: 206,
			want: body[99999:], ranged: "bytes 99999-99999/100000"},
		{name: "head of a range", method: "HEAD", headers: []string{"Range", "bytes=10-19"}, status: 206,
			ranged: "bytes 10-19/100000"},
		{name: "If-Range of this file", method: "GET", headers: []string{"Range", "bytes=10-19", "If-Range", tag},
			status: 206, want: body[10:20], ranged: "bytes 10-19/100000"},
		{name: "If-Range of another", method: "GET",
			headers: []string{"Range", "bytes=10-19", "If-Range", `"sha256-0"`}, status: 200, want: body},
		{name: "If-Range, weak", method: "GET", headers: []string{"Range", "bytes=10-19", "If-Range", "W/" + tag},
			status: 200, want: body},
		{name: "If-Range, a date", method: "GET",
			headers: []string{"Range", "bytes=10-19", "If-Range", "Sun, 01 Mar 2026 09:30:00 GMT"}, status: 200,
			want: body},
		{name: "If-None-Match", method: "GET", headers: []string{"If-None-Match", tag}, status: 304},
		{name: "If-None-Match of another", method: "GET", headers: []string{"If-None-Match", `"x"`}, status: 200,
			want: body},
		{name: "If-Match", method: "GET", headers: []string{"If-Match", tag}, status: 200, want: body},
		{name: "If-Match of another", method: "GET", headers: []string{"If-Match", `"x"`}, status: 412},
		{name: "ranges of more than the file", method: "GET", headers: []string{"Range", "bytes=0-,0-"}, status: 200,
			want: body},
		{name: "too many ranges", method: "GET",
			headers: []string{"Range", "bytes=" + strings.Repeat("0-0,", 16) + "1-1"}, status: 200, want: body},
		{name: "another unit", method: "GET", headers: []string{"Range", "rows=0-1"}, status: 200, want: body},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), tc.method, ts.URL+c.address(time.Minute), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "identity")
			for i := 0; i < len(tc.headers); i += 2 {
				r.Header.Set(tc.headers[i], tc.headers[i+1])
			}
			res, err := ts.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if got := text(t, res); res.StatusCode != tc.status || got != tc.want {
				t.Errorf("%d and %d bytes, want %d and %d", res.StatusCode, len(got), tc.status, len(tc.want))
			}
			want := map[string]string{"Cache-Control": "private, no-store",
				"X-Content-Type-Options": "nosniff", "Content-Encoding": "",
				"Last-Modified": "", "Access-Control-Allow-Origin": "", "Etag": tag, "Content-Range": tc.ranged}
			if tc.status == 200 || tc.status == 206 {
				want["Content-Type"], want["Accept-Ranges"] = "application/gzip", "bytes"
				want["Content-Disposition"] = `attachment; filename="` + fileName + `"`
			}
			for name, value := range want {
				if got := res.Header.Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
			if length := int64(len(tc.want)); tc.method == "GET" && tc.status < 300 && res.ContentLength != length {
				t.Errorf("Content-Length %d, want %d", res.ContentLength, length)
			}
			if res.Header.Get("X-Request-Id") == "" {
				t.Error("no X-Request-Id")
			}
		})
	}
}

func TestDownloadOfSeveralRanges(t *testing.T) {
	c := newCounter(t, 100_000)
	res := c.serve("GET", c.address(time.Minute), "Range", "bytes=0-9, 50000-50099, -1")
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusPartialContent || kind != "multipart/byteranges" {
		t.Fatalf("%d %s, %v", res.StatusCode, kind, err)
	}
	parts := multipart.NewReader(res.Body, params["boundary"])
	for _, want := range []struct {
		ranged string
		body   []byte
	}{{"bytes 0-9/100000", c.body[:10]}, {"bytes 50000-50099/100000", c.body[50000:50100]},
		{"bytes 99999-99999/100000", c.body[99999:]}} {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(p)
		if err != nil || !bytes.Equal(got, want.body) || p.Header.Get("Content-Range") != want.ranged ||
			p.Header.Get("Content-Type") != "application/gzip" {
			t.Errorf("part %v: %d bytes, %v; want %s", p.Header, len(got), err, want.ranged)
		}
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("a part more: %v", err)
	}
}

func TestDownloadOutOfRange(t *testing.T) {
	c := newCounter(t, 1000)
	for _, ranges := range []string{
		"bytes=1000-", "bytes=5000-6000", "bytes=x", "bytes=5-4", "bytes=--1", "bytes=-0", "bytes=-00, -0",
	} {
		res := c.serve("GET", c.address(time.Minute), "Range", ranges)
		refused(t, ranges, res, http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable")
		if got := res.Header.Get("Content-Range"); strings.HasPrefix(ranges, "bytes=1000") && got != "bytes */1000" {
			t.Errorf("%s: Content-Range %q", ranges, got)
		}
	}
}

func TestDownloadOfNothing(t *testing.T) {
	c := newCounter(t, 0)
	for _, headers := range [][]string{nil, {"Range", "bytes=0-"}} {
		res := c.serve("GET", c.address(time.Minute), headers...)
		if got := text(t, res); res.StatusCode != http.StatusOK || got != "" ||
			res.Header.Get("Content-Length") != "0" {
			t.Errorf("%v: %d %q %v", headers, res.StatusCode, got, res.Header)
		}
	}
}

// Changing, removing or doubling any byte of the address gives 403 without a lookup; before the
// path's root it is another path.
func TestDownloadOfAnAlteredAddress(t *testing.T) {
	c := newCounter(t, 10)
	address := c.address(time.Minute)
	altered := func(target string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target +
			" HTTP/1.1\r\nHost: api.test\r\n\r\n")))
		if err != nil || target == address {
			return // the server answers 400
		}
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		status, code := http.StatusForbidden, "link_invalid"
		if !strings.HasPrefix(r.URL.EscapedPath(), downloadRoot) {
			status, code = http.StatusNotFound, "not_found"
		}
		refused(t, fmt.Sprintf("%q", target), w.Result(), status, code)
	}
	for i := range address {
		for _, b := range []byte{
			address[i] ^ 1, address[i] ^ 0x20, 'A', '0', '/', '&', '=', '%', '?', '#', ';', '+', 0x80,
		} {
			altered(address[:i] + string([]byte{b}) + address[i+1:])
			altered(address[:i] + string([]byte{b}) + address[i:])
		}
		altered(address[:i] + fmt.Sprintf("%%%02X", address[i]) + address[i+1:])
		altered(address[:i] + address[i+1:])
		altered(address[:i])
	}
	for _, more := range []string{"&", "&x=1", "&store=" + xid.Store.Format(c.store), "=", "#", "%", "/"} {
		altered(address + more)
	}
	if c.opened != 0 || t.Failed() {
		t.Fatalf("%d altered addresses were looked up", c.opened)
	}
}

// A link signed for something else is no download link.
func TestDownloadOfAnotherLink(t *testing.T) {
	c := newCounter(t, 10)
	path, store, soon := downloadRoot+xid.Export.Format(c.id)+"/"+
		fileName, xid.Store.Format(c.store), micros.Now().Add(time.Minute)
	for name, address := range map[string]string{
		"a preview":           c.links.Sign(path, soon, "theme", xid.Theme.Format(xid.New())),
		"no store":            c.links.Sign(path, soon),
		"a parameter more":    c.links.Sign(path, soon, "store", store, "theme", "x"),
		"another kind of id":  c.links.Sign(path, soon, "store", xid.Export.Format(c.store)),
		"not an id":           c.links.Sign(path, soon, "store", ""),
		"not an export":       c.links.Sign(downloadRoot+xid.Order.Format(c.id)+"/"+fileName, soon, "store", store),
		"no export":           c.links.Sign(downloadRoot, soon, "store", store),
		"another path's":      downloadRoot + "x?" + strings.SplitN(c.address(time.Minute), "?", 2)[1],
		"nothing":             downloadRoot,
		"no query":            path,
		"an empty query":      path + "?",
		"an empty signature":  path + "?expires=9999999999&store=" + store + "&signature=",
		"a doubled signature": c.address(time.Minute) + "&signature=x",
	} {
		refused(t, name, c.serve("GET", address), http.StatusForbidden, "link_invalid")
	}
	refused(t, "late", c.serve("GET", c.address(-time.Second)), http.StatusForbidden, "link_expired")
	refused(t, "late and altered", c.serve("GET", c.address(-time.Second)+"x"), http.StatusForbidden, "link_invalid")
	if c.opened != 0 {
		t.Errorf("%d of them were looked up", c.opened)
	}
}

func TestDownloadTakesTwoMethods(t *testing.T) {
	c := newCounter(t, 10)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		res := c.serve(method, c.address(time.Minute))
		refused(t, method, res, http.StatusMethodNotAllowed, "method_not_allowed")
		if got := res.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: Allow %q", method, got)
		}
	}
	if c.opened != 0 {
		t.Errorf("%d were looked up", c.opened)
	}
}

// An expired file is reported if it is noticed before the first byte.
func TestDownloadOfWhatIsGone(t *testing.T) {
	for name, gone := range map[string]func(c *counter){
		"the row":   func(c *counter) { c.openErr = fmt.Errorf("open: %w", export.ErrGone) },
		"the parts": func(c *counter) { c.edit = func(m *memory) { m.failAt, m.err = 0, export.ErrGone } },
	} {
		c := newCounter(t, 100_000)
		gone(c)
		for _, headers := range [][]string{nil, {"Range", "bytes=500-600"}} {
			res := c.serve("GET", c.address(time.Minute), headers...)
			refused(t, name, res, http.StatusGone, "file_gone")
			if got := res.Header.Get("Content-Range"); got != "" {
				t.Errorf("%s: Content-Range %q", name, got)
			}
		}
		// The query is checked first: only holders of the link learn that the file has expired.
		refused(t, name, c.serve("GET", c.address(time.Minute)+"x"), http.StatusForbidden, "link_invalid")
	}
}

// A failure before the first byte is a 500 or 503 without details. Later the connection breaks, so
// that no client takes a part for the whole.
func TestDownloadThatFails(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{name: "unknown", err: errors.New("private cause"), status: http.StatusInternalServerError,
			code: "internal_error"},
		{name: "away", err: context.DeadlineExceeded, status: http.StatusServiceUnavailable, code: "unavailable"},
	} {
		c := newCounter(t, 100_000)
		c.openErr = tc.err
		refused(t, tc.name, c.serve("GET", c.address(time.Minute)), tc.status, tc.code)
		c.openErr, c.edit = nil, func(m *memory) { m.failAt, m.err = 500, tc.err }
		res := c.serve("GET", c.address(time.Minute), "Range", "bytes=500-")
		refused(t, tc.name+", at the first read", res, tc.status, tc.code)
		if c.last == nil || !c.last.closed {
			t.Errorf("%s: the file is open", tc.name)
		}
	}
}

func TestDownloadThatBreaksOff(t *testing.T) {
	c := newCounter(t, 1<<20)
	c.edit = func(m *memory) { m.failAt, m.err = 700_000, errors.New("the disk is broken") }
	ts := httptest.NewServer(c.handler)
	defer ts.Close()
	for _, ranges := range []string{"", "bytes=100-", "bytes=0-99,600000-800000"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ts.URL+c.address(time.Minute), nil)
		if err != nil {
			t.Fatal(err)
		}
		if ranges != "" {
			r.Header.Set("Range", ranges)
		}
		res, err := ts.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil || len(b) > 700_000 || res.StatusCode >= 300 {
			t.Errorf("%q: %d and %d bytes, %v; want a broken connection", ranges, res.StatusCode, len(b), err)
		}
	}
	ts.Close() // all handlers have ended
	if got := strings.Count(c.logged(), "download broke off"); got != 3 || !c.last.closed {
		t.Errorf("%d lines, closed %t\n%s", got, c.last.closed, c.logged())
	}
	if log := c.logged(); strings.Count(log, `"msg":"request"`) != 3 || strings.Count(log, `"aborted":true`) != 3 {
		t.Errorf("a request is not logged:\n%s", log)
	}
}

// The query is never in a log line or a metric.
func TestDownloadQueryIsNeverLogged(t *testing.T) {
	c := newCounter(t, 100_000)
	good, late := c.address(time.Minute), c.address(-time.Minute)
	for _, target := range []string{good, late, good + "x", "/elsewhere" + good} {
		c.serve("GET", target)
		c.serve("HEAD", target)
		c.serve("POST", target)
	}
	c.openErr = errors.New("a failure")
	c.serve("GET", good)
	c.openErr, c.edit = nil, func(m *memory) { m.failAt, m.err = 50_000, errors.New("a failure") }
	func() {
		defer func() { recover() }()
		c.serve("GET", good)
	}()
	families, err := c.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := c.logged() + fmt.Sprint(families)
	for _, address := range []string{good, late} {
		_, query, _ := strings.Cut(address, "?")
		for _, secret := range []string{
			query, query[len(query)-43:], "expires=", "signature", xid.Store.Format(c.store),
		} {
			if strings.Contains(all, secret) {
				t.Errorf("%q is shown:\n%s", secret, all)
			}
		}
	}
	if got := strings.Count(c.logged(), `"msg":"request"`); got != 14 ||
		!strings.Contains(c.logged(), `"route":"/downloads"`) ||
		!strings.Contains(c.logged(), `"bytes":100000`) || !strings.Contains(all, "download broke off") {
		t.Errorf("%d lines of requests:\n%s", got, c.logged())
	}
}
