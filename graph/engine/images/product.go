package images

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/xid"
)

// ProductIndex orders the images of a product by position.
const ProductIndex = "productimage_store_id_product_id_position_id"

// Rows returns the uploaded images of products by position, filtered by the conditions.
func Rows(
	ctx context.Context, c *db.Client, products []xid.ID, only ...predicate.ProductImage,
) (map[xid.ID][]*db.ProductImage, error) {
	of := make(map[xid.ID][]*db.ProductImage, len(products))
	if len(products) == 0 {
		return of, nil
	}
	q := c.ProductImage.Query().Where(productimage.ProductIDIn(products...)).Where(only...)
	q.Modify(ent.ForceIndex(ProductIndex))
	rows, err := q.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read images: %w", err)
	}
	slices.SortFunc(rows, func(a, b *db.ProductImage) int { return cmp.Compare(a.Position, b.Position) })
	for _, row := range rows {
		of[row.ProductID] = append(of[row.ProductID], row)
	}
	return of, nil
}

// Load loads the uploaded images of products and assigns those of loaded variants, with URLs at the
// origin that at returns. It runs one statement, or none if no product has images.
func Load(
	ctx context.Context, c *db.Client, at func(context.Context) (string, error), products ...*db.Product,
) (err error) {
	var ids []xid.ID
	for _, p := range products {
		p.Images = []*db.ProductImage{}
		if p.ImagesCount > 0 && !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	origin := ""
	if len(ids) > 0 {
		if origin, err = at(ctx); err != nil {
			return err
		}
	}
	of, err := Rows(ctx, c, ids)
	if err != nil {
		return err
	}
	for _, p := range products {
		p.Images = append(p.Images, of[p.ID]...)
		SetURLs(origin, p)
	}
	return nil
}

// SetURLs sets the URLs of a product's images at an origin, and assigns loaded variants their images.
func SetURLs(origin string, p *db.Product) {
	for _, img := range p.Images {
		img.URL = origin + Path(img, img.Width)
	}
	for _, v := range p.Variants {
		v.Image = ImageOf(v, p.Images)
	}
}

// ImageOf returns the product's image that shows a variant, or nil.
func ImageOf(v *db.Variant, images []*db.ProductImage) *db.ProductImage {
	i := slices.IndexFunc(images, func(img *db.ProductImage) bool { return v.ImageID != nil && *v.ImageID == img.ID })
	if i < 0 {
		return nil
	}
	return images[i]
}
