package catalog_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/model"
)

// imagesOf reads the images of a product.
func imagesOf(t *testing.T, ctx context.Context, r *graph.Resolver, p *db.Product) []*db.ProductImage {
	t.Helper()
	read := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
	fields := catalog.ProductFields{Resolver: catalog.New(r.Core, catalog.Engines{})}
	list := graphtest.Must[[]*db.ProductImage](t)(fields.Images(ctx, read))
	for i, img := range list {
		if img.Position != i+1 {
			t.Errorf("image %d is at %d", i, img.Position)
		}
	}
	return list
}

func idsOf(list []*db.ProductImage) (ids []string) {
	for _, img := range list {
		ids = append(ids, img.PublicID())
	}
	return ids
}

// Uploaded images are stored, served by the store's host, and change the product.
func TestProductImages(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		first := graphtest.Must[*model.ProductImagePayload](t)(r.Mutation().ProductImageAdd(ctx,
			model.ProductImageAddInput{ProductID: p.PublicID(), Content: graphtest.Photo(t, 40, 30), Alt: new("A mug"),
				Filename: new("mug.png")}))
		img := first.Image
		if img.Width != 40 || img.Height != 30 || img.ContentType != "image/png" || img.Alt != "A mug" ||
			img.Filename != "mug.png" || !strings.HasSuffix(img.URL, images.Path(img, 40)) ||
			!strings.Contains(img.URL, ".localhost/pictures/img_") || first.Product.Version != 2 {
			t.Errorf("%v, version %d", img, first.Product.Version)
		}
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body, `"changed_fields":["images"]`) ||
			!strings.Contains(body, `"images":[{"id":"`+img.PublicID()+`","url":"`+img.URL+
				`","alt":"A mug","width":40,"height":30,"position":1}]`) {
			t.Errorf("the event: %s", body)
		}
		if body, err := r.Images.Blobs.Get(ctx, images.ImageKey(img, 40), 1<<20); err != nil ||
			int64(len(body)) >= img.SizeBytes {
			t.Errorf("%d bytes, %v", len(body), err)
		}
		if last := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(last, `"changed_fields":["images"]`) {
			t.Errorf("event %s", last)
		}
		second := graphtest.NewImage(t, ctx, r, p, 10, 10).Image
		third := graphtest.NewImage(t, ctx, r, p, 20, 20).Image
		want := []string{third.PublicID(), img.PublicID(), second.PublicID()}
		ordered := graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductImagesOrder(ctx, p.PublicID(), want))
		if got := idsOf(imagesOf(t, ctx, r, p)); !slices.Equal(got, want) || ordered.Product.Version != 5 {
			t.Errorf("%v, want %v", got, want)
		}
		again := graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductImagesOrder(ctx, p.PublicID(), want))
		if again.Product.Version != 5 {
			t.Errorf("the same order created version %d", again.Product.Version)
		}
		changed := graphtest.Must[*model.ProductImagePayload](t)(
			r.Mutation().ProductImageChange(ctx, img.PublicID(), ""))
		if changed.Image.Alt != "" || imagesOf(t, ctx, r, p)[1].Alt != "" {
			t.Error("the alternative text did not change")
		}
		gone := graphtest.Must[*model.ProductImageDeletePayload](t)(
			r.Mutation().ProductImageDelete(ctx, third.PublicID()))
		if got := idsOf(imagesOf(t, ctx, r, p)); !slices.Equal(got, want[1:]) || *gone.DeletedID != want[0] ||
			len(gone.Product.Images) != 2 {
			t.Errorf("remaining: %v", got)
		}
		current := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, p.PublicID(), current.Version))
		if n := graphtest.Must[int](t)(r.Client(ctx).ProductImage.Query().Count(ctx)); n != 0 {
			t.Errorf("%d images of the product remain", n)
		}
	})
}

// Each fault of an upload has its own error, and leaves no file behind.
func TestProductImageRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		svg := base64.StdEncoding.EncodeToString([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))
		for name, tc := range map[string]struct {
			in   model.ProductImageAddInput
			want string
		}{
			"no base64": {model.ProductImageAddInput{Content: "ab\ncd"}, "#/content invalid_format"},
			"empty":     {model.ProductImageAddInput{}, "#/content too_short"},
			"svg":       {model.ProductImageAddInput{Content: svg}, "#/content invalid_format"},
			"too long": {model.ProductImageAddInput{Content: strings.Repeat("A", limit.ImageBytes/3*4+8)},
				"#/content too_long"},
			"alt": {model.ProductImageAddInput{Content: graphtest.Photo(t, 1, 1),
				Alt: new(strings.Repeat("x", limit.ImageAlt+1))}, "#/alt too_long"},
		} {
			tc.in.ProductID = p.PublicID()
			if _, err := r.Mutation().ProductImageAdd(ctx, tc.in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%s: %v, want %s", name, err, tc.want)
			}
		}
		r.Limits[limit.PictureBytes] = 1
		_, full := r.Mutation().ProductImageAdd(ctx,
			model.ProductImageAddInput{ProductID: p.PublicID(), Content: graphtest.Photo(t, 1, 1)})
		if graphtest.FaultOf(full) != "limit_reached" {
			t.Errorf("beyond the bytes of the store: %v", full)
		}
		for o, err := range r.Images.Blobs.List(ctx, "pictures/") {
			t.Errorf("%s remains, %v", o.Key, err)
		}
		delete(r.Limits, limit.PictureBytes)
		for range limit.Images {
			graphtest.NewImage(t, ctx, r, p, 1, 1)
		}
		_, many := r.Mutation().ProductImageAdd(ctx,
			model.ProductImageAddInput{ProductID: p.PublicID(), Content: graphtest.Photo(t, 1, 1)})
		if graphtest.FieldOf(many) != "#/content too_long" {
			t.Errorf("one more than the limit: %v", many)
		}
		list := idsOf(imagesOf(t, ctx, r, p))
		for want, ids := range map[string][]string{
			"#/ids too_short": list[1:], "#/ids/1 taken": append([]string{list[0], list[0]}, list[2:]...),
			"#/ids/0 unknown_value": append([]string{"img_x"}, list[1:]...), "#/ids too_long": append(list, list[0]),
		} {
			if _, err := r.Mutation().ProductImagesOrder(ctx, p.PublicID(), ids); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// Other stores have no access.
func TestProductImagesOfOthers(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		img := graphtest.NewImage(t, ctx, r, p, 1, 1).Image
		other, _ := storetest.Merchant(t, r.Store)
		theirs := graphtest.As(other, viewer.Owner)
		_, add := r.Mutation().ProductImageAdd(theirs,
			model.ProductImageAddInput{ProductID: p.PublicID(), Content: graphtest.Photo(t, 1, 1)})
		_, change := r.Mutation().ProductImageChange(theirs, img.PublicID(), "theirs")
		_, order := r.Mutation().ProductImagesOrder(theirs, p.PublicID(), []string{img.PublicID()})
		_, gone := r.Mutation().ProductImageDelete(theirs, img.PublicID())
		_, file := r.Query().ProductImageFile(theirs, img.PublicID())
		for _, err := range []error{add, change, order, gone, file} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Error(err)
			}
		}
		if list := imagesOf(t, ctx, r, p); len(list) != 1 || list[0].Alt != "" {
			t.Errorf("%v", list)
		}
	})
}

// A variant keeps its image as long as the image exists, whatever else changes.
func TestVariantImage(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		mug := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		img, other := graphtest.NewImage(t, ctx, r, p, 1, 1).Image, graphtest.NewImage(t, ctx, r, mug, 1, 1).Image
		variantID := p.Variants[1].PublicID()
		set := func(id *string) (*model.ProductPayload, error) {
			return r.Mutation().ProductVariantImageSet(ctx, p.PublicID(), variantID, id)
		}
		done := graphtest.Must[*model.ProductPayload](t)(set(new(img.PublicID())))
		rows := done.Product.Variants
		if got := rows[1].Image; got == nil || got.ID != img.ID || rows[0].Image != nil {
			t.Errorf("%v", got)
		}
		if _, err := set(new(other.PublicID())); graphtest.FieldOf(err) != "#/image_id unknown_value" {
			t.Errorf("an image of another product: %v", err)
		}
		_, err := r.Mutation().ProductVariantImageSet(ctx, mug.PublicID(), xid.Variant.Format(mug.ID), nil)
		if graphtest.FaultOf(err) != "not_found" {
			t.Errorf("the variant of a product without options: %v", err)
		}
		fields := catalog.VariantFields{Resolver: catalog.New(r.Core, catalog.Engines{})}
		shows := func() *db.ProductImage {
			t.Helper()
			read := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
			return graphtest.Must[*db.ProductImage](t)(fields.Image(ctx, read.Variants[1]))
		}
		list := inputs(p)
		list[1].PriceMinor++
		current := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantsSet(ctx, p.PublicID(), current.Version,
			options(p), list))
		if got := shows(); got == nil || got.ID != img.ID || got.URL == "" {
			t.Errorf("after a change of the variant: %v", got)
		}
		graphtest.Must[*model.ProductImageDeletePayload](t)(r.Mutation().ProductImageDelete(ctx, img.PublicID()))
		if got := shows(); got != nil {
			t.Errorf("after the image was deleted: %v", got)
		}
	})
}

// Concurrent uploads get distinct positions.
func TestProductImagesAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		var wg sync.WaitGroup
		for i := range 8 {
			content := graphtest.Photo(t, 1+i, 1)
			wg.Go(func() {
				if _, err := r.Mutation().ProductImageAdd(ctx,
					model.ProductImageAddInput{ProductID: p.PublicID(), Content: content}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if list := imagesOf(t, ctx, r, p); len(list) != 8 {
			t.Errorf("%d images", len(list))
		}
	})
}

// A page of products takes one more statement if any product has images, however many, and no more
// if none has.
func TestImageStatements(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var products []*db.Product
		for range 3 {
			p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
			graphtest.NewImage(t, ctx, r, p, 1, 1)
			products = append(products, p)
		}
		read := func() uint64 {
			t.Helper()
			counted, n := ent.CountStatements(ctx)
			if _, err := r.Query().Products(counted, nil, nil, nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			return n.N()
		}
		read() // caches the store's handle
		if with := read(); with != 2 {
			t.Errorf("%d statements with images", with)
		}
		for _, p := range products {
			graphtest.Must[*model.ProductImageDeletePayload](t)(r.Mutation().ProductImageDelete(ctx,
				imagesOf(t, ctx, r, p)[0].PublicID()))
		}
		if without := read(); without != 1 {
			t.Errorf("%d statements without", without)
		}
	})
}

// Unreferenced files are swept, with their resized copies; referenced ones remain.
func TestImageFiles(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		img := graphtest.NewImage(t, ctx, r, p, 1000, 10).Image
		if err := r.Images.CreateWidths(ctx, img); err != nil {
			t.Fatal(err)
		}
		for _, width := range images.Widths(img.ContentType, img.Width) {
			if _, err := r.Images.Blobs.Stat(ctx, images.ImageKey(img, width)); err != nil {
				t.Errorf("%d: %v", width, err)
			}
		}
		if _, err := r.Images.Blobs.Stat(ctx, images.ImageKey(img, 1)); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("another width: %v", err)
		}
	})
}

// TestMegapixels: the megapixels that a store uploads per minute are bounded, whatever the number
// of requests.
func TestMegapixels(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		r.Limits[limit.ImageMegapixels] = 1
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		add := func() error {
			_, err := r.Mutation().ProductImageAdd(ctx, model.ProductImageAddInput{ProductID: p.PublicID(),
				Content: graphtest.Photo(t, 40, 30)})
			return err
		}
		for range 2 { // the second uses what refilled meanwhile, on credit
			if err := add(); err != nil {
				t.Fatal(err)
			}
		}
		if err := add(); graphtest.FaultOf(err) != "rate_limited" {
			t.Errorf("a third megapixel: %v", err)
		}
	})
}
