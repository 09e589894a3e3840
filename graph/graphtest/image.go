package graphtest

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph"
	pic "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/model"
)

// Photo returns a PNG of one color, in base64.
func Photo(t testing.TB, width, height int) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(picture(t, width, height))
}

func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// NewImage adds an image to a product.
func NewImage(
	t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product, width, height int,
) *model.ProductImagePayload {
	t.Helper()
	return Must[*model.ProductImagePayload](t)(r.Mutation().ProductImageAdd(ctx,
		model.ProductImageAddInput{ProductID: p.PublicID(), Content: Photo(t, width, height)}))
}

// NewMedia adds an image to the media library.
func NewMedia(t testing.TB, ctx context.Context, r *graph.Resolver, width, height int) *db.ProductImage {
	t.Helper()
	return Must[*model.MediaPayload](t)(r.Mutation().MediaUpload(ctx,
		model.MediaUploadInput{Content: Photo(t, width, height), Name: new("photo.png")})).Media
}

// NewImageKeeper returns an image keeper that may fetch from a TLS server on this machine.
func NewImageKeeper(t testing.TB, s *ent.Store, blobs *blob.Store, host *httptest.Server) *pic.Keeper {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(host.Certificate())
	return Must[*pic.Keeper](t)(pic.New(pic.Config{Store: s, Blobs: blobs,
		Egress: egress.Policy{AllowLoopback: true}, RootCAs: roots}))
}
