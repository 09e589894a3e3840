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

// Image is a picture of an offer, by paths at the store's host.
type Image struct {
	ID  xid.ID
	URL string
	// Small is the narrowest form of it, for lists and rows of pictures.
	Small string
	// Set names each width of it, as the attribute srcset does; "" where there is one alone.
	Set string
	// Width and Height are those of URL in pixels, 0 where they are not known.
	Width, Height int
	// Alt says what is to be seen; the title of the product where nobody has said so.
	Alt string
}

// imageOf is an uploaded picture of a product.
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

// show gives an offer its uploaded pictures, in place of the one that is named by its
// address.
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

// illustrate gives offers the first of their uploaded pictures, with one statement for all, and
// with none where no offer has any.
func (s Storefront) illustrate(ctx context.Context, offers []*Offer) error {
	ids := core.IDs(offers, func(o *Offer) *xid.ID {
		if !o.pictured {
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

// Image returns an uploaded picture of the store.
func (s Storefront) Image(ctx context.Context, id xid.ID) (*db.ProductImage, error) {
	row, err := core.Only(s.Client(ctx).ProductImage.Query().Where(productimage.ID(id)).Load(ctx))
	return row, core.Explain("picture", err)
}
