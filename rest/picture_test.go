package rest_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/rest"
)

// studio serves storefronts whose products have images at another host.
type studio struct {
	*server
	blobs *blob.Store
	core  *rest.Config
	host  *httptest.Server
	asked atomic.Int64
	body  []byte // of every image there
}

func newStudio(t testing.TB, store *ent.Store) *studio {
	t.Helper()
	var body bytes.Buffer
	if err := png.Encode(&body, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	s := &studio{body: body.Bytes()}
	s.host = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.asked.Add(1); strings.HasPrefix(r.URL.Path, "/no") {
			http.NotFound(w, r)
			return
		}
		w.Write(s.body)
	}))
	t.Cleanup(s.host.Close)
	var err error
	if s.blobs, err = blob.Open(t.Context(), "", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.blobs.Close() })
	s.server = newServer(t, store, underTest(t, store), func(c *rest.Config) {
		c.Core.Images = graphtest.NewImageKeeper(t, store, s.blobs, s.host)
		c.Core.Use(c.Core.Engines)
		c.Blobs, s.core = s.blobs, c
	})
	return s
}

// sell creates a product with an external image, and returns the image's path at the store.
func (s *studio) sell(m *shop, handle, path string, status state.ProductStatus) string {
	address := s.host.URL + path
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Create().SetTitle(handle).SetHandle(handle).SetStatus(status).SetPriceMinor(1).
			SetCurrency("EUR").SetTags([]byte("[]")).SetUpdatedAt(epoch).SetImageURL(address).Exec(ctx)
	})
	return place(address, handle)
}

func place(address, handle string) string {
	id := images.IDOf(address)
	return "/pictures/" + hex.EncodeToString(id[:]) + "/" + handle
}

// TestPictures: a store serves the external images of its active products from its own host, and no
// path makes the service request anything else.
func TestPictures(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newStudio(t, store)
		first, second := newShop(t, store, shopRow{Handle: "first"}), newShop(t, store, shopRow{Handle: "second"})
		closed := newShop(t, store, shopRow{Handle: "closed", Status: state.StoreClosed})
		mug := s.sell(first, "mug", "/mug.png", state.ProductActive)
		draft := s.sell(first, "draft", "/draft.png", state.ProductDraft)
		gone := s.sell(first, "gone", "/no.png", state.ProductActive)
		foreign := s.sell(second, "mug", "/foreign.png", state.ProductActive)
		shut := s.sell(closed, "mug", "/shut.png", state.ProductActive)
		get := func(shop, path string, header ...string) *answer {
			return s.raw(t, http.MethodGet, path, append([]string{"Host", shop + ".shops.test:8080"}, header...)...)
		}
		missing := func(shop string, paths ...string) {
			t.Helper()
			before := s.asked.Load()
			for _, path := range paths {
				get(shop, path).want(http.StatusNotFound, "not_found").
					header(t, map[string]string{"Cache-Control": "no-store"})
			}
			if n := s.asked.Load() - before; n > 0 {
				t.Errorf("foreign paths caused %d fetches", n)
			}
		}
		missing("first", draft, foreign, place(s.host.URL+"/free.png", "mug"),
			strings.Replace(mug, "mug", "gone", 1), mug[:10]+strings.ToUpper(mug[10:]), "/pictures/",
			"/pictures/x/mug", mug+"/", mug[:len(mug)-4])
		missing("second", mug)
		for range 2 {
			a := get("first", mug).want(http.StatusOK, "")
			a.header(t, map[string]string{
				"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Set-Cookie": "",
				"Cache-Control": "public, max-age=31536000, immutable", "Accept-Ranges": "bytes",
				"Content-Security-Policy":      "default-src 'none'; sandbox",
				"Cross-Origin-Resource-Policy": "cross-origin",
			})
			if !bytes.Equal(a.Body, s.body) {
				t.Errorf("%d bytes", len(a.Body))
			}
			tag := a.Header.Get("Etag")
			if a := get("first", mug, "If-None-Match", tag); a.Status != http.StatusNotModified || tag == "" {
				t.Errorf("condition: %d", a.Status)
			}
		}
		if n := s.asked.Load(); n != 1 {
			t.Errorf("fetched %d times", n)
		}
		missing("second", mug) // copies belong to the first store only
		if a := get("first", mug, "Range", "bytes=1-3"); a.Status != http.StatusPartialContent ||
			string(a.Body) != "PNG" {
			t.Errorf("range: %d %q", a.Status, a.Body)
		}
		s.raw(t, http.MethodPost, mug, "Host", "first.shops.test:8080").
			want(http.StatusMethodNotAllowed, "method_not_allowed")
		get("second", foreign).want(http.StatusOK, "")
		get("closed", shut).want(http.StatusNotFound, "") // a page that says so
		get("first", gone).want(http.StatusNotFound, "not_found")
		missing("first", gone)                                               // the failure is cached
		s.raw(t, http.MethodGet, mug).want(http.StatusNotFound, "not_found") // the host of the API
	})
}

// TestPictureLost: an image whose bytes are gone is fetched again.
func TestPictureLost(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	m := newShop(t, s.store, shopRow{Handle: "first"})
	path := s.sell(m, "mug", "/mug.png", state.ProductActive)
	p, err := s.core.Core.Images.Get(m.ctx, s.host.URL+"/mug.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.blobs.Delete(t.Context(), images.Key(p)); err != nil {
		t.Fatal(err)
	}
	s.raw(t, http.MethodGet, path, "Host", "first.shops.test:8080").want(http.StatusNotFound, "not_found")
	s.raw(t, http.MethodGet, path, "Host", "first.shops.test:8080").want(http.StatusOK, "")
	if n := s.asked.Load(); n != 2 {
		t.Errorf("fetched %d times", n)
	}
}

// TestPicturesOfPages: images on a published page come from the store's own host, also if a product
// has the page's handle.
func TestPicturesOfPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newStudio(t, store)
		first := newShop(t, store, shopRow{Handle: "first"})
		s.sell(first, "about", "/mug.png", state.ProductActive)
		write := func(handle, path string, status state.PageStatus) string {
			address := s.host.URL + path
			first.tx(func(ctx context.Context, c *db.Client) error {
				return c.Page.Create().SetTitle(handle).SetHandle(handle).SetStatus(status).SetUpdatedAt(epoch).
					SetBody("We.\n\n![Us](" + address + ")").Exec(ctx)
			})
			return place(address, handle)
		}
		about, draft := write("about", "/us.png", state.PagePublished), write("draft", "/draft.png", state.PageDraft)
		get := func(path string) *answer {
			return s.raw(t, http.MethodGet, path, "Host", "first.shops.test:8080")
		}
		for range 2 {
			if a := get(about).want(http.StatusOK, ""); !bytes.Equal(a.Body, s.body) {
				t.Errorf("%d bytes", len(a.Body))
			}
		}
		get(draft).want(http.StatusNotFound, "not_found")
		get(place(s.host.URL+"/free.png", "about")).want(http.StatusNotFound, "not_found")
		if n := s.asked.Load(); n != 1 {
			t.Errorf("fetched %d times", n)
		}
	})
}
