package graph_test

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onImages returns arguments for a product with options and two images.
func onImages(args func(p *db.Product, first, second string) string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Shirt())
		first := graphtest.NewImage(w.t, w.Ctx, w.Resolver, p, 1, 1).Image
		second := graphtest.NewImage(w.t, w.Ctx, w.Resolver, p, 1, 1).Image
		return args(p, first.PublicID(), second.PublicID())
	}
}

// onImage returns arguments for an image.
func onImage(more string) func(*caller) string {
	return onImages(func(_ *db.Product, first, _ string) string { return fmt.Sprintf("id: %q%s", first, more) })
}

// onMedia returns arguments for a file of the media library.
func onMedia(args string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf(args, graphtest.NewMedia(w.t, w.Ctx, w.Resolver, 1, 1).PublicID())
	}
}

// onFile returns the arguments of a mutation of a product's file.
func onFile(with string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		own := xid.Variant.Format(p.ID)
		graphtest.Must[*model.ProductFilesPayload](w.t)(w.Mutation().ProductFileSet(w.Ctx, model.ProductFileInput{
			ProductID: p.PublicID(), VariantID: own, Filename: "a.txt", Content: "YQ=="}))
		return fmt.Sprintf(with, p.PublicID(), own)
	}
}

// imageEffects covers the mutations of product images.
var imageEffects = []effect{
	{field: "productImageAdd", name: "a picture", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		return fmt.Sprintf("input: {productId: %q, content: %q}", p.PublicID(), graphtest.Photo(w.t, 2, 1))
	}, events: "product.updated"},
	{field: "productImageAdd", name: "no picture", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		return fmt.Sprintf(`input: {productId: %q, content: "AAAA"}`, p.PublicID())
	}, refused: "invalid_format"},
	{field: "productImageAdd", name: "of no product", args: fixedArgs(fmt.Sprintf(
		`input: {productId: %q, content: "AAAA"}`, xid.Product.Format(xid.New()))), refused: "not_found"},

	{field: "productFileSet", name: "a file", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		return fmt.Sprintf(`input: {productId: %q, variantId: %q, filename: "a.txt", content: "YQ=="}`, p.PublicID(),
			xid.Variant.Format(p.ID))
	}},
	{field: "productFileSet", name: "an empty file", refused: "too_short",
		args: onFile(`input: {productId: %q, variantId: %q, filename: "a", content: ""}`)},
	{field: "productFileSet", name: "another file",
		args: onFile(`input: {productId: %q, variantId: %q, filename: "b", content: "Yg=="}`)},
	{field: "productFileRemove", name: "a file", args: onFile("productId: %q, variantId: %q")},

	{field: "productImageChange", name: "its text", args: onImage(`, alt: "A shirt"`), events: "product.updated"},
	{field: "productImageChange", name: "nothing", args: onImage(`, alt: ""`)},
	{field: "productImageChange", name: "an unknown one",
		args: fixedArgs(fmt.Sprintf(`id: %q, alt: ""`, xid.ProductImage.Format(xid.New()))), refused: "not_found"},

	{field: "productImagesOrder", name: "the other way round",
		args: onImages(func(p *db.Product, first, second string) string {
			return fmt.Sprintf("productId: %q, ids: [%q, %q]", p.PublicID(), second, first)
		}), events: "product.updated"},
	{field: "productImagesOrder", name: "as they are", args: onImages(func(p *db.Product, first, second string) string {
		return fmt.Sprintf("productId: %q, ids: [%q, %q]", p.PublicID(), first, second)
	})},
	{field: "productImagesOrder", name: "one of two", args: onImages(func(p *db.Product, first, _ string) string {
		return fmt.Sprintf("productId: %q, ids: [%q]", p.PublicID(), first)
	}), refused: "too_short"},

	{field: "productImageDelete", name: "one of two", args: onImage(""), events: "product.updated"},
	{field: "productImageDelete", name: "an unknown one",
		args: fixedArgs(fmt.Sprintf("id: %q", xid.ProductImage.Format(xid.New()))), refused: "not_found"},

	{field: "productVariantImageSet", name: "a picture", args: onImages(func(p *db.Product, first, _ string) string {
		return fmt.Sprintf("productId: %q, variantId: %q, imageId: %q", p.PublicID(), p.Variants[0].PublicID(), first)
	}), events: "product.updated"},
	{field: "productVariantImageSet", name: "none, as it is", args: onImages(func(p *db.Product, _, _ string) string {
		return fmt.Sprintf("productId: %q, variantId: %q", p.PublicID(), p.Variants[0].PublicID())
	})},

	{field: "productImageUse", name: "a file", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		return fmt.Sprintf("productId: %q, %s", p.PublicID(), onMedia("mediaId: %q")(w))
	}, events: "product.updated"},
	{field: "productImageUse", name: "an unknown one", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Mug())
		return fmt.Sprintf("productId: %q, mediaId: %q", p.PublicID(), xid.ProductImage.Format(xid.New()))
	}, refused: "not_found"},
	{field: "mediaUpload", name: "a picture", args: func(w *caller) string {
		return fmt.Sprintf("input: {content: %q}", graphtest.Photo(w.t, 2, 1))
	}},
	{field: "mediaUpload", name: "no picture", args: fixedArgs(`input: {content: "AAAA"}`), refused: "invalid_format"},
	{field: "mediaUpdate", name: "its name", args: onMedia(`id: %q, name: "Mug"`)},
	{field: "mediaUpdate", name: "nothing", args: onMedia(`id: %q`)},
	{field: "mediaDelete", name: "an unused one", args: onMedia(`id: %q`)},
	{field: "mediaDelete", name: "an unknown one",
		args: fixedArgs(fmt.Sprintf("id: %q", xid.ProductImage.Format(xid.New()))), refused: "not_found"},
}
