package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/storefront-go/storefront/ent/storetest"
)

// TestExportOnS3: exports and themes work with an S3-compatible store in place of a folder.
func TestExportOnS3(t *testing.T) {
	storetest.Sequential(t)
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	p := start(t, settings{Data: t.TempDir(), Env: []string{"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret"},
		Args: []string{"--demo", "--demo-orders", "40", "--blobs",
			"s3://files?use_path_style=true&endpoint=" + url.QueryEscape(s3.URL)}})
	key := p.demo(t).Stores[0].Keys["all"]
	done := p.reached(t, key, p.export(t, key, `{"kind": "orders", "compression": "gzip"}`).ID, completed)
	file := p.download(t, done)
	u, err := url.Parse(done.DownloadURL)
	if err != nil {
		t.Fatal(err)
	}
	part, err := p.do(t, request{Path: u.RequestURI(), Header: []string{"Range", "bytes=10-19"}})
	if err != nil || part.Status != http.StatusPartialContent || !bytes.Equal(part.Body, file[10:20]) {
		t.Errorf("a range: %+v, %v", part, err)
	}
	var themes struct{ Data []struct{ ID string } }
	p.send(t, request{As: key, Path: base + "/themes"}).decode(t, &themes)
	var assets struct {
		Data []struct {
			URL  string
			Size int `json:"size_bytes"`
		}
	}
	p.send(t, request{As: key, Path: base + "/themes/" + themes.Data[0].ID + "/assets"}).decode(t, &assets)
	for _, a := range assets.Data {
		u, err := url.Parse(a.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.do(t, request{Path: u.RequestURI()}); err != nil ||
			got.Status != http.StatusOK || len(got.Body) != a.Size {
			t.Errorf("%s: %+v, %v", a.URL, got, err)
		}
	}
	if len(assets.Data) == 0 {
		t.Error("no assets")
	}
}
