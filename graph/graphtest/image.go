package graphtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// Photo returns a PNG of one color, in base64.
func Photo(t testing.TB, width, height int) string {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// NewImage adds an image to a product.
func NewImage(
	t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product, width, height int,
) *model.ProductImagePayload {
	t.Helper()
	return Must[*model.ProductImagePayload](t)(r.Mutation().ProductImageAdd(ctx,
		model.ProductImageAddInput{ProductID: p.PublicID(), Content: Photo(t, width, height)}))
}
