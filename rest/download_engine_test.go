package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest"
)

// finished is the file of an export.
type finished struct {
	ID, Status string
	Size       int64   `json:"file_size_bytes"`
	Sha256     string  `json:"sha256"`
	URL        *string `json:"download_url"`
}

// exported starts an export and polls it until the file exists.
func exported(t *testing.T, s *server, m *shop, body string) finished {
	t.Helper()
	var f finished
	s.do(t, request{As: m.all, Method: "POST", Path: "/exports", Body: body}).want(http.StatusAccepted, "").decode(&f)
	for f.Status == "queued" || f.Status == "running" {
		s.do(t, request{As: m.all, Path: "/exports/" + f.ID}).want(http.StatusOK, "").decode(&f)
	}
	if f.Status != "completed" || f.URL == nil || f.Size == 0 {
		t.Fatalf("export %+v", f)
	}
	return f
}

// fetch follows a link without a credential.
func fetch(t *testing.T, s *server, url string, headers ...string) *answer {
	t.Helper()
	path, ok := strings.CutPrefix(url, apiHost)
	if !ok {
		t.Fatalf("the link is not at the API's host: %s", url)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := s.free.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{Status: res.StatusCode, Header: res.Header, Body: b, t: t}
}

// From the start of an export to the last byte of its file, through the engine and the blob store,
// and on to the file's expiry.
func TestDownloadFromTheEngine(t *testing.T) {
	s := newServer(t, storetest.Open(t), func(c *rest.Config) {
		c.Exports, c.Links = c.Core.Exports, c.Core.Links
		c.Exports.Start(t.Context())
		t.Cleanup(func() { c.Exports.Stop(context.Background()) })
	})
	m := newShop(t, s.store, shopRow{})
	for i := range 30 {
		s.post(t, m.all, fmt.Sprint("k", i), "/products", draft(fmt.Sprintf("Mug %d", i))).want(http.StatusCreated, "")
	}
	var plain []byte
	for _, tc := range []struct{ body, contentType, end string }{
		{`{"kind":"products"}`, "text/csv; charset=utf-8", ".csv"},
		{`{"kind":"products","format":"jsonl"}`, "application/x-ndjson", ".jsonl"},
		{`{"kind":"products","compression":"gzip"}`, "application/gzip", ".csv.gz"},
	} {
		f := exported(t, s, m, tc.body)
		a := fetch(t, s, *f.URL, "Accept-Encoding", "gzip").want(http.StatusOK, "")
		if int64(len(a.Body)) != f.Size || fmt.Sprintf("%x", sha256.Sum256(a.Body)) != f.Sha256 ||
			a.Header.Get("ETag") != `"sha256-`+f.Sha256+`"` {
			t.Errorf("%s: %d bytes and ETag %s, want %d and %s", tc.end, len(a.Body),
				a.Header.Get("ETag"), f.Size, f.Sha256)
		}
		name := a.Header.Get("Content-Disposition")
		if a.Header.Get("Content-Type") != tc.contentType || a.Header.Get("Content-Encoding") != "" ||
			!strings.HasPrefix(name, `attachment; filename="products-`) || !strings.HasSuffix(name, tc.end+`"`) {
			t.Errorf("%s: %v", tc.end, a.Header)
		}
		part := fetch(t, s, *f.URL, "Range", "bytes=100-199", "If-Range",
			a.Header.Get("ETag")).want(http.StatusPartialContent, "")
		if !bytes.Equal(part.Body, a.Body[100:200]) {
			t.Errorf("%s: a range is %q", tc.end, part.Body)
		}
		switch tc.end {
		case ".csv":
			plain = a.Body
		case ".csv.gz":
			z, err := gzip.NewReader(bytes.NewReader(a.Body))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("unpacked %d bytes, %v; want the %d of the other", len(got), err, len(plain))
			}
		}
		fetch(t, s, *f.URL+"x").want(http.StatusForbidden, "link_invalid")
		m.tx(func(ctx context.Context, c *db.Client) error { return c.Export.Update().SetExpiresAt(epoch).Exec(ctx) })
		fetch(t, s, *f.URL).want(http.StatusGone, "file_gone")
	}
}
