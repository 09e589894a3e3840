package storefront_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Uploaded images replace an image by address: all of them on the product's own page, the first one
// in lists, each in its widths.
func TestStorefrontImages(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := r.Storefront()
		in := graphtest.Shirt()
		in.ImageURL = new("https://cdn.test/shirt.png")
		p := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, published(t, ctx, r, in)))
		first, second := graphtest.NewImage(t, ctx, r, p, 2000, 1000).Image,
			graphtest.NewImage(t, ctx, r, p, 300, 100).Image
		graphtest.Must[*model.ProductImagePayload](t)(
			r.Mutation().ProductImageChange(ctx, second.PublicID(), "The back"))
		graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantImageSet(ctx, p.PublicID(),
			p.Variants[2].PublicID(), new(second.PublicID())))
		o := graphtest.Must[*storefront.Offer](t)(s.Product(visitor(ctx), p.Handle))
		if len(o.Images) != 2 || o.Image != o.Images[0].URL {
			t.Fatalf("%d images, %q", len(o.Images), o.Image)
		}
		large, small := o.Images[0], o.Images[1]
		if large.ID != first.ID || large.Width != 1600 || large.Height != 800 || large.Alt != o.Title ||
			strings.Count(large.Set, ", ") != 2 || !strings.HasSuffix(large.Set, "-1600.png 1600w") {
			t.Errorf("%+v", large)
		}
		if small.Width != 300 || small.Set != "" || small.Small != small.URL || small.Alt != "The back" {
			t.Errorf("%+v", small)
		}
		if got := o.Variants[2].Image; got != small || o.Variants[0].Image != nil {
			t.Errorf("the image of a variant: %+v", got)
		}
		list := graphtest.Must[[]*storefront.Offer](t)(s.Newest(visitor(ctx)))
		if len(list) != 1 || len(list[0].Images) != 1 || list[0].Image != large.URL {
			t.Errorf("in a list: %+v", list[0])
		}
	})
}
