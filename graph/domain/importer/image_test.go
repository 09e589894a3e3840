package importer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importimage"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/model"
)

// gallery is a host of images. It counts the requests for each path.
type gallery struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	onAsk func(path string, n int)
}

func (g *gallery) count(path string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked[path]
}

func dot(n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, n, n))
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

// bomb returns the header of an image of 60,000 by 60,000 pixels.
func bomb() []byte {
	chunk := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x00\x00\x00\x00")
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk, sum)
}

func newGallery(t testing.TB) *gallery {
	g := &gallery{asked: map[string]int{}}
	g.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.asked[r.URL.Path]++
		n, onAsk := g.asked[r.URL.Path], g.onAsk
		g.mu.Unlock()
		if onAsk != nil {
			onAsk(r.URL.Path, n)
		}
		switch {
		case r.URL.Path == "/flaky" && n == 1:
			http.Error(w, "later", http.StatusInternalServerError)
		case r.URL.Path == "/down":
			http.Error(w, "later", http.StatusServiceUnavailable)
		case r.URL.Path == "/html":
			_, _ = w.Write([]byte("<html>"))
		case r.URL.Path == "/svg":
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
		case r.URL.Path == "/large":
			w.Header().Set("Content-Length", "104857600")
		case r.URL.Path == "/endless":
			for part := make([]byte, 1<<20); r.Context().Err() == nil; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		case r.URL.Path == "/bomb":
			_, _ = w.Write(bomb())
		case r.URL.Path == "/inside":
			http.Redirect(w, r, "https://10.0.0.1/x.png", http.StatusFound)
		case r.URL.Path == "/plain":
			http.Redirect(w, r, "http://127.0.0.1/x.png", http.StatusFound)
		case r.URL.Path == "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, ".png"), r.URL.Path == "/flaky":
			_, _ = w.Write(dot(len(r.URL.Path)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// eachGallery runs f on every engine, in a shop whose images may come from a host of this machine.
func eachGallery(t *testing.T, f func(t *testing.T, p *graphtest.Shop, g *gallery)) {
	t.Helper()
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		blobs := graphtest.Must[*blob.Store](t)(blob.Open(t.Context(), "", t.TempDir()))
		t.Cleanup(func() { _ = blobs.Close() })
		g, e := newGallery(t), p.Engines
		e.Images = graphtest.NewImageKeeper(t, p.Resolver.Store, blobs, g.Server)
		p.Use(e)
		f(t, p, g)
	})
}

// fetchAll fetches the images that wait, until the last has ended, and returns the import.
func fetchAll(t testing.TB, p *graphtest.Shop, i *model.Import) *model.Import {
	t.Helper()
	for range 10 {
		if _, err := p.RunImportImages(t.Context()); err != nil {
			t.Fatal(err)
		}
		i = graphtest.Must[*model.Import](t)(p.Query().Import(p.Ctx, i.PublicID()))
		if i.ImagesPending == 0 {
			break
		}
		imagesDue(t, p)
	}
	n := graphtest.Must[int](t)(p.Client(p.Ctx).ImportImage.Query().Count(p.Ctx))
	if n != 0 || i.ImagesPending != 0 {
		t.Errorf("%d images are left, %d are counted", n, i.ImagesPending)
	}
	return i
}

// imagesDue ends the pauses of images, and the claims of killed processes.
func imagesDue(t testing.TB, p *graphtest.Shop) {
	t.Helper()
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.ImportImage.Update().Where(importimage.TriesGTE(0)).SetDueAt(0).Exec(ctx)
	})
}

// shownImages returns the images of a product by position: where they are from, and their descriptions.
func shownImages(t testing.TB, p *graphtest.Shop, handle string) (list []string) {
	t.Helper()
	row := graphtest.Must[*db.Product](t)(p.Client(p.Ctx).Product.Query().Where(product.Handle(handle)).Only(p.Ctx))
	images := graphtest.Must[[]*db.ProductImage](t)(p.Client(p.Ctx).ProductImage.Query().
		Where(productimage.ProductID(row.ID)).Order(db.Asc(productimage.FieldPosition)).All(p.Ctx))
	for i, img := range images {
		if img.Position != i+1 {
			t.Errorf("image %d has position %d", i+1, img.Position)
		}
		list = append(list, fmt.Sprint(img.Width, " ", img.Alt))
	}
	if row.ImagesCount != len(images) {
		t.Errorf("%d images are counted, %d are there", row.ImagesCount, len(images))
	}
	return list
}

// TestImages: images are fetched beside the import, in the order of the file, once.
func TestImages(t *testing.T) {
	const head = "Handle,Title,Option1 Name,Option1 Value,Variant Price,Image Src,Image Position,Image Alt Text," +
		"Variant Image\n"
	eachGallery(t, func(t *testing.T, p *graphtest.Shop, g *gallery) {
		file := head + "mug,Mug,Size,S,1,URL/bbb.png,2,Back,URL/cccc.png\nmug,,,M,1,URL/aa.png,1,Front,URL/aa.png\n" +
			"cup,Cup,,,2,URL/aa.png,,,\n"
		file = strings.ReplaceAll(file, "URL", g.URL)
		i := run(t, p, input(file))
		if i.Status != state.ImportCompleted || i.ImagesPending != 4 || g.count("/aa.png") != 0 {
			found, _ := p.Query().ImportFindings(p.Ctx, i.PublicID(), nil, nil)
			for _, f := range found.Nodes {
				t.Log(f.Line, f.Detail)
			}
			t.Fatalf("%s, %d images wait: the import fetched some itself", i.Status, i.ImagesPending)
		}
		fetchAll(t, p, i)
		want := []string{"7 Front", "8 Back", "9 "}
		if got := shownImages(t, p, "mug"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if got := shownImages(t, p, "cup"); !slices.Equal(got, []string{"7 "}) {
			t.Errorf("cup: %q", got)
		}
		checkVariantImages(t, p)
		if i = run(t, p, input(file)); i.ImagesPending != 0 || counts(i) != [5]int64{0, 0, 2, 0, 0} {
			t.Errorf("again: %d images wait, %v", i.ImagesPending, counts(i))
		}
		turned := strings.NewReplacer("2,Back", "1,Rear", "1,Front", "2,Front").Replace(file)
		fetchAll(t, p, run(t, p, input(turned)))
		if got := shownImages(t, p, "mug"); !slices.Equal(got, []string{"8 Rear", "7 Front", "9 "}) {
			t.Errorf("in the other order: %q", got)
		}
		if g.count("/aa.png") != 2 || g.count("/bbb.png") != 1 { // of two products
			t.Errorf("fetched anew: %v", g.asked)
		}
	})
}

// checkVariantImages checks that the variants of TestImages show their images.
func checkVariantImages(t *testing.T, p *graphtest.Shop) {
	t.Helper()
	var got []int
	for _, v := range graphtest.Must[[]*db.Variant](t)(p.Client(p.Ctx).Variant.Query().
		Order(db.Asc("position")).All(p.Ctx)) {
		if v.ImageID == nil {
			t.Fatalf("%s has no image", v.Options)
		}
		img := graphtest.Must[*db.ProductImage](t)(p.Client(p.Ctx).ProductImage.Get(p.Ctx, *v.ImageID))
		got = append(got, img.Width)
	}
	if !slices.Equal(got, []int{9, 7}) {
		t.Errorf("the variants show %v", got)
	}
}

// TestImagesFailed: hostile hosts cost their image only, and the row can be sent again.
func TestImagesFailed(t *testing.T) {
	reasons := map[string]string{"/none": "Not Found", "/down": "Service Unavailable", "/html": "not a JPEG",
		"/svg": "not a JPEG", "/large": "larger than 20 MiB", "/endless": "larger than 20 MiB", "/bomb": "pixels",
		"/inside": "not public", "/plain": "not https", "/circle": "redirects"}
	eachGallery(t, func(t *testing.T, p *graphtest.Shop, g *gallery) {
		var urls []string
		for path := range reasons {
			urls = append(urls, fmt.Sprintf("%q", g.URL+path+"?token=secret"))
		}
		urls = append(urls, fmt.Sprintf("%q", g.URL+"/flaky"), `"https://192.168.0.1/a.png"`, `"ftp://a/b"`)
		line := func(handle string, urls []string) string {
			return `{"handle":"` + handle + `","title":"A","price_minor":1,"currency":"EUR","images":[` +
				strings.Join(urls, ",") + "]}\n"
		}
		file := line("good", []string{fmt.Sprintf("%q", g.URL+"/a.png")}) + line("bad", urls)
		i := fetchAll(t, p, run(t, p, input(file)))
		if i.ImagesFailed != int64(len(reasons)+1) || counts(i) != [5]int64{2, 0, 0, 0, 1} || i.Link == nil {
			t.Errorf("%d images failed, %v, %v", i.ImagesFailed, counts(i), i.Link)
		}
		if got := shownImages(t, p, "bad"); len(got) != 1 || g.count("/flaky") != 2 || g.count("/down") != 5 ||
			g.count("/none") != 1 {
			t.Errorf("%q came, asked for %v", got, g.asked)
		}
		found := graphtest.Must[*model.ImportFindingConnection](t)(
			p.Query().ImportFindings(p.Ctx, i.PublicID(), nil, nil))
		for path, want := range reasons {
			if !slices.ContainsFunc(found.Nodes, func(f *db.ImportFinding) bool {
				return !f.Warning && f.Line == 2 && f.Record == "bad" && strings.Contains(f.Detail, path+"): ") &&
					strings.Contains(f.Detail, want) && !strings.Contains(f.Detail, "secret")
			}) {
				t.Errorf("no finding says %q of %s", want, path)
			}
		}
		rows, err := p.FailedRows(t.Context(), i.StoreID, i.ID)
		var b bytes.Buffer
		if err == nil {
			err = rows.Write(t.Context(), &b)
		}
		if diff := cmp.Diff(line("bad", urls), b.String()); err != nil || diff != "" {
			t.Errorf("the failed rows: %v %s", err, diff)
		}
		if t.Failed() {
			for _, f := range found.Nodes {
				t.Log(f.Line, f.Warning, f.Detail)
			}
		}
	})
}

// TestImagesKilled: a process that ends while it fetches, or that is overtaken, leaves no image out and
// adds none twice.
func TestImagesKilled(t *testing.T) {
	eachGallery(t, func(t *testing.T, p *graphtest.Shop, g *gallery) {
		killed := run(t, p, input("handle,title,price,images\na,A,1,"+g.URL+"/a.png\n"))
		ctx, kill := context.WithCancel(t.Context())
		g.onAsk = func(_ string, n int) {
			if n == 1 {
				kill()
			}
		}
		_, _ = p.RunImportImages(ctx)
		imagesDue(t, p)
		killed = fetchAll(t, p, killed)
		overtaken := run(t, p, input("handle,title,price,images\nb,B,1,"+g.URL+"/bb.png\n"))
		g.onAsk = func(_ string, n int) {
			if n > 1 {
				return
			}
			imagesDue(t, p)
			if _, err := p.RunImportImages(t.Context()); err != nil {
				t.Error(err)
			}
		}
		overtaken = fetchAll(t, p, overtaken)
		a, b := shownImages(t, p, "a"), shownImages(t, p, "b")
		if len(a) != 1 || len(b) != 1 || killed.ImagesFailed+overtaken.ImagesFailed != 0 || g.count("/bb.png") != 2 {
			t.Errorf("%q, %q, asked for %v", a, b, g.asked)
		}
	})
}

// TestImagesDropped: images of deleted products and of canceled imports are dropped, those of a requester
// without access fail, and other stores lose nothing.
func TestImagesDropped(t *testing.T) {
	eachGallery(t, func(t *testing.T, p *graphtest.Shop, g *gallery) {
		file := strings.ReplaceAll("handle,title,price,currency,images\nHANDLE,A,1,EUR,URL/a.png\n", "URL", g.URL)
		of := func(handle string) model.ImportStartInput { return input(strings.ReplaceAll(file, "HANDLE", handle)) }
		key := p.NewKey(t, p.Ctx, scope.ImportsWrite, scope.ProductsWrite)
		v := graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *key.Secret, apikey.Key))
		byKey := finish(t, p, start(t, viewer.With(p.Ctx, v), p, of("key")))
		deleted, other := run(t, p, of("deleted")), p.Other(t)
		theirs := run(t, other, of("theirs"))
		row := graphtest.Must[*db.Product](t)(
			p.Client(p.Ctx).Product.Query().Where(product.Handle("deleted")).Only(p.Ctx))
		if _, err := p.Mutation().ProductDelete(p.Ctx, row.PublicID(), row.Version); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Mutation().APIKeyRevoke(p.Ctx, key.APIKey.PublicID()); err != nil {
			t.Fatal(err)
		}
		if i := fetchAll(t, p, deleted); i.ImagesFailed != 0 {
			t.Errorf("%d images of a deleted product failed", i.ImagesFailed)
		}
		if i := fetchAll(t, p, byKey); i.ImagesFailed != 1 || len(shownImages(t, p, "key")) != 0 {
			t.Errorf("%d images of a revoked key failed", i.ImagesFailed)
		}
		if fetchAll(t, other, theirs); len(shownImages(t, other, "theirs")) != 1 {
			t.Error("another store's image is missing")
		}
	})
}

// TestImageRoom: images above what the store may keep fail without a fetch.
func TestImageRoom(t *testing.T) {
	eachGallery(t, func(t *testing.T, p *graphtest.Shop, g *gallery) {
		p.Limits[limit.PictureBytes] = 1
		defer delete(p.Limits, limit.PictureBytes)
		i := run(t, p, input("handle,title,price,currency,images\na,A,1,EUR,"+g.URL+"/a.png\n"))
		i = fetchAll(t, p, i)
		if i.ImagesFailed != 1 || len(shownImages(t, p, "a")) != 0 {
			t.Errorf("%d images failed", i.ImagesFailed)
		}
	})
}
