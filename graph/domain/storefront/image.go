package storefront

import (
	"context"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// Image is an image of an offer. Its paths are on the store's host.
type Image struct {
	ID  xid.ID
	URL string
	// Small is the path of its narrowest form, for lists and rows of images.
	Small string
	// Set is the srcset attribute with all widths, "" if there is only one.
	Set string
	// Width and Height are the dimensions of URL in pixels, 0 if unknown.
	Width, Height int
	// Alt is the alternative text, by default the product's title.
	Alt string
}

// imageOf returns an uploaded image of a product.
func imageOf(row *db.ProductImage, title string) *Image {
	widths := images.Widths(row.ContentType, row.Width)
	widest := widths[len(widths)-1]
	i := &Image{ID: row.ID, URL: images.Path(row, widest), Small: images.Path(row, widths[0]), Alt: row.Alt,
		Width: widest, Height: pixel.HeightAt(row.Width, row.Height, widest)}
	if i.Alt == "" {
		i.Alt = title
	}
	if len(widths) > 1 {
		set := make([]string, len(widths))
		for n, w := range widths {
			set[n] = images.Path(row, w) + " " + strconv.Itoa(w) + "w"
		}
		i.Set = strings.Join(set, ", ")
	}
	return i
}

// show replaces the image that an offer has by address with its uploaded images, if there are any.
func (o *Offer) show(rows []*db.ProductImage) {
	if len(rows) == 0 {
		return
	}
	o.Images = make([]*Image, len(rows))
	for i, row := range rows {
		o.Images[i] = imageOf(row, o.Title)
	}
	o.Image = o.Images[0].URL
}

// addImages adds the first uploaded image of each offer, with one statement for all, and none if
// no offer has any.
func (s Storefront) addImages(ctx context.Context, offers []*Offer) error {
	ids := core.IDs(offers, func(o *Offer) *xid.ID {
		if !o.hasUploads {
			return nil
		}
		return &o.ID
	})
	if len(ids) == 0 {
		return nil
	}
	rows, err := images.Rows(ctx, s.Client(ctx), ids, productimage.Position(1))
	for _, o := range offers {
		o.show(rows[o.ID])
	}
	return core.Explain("products", err)
}

// Image returns an uploaded image of the store.
func (s Storefront) Image(ctx context.Context, id xid.ID) (*db.ProductImage, error) {
	row, err := core.Only(s.Client(ctx).ProductImage.Query().Where(productimage.ID(id)).Load(ctx))
	return row, core.Explain("image", err)
}
