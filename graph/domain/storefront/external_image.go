package storefront

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/markdown"
)

// ExternalImageRoot is where the host of a store serves images that a product, page or theme names by
// address: /pictures/<32 hexadecimal digits of the id>/<handle>.
const ExternalImageRoot = images.Root

// ofTheme replaces the handle in the path of an image from a theme's settings. It is not a valid
// handle, so no product has it.
const ofTheme = "_theme"

// imagePath returns the path of a product's image, "" for none.
func imagePath(p *db.Product) string {
	if p.ImageURL == nil {
		return ""
	}
	return ExternalImagePath(*p.ImageURL, p.Handle)
}

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
	}
	if names(addresses, id) {
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

// names reports whether one of the addresses has the image id.
func names(addresses []string, id xid.ID) bool {
	return slices.ContainsFunc(addresses, func(address string) bool { return images.IDOf(address) == id })
}
