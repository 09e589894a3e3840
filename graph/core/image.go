package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/picture"
)

// imageIndex leads from a product to its pictures, in their order.
const imageIndex = "productimage_store_id_product_id_position_id"

// ImageRows returns the uploaded pictures of products by their position, or those alone that
// a condition picks.
func (c *Core) ImageRows(
	ctx context.Context, products []xid.ID, only ...predicate.ProductImage,
) (map[xid.ID][]*db.ProductImage, error) {
	of := make(map[xid.ID][]*db.ProductImage, len(products))
	if len(products) == 0 {
		return of, nil
	}
	q := c.Client(ctx).ProductImage.Query().Where(productimage.ProductIDIn(products...)).Where(only...)
	q.Modify(ent.ForceIndex(imageIndex))
	rows, err := q.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read pictures: %w", err)
	}
	slices.SortFunc(rows, func(a, b *db.ProductImage) int { return cmp.Compare(a.Position, b.Position) })
	for _, row := range rows {
		of[row.ProductID] = append(of[row.ProductID], row)
	}
	return of, nil
}

// Images returns the uploaded pictures of products, with where they are served.
func (c *Core) Images(ctx context.Context, products ...xid.ID) (map[xid.ID][]*db.ProductImage, error) {
	of, err := c.ImageRows(ctx, products)
	if err != nil || len(of) == 0 {
		return of, err
	}
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	for _, rows := range of {
		c.ServedBy(s, rows...)
	}
	return of, nil
}

// ServedBy says of pictures where the host of their store serves them.
func (c *Core) ServedBy(s *db.Store, images ...*db.ProductImage) {
	for _, img := range images {
		img.URL = c.StoreOrigin(s.Handle) + picture.Path(img, img.Width)
	}
}

// LoadImages reads the uploaded pictures of products, and gives the variants that were read
// theirs, where the GraphQL field that ctx resolves asks for either.
func (c *Core) LoadImages(ctx context.Context, products ...*db.Product) error {
	if !graphql.HasOperationContext(ctx) || !Selects(ctx, "images") && !Selects(ctx, "image") {
		return nil
	}
	of, err := c.Images(ctx, IDs(products, func(p *db.Product) *xid.ID { return &p.ID })...)
	if err != nil {
		return err
	}
	for _, p := range products {
		SetImages(p, of[p.ID])
	}
	return nil
}

// SetImages gives a product its pictures, and its variants theirs.
func SetImages(p *db.Product, images []*db.ProductImage) {
	p.Images = append([]*db.ProductImage{}, images...)
	ShowVariants(p.Variants, images)
}

// ShowVariants gives variants those of the product's pictures that show them.
func ShowVariants(variants []*db.Variant, images []*db.ProductImage) {
	for _, v := range variants {
		v.Image = nil
		if i := slices.IndexFunc(images, func(img *db.ProductImage) bool {
			return v.ImageID != nil && *v.ImageID == img.ID
		}); i >= 0 {
			v.Image = images[i]
		}
	}
}
