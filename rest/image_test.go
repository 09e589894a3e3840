package rest_test

import (
	"bytes"
	"image"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// TestImages: a store serves an uploaded image in its widths only, at its own host only, while it
// exists.
func TestImages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newStudio(t, store)
		first := newShop(t, store, shopRow{Handle: "first"})
		newShop(t, store, shopRow{Handle: "second"})
		r := s.core.Core
		p := graphtest.NewProduct(t, first.ctx, r, graphtest.Mug())
		small, large := graphtest.NewImage(t, first.ctx, r, p, 200, 100).Image,
			graphtest.NewImage(t, first.ctx, r, p, 2000, 1000).Image
		get := func(shop, path string, header ...string) *answer {
			return s.raw(t, http.MethodGet, path, append([]string{"Host", shop + ".shops.test:8080"}, header...)...)
		}
		for _, tc := range []struct {
			path  string
			width int
		}{{images.Path(small, 200), 200}, {images.Path(large, 320), 320}, {images.Path(large, 800), 800},
			{images.Path(large, 1600), 1600}, {images.Path(large, 2000), 2000}} {
			a := get("first", tc.path).want(http.StatusOK, "")
			a.header(t, map[string]string{
				"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Set-Cookie": "",
				"Cache-Control":           "public, max-age=31536000, immutable",
				"Content-Security-Policy": "default-src 'none'; sandbox",
			})
			c, _, err := image.DecodeConfig(bytes.NewReader(a.Body))
			if err != nil || c.Width != tc.width || c.Height != tc.width/2 {
				t.Errorf("%s: %d by %d, %v", tc.path, c.Width, c.Height, err)
			}
			tag := a.Header.Get("Etag")
			if b := get("first", tc.path, "If-None-Match", tag); tag == "" || b.Status != http.StatusNotModified {
				t.Errorf("%s again: %d", tc.path, b.Status)
			}
		}
		whole := images.Path(large, 2000)
		for _, wrong := range []string{
			strings.Replace(images.Path(large, 320), "-320", "-321", 1),
			strings.Replace(images.Path(large, 320), "-320", "-0320", 1),
			strings.Replace(images.Path(small, 200), ".png", "-320.png", 1), strings.Replace(whole, ".png", ".jpg", 1),
			strings.Replace(whole, large.PublicID(), small.PublicID(), 1), whole + "/", whole[:len(whole)-4],
			"/pictures/" + large.PublicID() + "/", "/pictures/img_x/a.png",
		} {
			get("first", wrong).want(http.StatusNotFound, "not_found")
		}
		get("second", whole).want(http.StatusNotFound, "not_found")
		if a := s.raw(t, http.MethodPost, whole, "Host", "first.shops.test:8080"); a.Status != 405 {
			t.Errorf("POST: %d", a.Status)
		}
		if _, err := r.Mutation().ProductImageDelete(first.ctx, large.PublicID()); err != nil {
			t.Fatal(err)
		}
		get("first", whole).want(http.StatusNotFound, "not_found")
		get("first", images.Path(large, 320)).want(http.StatusNotFound, "not_found")
	})
}

// TestImagesAtOnce: many clients request an image that has no files yet, and all get it.
func TestImagesAtOnce(t *testing.T) {
	store := storetest.Open(t)
	s := newStudio(t, store)
	m := newShop(t, store, shopRow{Handle: "first"})
	p := graphtest.NewProduct(t, m.ctx, s.core.Core, graphtest.Mug())
	img := graphtest.NewImage(t, m.ctx, s.core.Core, p, 1700, 10).Image
	var wg sync.WaitGroup
	for i := range 12 {
		width := []int{320, 800, 1600}[i%3]
		wg.Go(func() {
			a := s.raw(t, http.MethodGet, images.Path(img, width), "Host", "first.shops.test:8080")
			if c, _, err := image.DecodeConfig(bytes.NewReader(a.Body)); err != nil || c.Width != width {
				t.Errorf("%d: %d, %d, %v", width, a.Status, c.Width, err)
			}
		})
	}
	wg.Wait()
}
