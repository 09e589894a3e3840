package storefront

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productimage"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/markdown"
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

func imageOf(row *db.ProductImage, title string) *Image {
	widths := images.Widths(row.ContentType, row.Width)
	widest := widths[len(widths)-1]
	i := &Image{ID: row.ID, URL: images.Path(row, widest), Small: images.Path(row, widths[0]),
		Alt: cmp.Or(row.Alt, title), Width: widest, Height: pixel.HeightAt(row.Width, row.Height, widest)}
	if len(widths) > 1 {
		i.Set = strings.Join(core.Map(widths, func(w int) string {
			return images.Path(row, w) + " " + strconv.Itoa(w) + "w"
		}), ", ")
	}
	return i
}

// show replaces the image that an offer has by address with its uploaded images, if there are any.
func (o *Offer) show(rows []*db.ProductImage) {
	if len(rows) == 0 {
		return
	}
	o.Images = core.Map(rows, func(row *db.ProductImage) *Image { return imageOf(row, o.Title) })
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

// ImageAt returns the image of the media library at a path, nil if it is gone. Its own description
// is used if alt is "".
func (s Storefront) ImageAt(ctx context.Context, path, alt string) (*Image, error) {
	id, _, ok := images.ParsePath(path)
	if !ok {
		return nil, nil
	}
	row, err := images.Media(ctx, s.Client(ctx), id)
	if row == nil || err != nil {
		return nil, core.Explain("image", err)
	}
	i := imageOf(row, "")
	i.Alt = cmp.Or(alt, row.Alt)
	return i, nil
}

// ExternalImageRoot is where the host of a store serves images that a product, page or theme names by
// address: /pictures/<32 hexadecimal digits of the id>/<handle>.
const ExternalImageRoot = images.Root

// ofTheme replaces the handle in the path of an image from a theme's settings. It is not a valid
// handle, so no product has it.
const ofTheme = "_theme"

// SettingImagePath returns the path of an image that a theme's settings name by address.
func SettingImagePath(address string) string { return ExternalImagePath(address, ofTheme) }

// ExternalImagePath returns the path of an image, given its address and the handle of the product or page
// that has it.
func ExternalImagePath(address, of string) string {
	id := images.IDOf(address)
	return ExternalImageRoot + hex.EncodeToString(id[:]) + "/" + of
}

// ExternalImage returns an image of the store. One that is not stored yet is fetched only if the active
// product or published page with the handle, or the settings of a theme, have its address. So
// visitors cannot make the server fetch anything that is not shown.
func (s Storefront) ExternalImage(ctx context.Context, id xid.ID, handle string) (*db.Picture, error) {
	row, err := s.images.Find(ctx, id)
	if row != nil || err != nil {
		return row, core.Explain("image", err)
	}
	addresses, err := s.imagesOf(ctx, handle, id)
	if err != nil {
		return nil, core.Explain("image", err)
	}
	for _, address := range addresses {
		if images.IDOf(address) == id {
			row, err = s.images.Get(ctx, address)
			return row, core.Explain("image", err)
		}
	}
	return nil, fault.Missing("image")
}

// imagesOf returns the image addresses of the active product with a handle or, if none of them is
// the wanted one, of the published page.
func (s Storefront) imagesOf(ctx context.Context, handle string, id xid.ID) (addresses []string, err error) {
	if handle == ofTheme {
		return s.settingImages(ctx)
	}
	rows, err := s.Client(ctx).Product.Query().
		Where(product.Handle(handle), product.StatusEQ(state.ProductActive)).Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range rows {
		core.Opt(p.ImageURL, func(address string) { addresses = append(addresses, address) })
		if p.DescriptionFormat == state.Markdown {
			addresses = append(addresses, markdown.Images(core.Deref(p.Description))...)
		}
	}
	if slices.ContainsFunc(addresses, func(address string) bool { return images.IDOf(address) == id }) {
		return addresses, nil
	}
	p, err := s.publishedPage(ctx, handle)
	if err != nil {
		return nil, err
	}
	return markdown.Images(p.Body), nil
}

// settingImages returns the image addresses in the settings of the store's themes. Drafts count
// too, for visitors with a preview link. Every text of a setting counts, since other texts have no
// address that an image's id is derived from.
func (s Storefront) settingImages(ctx context.Context) (addresses []string, err error) {
	rows, err := s.Client(ctx).Theme.Query().Where(dbtheme.Or(dbtheme.SettingsNotNil(), dbtheme.DraftSettingsNotNil())).
		Select(dbtheme.FieldSettings, dbtheme.FieldDraftSettings).Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		for _, set := range []document.ThemeSettings{t.Settings, t.DraftSettings} {
			values, err := set.Values()
			if err != nil {
				return nil, err
			}
			for _, v := range values {
				if strings.HasPrefix(v, "https://") {
					addresses = append(addresses, v)
				}
			}
		}
	}
	return addresses, nil
}
