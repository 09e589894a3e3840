package images

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
)

// age makes the images at some paths, and all files, as old as d.
func (s *studio) age(d time.Duration, paths ...string) {
	s.t.Helper()
	then := time.Now().Add(-d)
	for _, path := range paths {
		s.change(s.host.URL+path, func(u *db.PictureUpdate) { u.SetTriedAt(micros.Of(then)) })
	}
	for _, key := range s.blobs() {
		if err := os.Chtimes(filepath.Join(s.folder, filepath.FromSlash(key)), then, then); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestSweep: an image that a product names stays, whatever its state. The rest is removed after two
// days, including the files of a deleted store.
func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		foreign, _ := storetest.Merchant(t, s.Store)
		own := s.ctx
		s.ctx = foreign
		s.sell("mug", s.host.URL+"/theirs") // named by another store only
		s.ctx = own
		s.sell("mug", s.host.URL+"/named")
		s.sell("bowl", "https://10.0.0.1/refused")
		for _, path := range []string{"/named", "/unnamed", "/theirs"} {
			s.get(path)
		}
		s.at("https://10.0.0.1/refused")
		const lost, other = folder + "00/000102030405060708090a0b0c0d0e0f", folder + "readme.txt"
		for _, key := range []string{lost, other} {
			if err := s.Blobs.Put(t.Context(), key, "image/png", []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		sweep := func(files int) {
			t.Helper()
			if err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.blobs(); len(got) != files {
				t.Errorf("files %v, want %d", got, files)
			}
		}
		s.age(graceTime-time.Minute, "/named", "/unnamed", "/theirs")
		sweep(5)
		s.age(graceTime+time.Minute, "/named", "/unnamed") // and only the file of /theirs
		sweep(3)
		for path, want := range map[string]bool{"/named": true, "/unnamed": false, "/theirs": true} {
			if got := s.known(s.host.URL+path) != nil; got != want {
				t.Errorf("%s is known: %t", path, got)
			}
		}
		s.age(graceTime+time.Minute, "/theirs")
		sweep(2)
		if s.known("https://10.0.0.1/refused") == nil {
			t.Error("the row of a named image is gone")
		}
	})
}

// TestSweepKeepsWhatPagesShow: a page names its images like a product does.
func TestSweepKeepsWhatPagesShow(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		for _, path := range []string{"/shown", "/hidden"} {
			s.get(path)
		}
		err := s.Store.InTx(s.ctx, func(ctx context.Context) error {
			return s.Store.DB(ctx).Page.Create().SetTitle("About").SetHandle("about").SetStatus("draft").
				SetBody("![Us](" + s.host.URL + "/shown)").SetUpdatedAt(micros.Now()).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.age(graceTime+time.Minute, "/shown", "/hidden")
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.known(s.host.URL+"/shown") == nil || s.known(s.host.URL+"/hidden") != nil {
			t.Error("the image of a page was removed")
		}
	})
}
