package images

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// hang attaches an upload to a product.
func (s *studio) hang(u *Upload) *db.ProductImage {
	s.t.Helper()
	var row *db.ProductImage
	err := s.Store.InTx(s.ctx, func(ctx context.Context) (err error) {
		row, err = s.Store.DB(ctx).ProductImage.Create().SetProductID(xid.New()).SetPosition(1).SetObjectID(u.ObjectID).
			SetContentType(u.ContentType).SetWidth(u.Width).SetHeight(u.Height).SetSizeBytes(u.Size).Save(ctx)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return row
}

// take uploads a PNG of a size.
func (s *studio) take(width, height int) *Upload {
	s.t.Helper()
	u := s.Upload(s.ctx, []byte(somePNG(width, height)))
	if u.Err != nil {
		s.t.Fatal(u.Err)
	}
	return u
}

// TestUpload: an accepted upload is stored once under the key of its row. Refused and discarded
// ones leave nothing behind.
func TestUpload(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	for name, body := range map[string]string{"svg": someSVG, "cut": somePNG(3, 2)[:40],
		"pixels": headPNG(10_000, 6_000), "bomb": headPNG(7_000, 7_000)} {
		if u := s.Upload(s.ctx, []byte(body)); !errors.As(u.Err, new(*pixel.Fault)) {
			t.Errorf("%s: %v", name, u.Err)
		}
	}
	if got := s.blobs(); len(got) > 0 {
		t.Errorf("files are left: %v", got)
	}
	u := s.take(3, 2)
	body, err := s.Blobs.Get(t.Context(), keyOf(viewer.From(s.ctx).Store, u.ObjectID), maxBytes)
	sent, missing := s.Blobs.Get(t.Context(), keyOf(viewer.From(s.ctx).Store, u.ObjectID)+original, maxBytes)
	if missing != nil || string(sent) != somePNG(3, 2) {
		t.Errorf("the original has %d bytes, %v", len(sent), missing)
	}
	if err != nil || int64(len(body)+len(sent)) != u.Size || u.Width != 3 || u.ContentType != pixel.PNG {
		t.Errorf("%+v, %d bytes, %v", u, len(body), err)
	}
	s.Discard(s.ctx, u)
	if got := s.blobs(); len(got) > 0 {
		t.Errorf("files are left: %v", got)
	}
}

// TestUploadsWait: an image waits for capacity, and after too long a wait the fault asks to retry.
func TestUploadsWait(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	if err := s.decodes.room.Acquire(t.Context(), pixel.MaxWeight); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, time.Millisecond)
	defer cancel()
	if u := s.Upload(ctx, []byte(somePNG(3, 2))); !errors.Is(u.Err, context.DeadlineExceeded) {
		t.Errorf("taken: %v", u.Err)
	}
	s.decodes.room.Release(pixel.MaxWeight)
	s.take(3, 2)
}

// TestStoresShareDecoding: the uploads of one store wait for each other. Those of another store do
// not, and neither does scaling for shoppers.
func TestStoresShareDecoding(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	row := s.hang(s.take(500, 20))
	leave, err := s.decodes.perStore.enter(t.Context(), viewer.From(s.ctx).Store) // like a running upload
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(s.ctx)
	end()
	if u := s.Upload(ended, []byte(somePNG(3, 2))); !errors.Is(u.Err, context.Canceled) {
		t.Errorf("a second one at once: %v", u.Err)
	}
	other, _ := storetest.Merchant(t, s.Store)
	if u := s.Upload(other, []byte(somePNG(3, 2))); u.Err != nil {
		t.Errorf("another store: %v", u.Err)
	}
	if err := s.decodes.room.Acquire(t.Context(), pixel.MaxWeight); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateWidths(s.ctx, row); err != nil {
		t.Errorf("scaling: %v", err)
	}
	leave()
	if n := len(s.decodes.perStore.stores); n != 0 {
		t.Errorf("%d stores are remembered", n)
	}
}

// TestMake: the widths of an image are created once, however many requests ask for them.
func TestMake(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	row := s.hang(s.take(1000, 10))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.CreateWidths(s.ctx, row); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	key := ImageKey(row, 1000)
	want := []string{key, ImageKey(row, 320), ImageKey(row, 800), key + original}
	if d := cmp.Diff(want, s.blobs()); d != "" {
		t.Error(d)
	}
}

// TestWidths: images are never enlarged, and animations are not scaled.
func TestWidths(t *testing.T) {
	for width, want := range map[int][]int{1: {1}, 320: {320}, 321: {320, 321}, 1600: {320, 800, 1600},
		4000: {320, 800, 1600}} {
		if got := Widths(pixel.JPEG, width); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", width, got, want)
		}
		if got := Widths(pixel.GIF, width); !slices.Equal(got, []int{width}) {
			t.Errorf("a GIF of %d: %v", width, got)
		}
	}
}

// TestPath: a path leads back to its image and width, and no other text does.
func TestPath(t *testing.T) {
	img := &db.ProductImage{ID: xid.New(), ObjectID: xid.New(), Width: 1000, Height: 10, ContentType: pixel.JPEG}
	for _, width := range []int{320, 800, 1000} {
		id, file, ok := ParsePath(Path(img, width))
		if got, known := WidthOf(img, file); !ok || id != img.ID || got != width || !known {
			t.Errorf("%d: %v, %q, %d, %t", width, id, file, got, known)
		}
	}
	for _, file := range []string{"", "x.jpg", File(img, 320) + "x", strings.Replace(File(img, 320), "320", "400", 1)} {
		if got, ok := WidthOf(img, file); ok {
			t.Errorf("%q is %d wide", file, got)
		}
	}
	for _, path := range []string{Root, Root + "x/y", Root + "prod_x/y", Root + img.PublicID()} {
		if _, _, ok := ParsePath(path); ok {
			t.Errorf("%q is a path", path)
		}
	}
}

// TestSweepUploads: objects that a row refers to stay, with their widths. The rest is removed after
// two days.
func TestSweepUploads(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		row := s.hang(s.take(500, 10))
		lost := s.hang(s.take(500, 20))
		for _, r := range []*db.ProductImage{row, lost} {
			if err := s.CreateWidths(s.ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		s.take(3, 2) // no row refers to it
		err := s.Store.InTx(s.ctx, func(ctx context.Context) error {
			_, err := s.Store.DB(ctx).ProductImage.Delete().Where(productimage.ID(lost.ID)).Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.age(graceTime - time.Minute)
		if err := s.Sweep(t.Context()); err != nil || len(s.blobs()) != 8 {
			t.Errorf("too early: %v, %v", s.blobs(), err)
		}
		s.age(graceTime + time.Minute)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		key := ImageKey(row, 500)
		if d := cmp.Diff([]string{key, ImageKey(row, 320), key + original}, s.blobs()); d != "" {
			t.Error(d)
		}
	})
}

// TestUsed: fetched and uploaded images share the room of a store.
func TestUsed(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		p := s.get("/a.png")
		u := s.take(9, 9)
		s.hang(u)
		if used, err := s.Used(s.ctx); err != nil || used != p.SizeBytes+u.Size {
			t.Errorf("%d bytes, want %d, %v", used, p.SizeBytes+u.Size, err)
		}
	})
}
