package images

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpicture "github.com/storefront-go/storefront/ent/db/picture"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// studio is a store with a keeper of its images, and a host that has some.
type studio struct {
	*Keeper
	t      testing.TB
	ctx    context.Context // the operator's, in the store
	folder string          // of the blobs
	host   *httptest.Server
	asked  atomic.Int64 // requests to the host
	serve  http.HandlerFunc
}

// each runs f on every engine.
func each(t *testing.T, f func(t *testing.T, s *studio)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, store *ent.Store) { f(t, newStudio(t, store)) })
}

func newStudio(t testing.TB, store *ent.Store) *studio {
	t.Helper()
	s := &studio{t: t, folder: t.TempDir(), serve: show(somePNG(3, 2))}
	s.ctx, _ = storetest.Merchant(t, store)
	s.host = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.serve(w, r)
	}))
	t.Cleanup(s.host.Close)
	s.Keeper = s.another(store)
	return s
}

// another returns a keeper as a second process has it.
func (s *studio) another(store *ent.Store) *Keeper {
	s.t.Helper()
	blobs, err := blob.Open(s.t.Context(), "", s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { blobs.Close() })
	roots := x509.NewCertPool()
	roots.AddCert(s.host.Certificate())
	k, err := New(Config{Store: store, Blobs: blobs, Egress: egress.Policy{AllowLoopback: true}, RootCAs: roots,
		Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil))})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(k.client.CloseIdleConnections)
	return k
}

// show answers with a body, without a type of its own.
func show(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, body)
	}
}

// get fetches the image at a path of the host, or returns nil.
func (s *studio) get(path string) *db.Picture {
	s.t.Helper()
	return s.at(s.host.URL + path)
}

func (s *studio) at(address string) *db.Picture {
	s.t.Helper()
	p, err := s.Get(s.ctx, address)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.NotFound {
		return nil
	}
	if err != nil {
		s.t.Fatalf("%s: %v", address, err)
	}
	return p
}

// known returns the row of an address.
func (s *studio) known(address string) *db.Picture {
	s.t.Helper()
	p, err := s.row(s.ctx, IDOf(address))
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// change updates a row of the store.
func (s *studio) change(address string, f func(*db.PictureUpdate)) {
	s.t.Helper()
	err := s.Store.InTx(s.ctx, func(ctx context.Context) error {
		u := s.Store.DB(ctx).Picture.Update().Where(dbpicture.ID(IDOf(address)))
		f(u)
		return u.Exec(ctx)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// sell creates a product with an image.
func (s *studio) sell(handle, address string) {
	s.t.Helper()
	err := s.Store.InTx(s.ctx, func(ctx context.Context) error {
		return s.Store.DB(ctx).Product.Create().SetTitle(handle).SetHandle(handle).SetStatus("draft").SetPriceMinor(1).
			SetCurrency("EUR").SetTags([]byte("[]")).SetUpdatedAt(micros.Now()).SetImageURL(address).Exec(ctx)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// outcomes returns how many fetches had an outcome.
func (k *Keeper) outcomes(t testing.TB, outcome string) int {
	t.Helper()
	reg := prometheus.NewRegistry()
	if err := k.Register(reg); err != nil {
		t.Fatal(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if metric.GetLabel()[0].GetValue() == outcome {
				return int(metric.GetCounter().GetValue())
			}
		}
	}
	return 0
}

// blobs returns the keys of all images.
func (s *studio) blobs() (keys []string) {
	s.t.Helper()
	for o, err := range s.Blobs.List(s.t.Context(), folder) {
		if err != nil {
			s.t.Fatal(err)
		}
		keys = append(keys, o.Key)
	}
	return keys
}

func somePNG(width, height int) string {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)))
	return b.String()
}

func someJPEG() string {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 5, 4)), nil)
	return b.String()
}

func someGIF() string {
	var b bytes.Buffer
	_ = gif.Encode(&b, image.NewGray(image.Rect(0, 0, 7, 6)), nil)
	return b.String()
}

// headPNG returns only the header of a PNG of some size.
func headPNG(width, height uint32) string {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = append(binary.BigEndian.AppendUint32(chunk, height), 8, 0, 0, 0, 0)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + string(chunk) + string(sum)
}

// onePixel is a WebP.
const onePixel = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

const someSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>`

var large = strings.Repeat("x", 25<<20)
