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

// PictureRoot is where the host of a store serves the pictures of its products, each
// under its id and the handle of a product: /pictures/<32 hexadecimal digits>/<handle>.
const PictureRoot = images.Root

// ofTheme stands for the handle in the path of a picture that a theme's settings have. No
// product has it: it is none.
const ofTheme = "_theme"

// imagePath is the path of a product's picture, "" for none.
func imagePath(p *db.Product) string {
	if p.ImageURL == nil {
		return ""
	}
	return PicturePath(*p.ImageURL, p.Handle)
}

// SettingPath is the path of a picture that a theme's settings name by its address.
func SettingPath(address string) string { return PicturePath(address, ofTheme) }

// PicturePath is where the host of a store serves a picture of a product, named by the
// address that the product has of it.
func PicturePath(address, of string) string {
	id := images.IDOf(address)
	return PictureRoot + hex.EncodeToString(id[:]) + "/" + of
}

// Picture returns a picture of the store. One that is not kept is fetched where the active
// product or the published page with the handle has it, or the settings of a theme: so
// visitors begin no fetch but of what is shown.
func (s Storefront) Picture(ctx context.Context, id xid.ID, handle string) (*db.Picture, error) {
	row, err := s.Pictures.Find(ctx, id)
	if row != nil || err != nil {
		return row, core.Explain("picture", err)
	}
	addresses, err := s.picturesOf(ctx, handle, id)
	if err != nil {
		return nil, core.Explain("picture", err)
	}
	for _, address := range addresses {
		if images.IDOf(address) == id {
			row, err = s.Pictures.Get(ctx, address)
			return row, core.Explain("picture", err)
		}
	}
	return nil, fault.Missing("picture")
}

// picturesOf are the addresses of the pictures of what has a handle. The published page is
// asked where no product has the one that is looked for.
func (s Storefront) picturesOf(ctx context.Context, handle string, id xid.ID) (addresses []string, err error) {
	if handle == ofTheme {
		return s.settingPictures(ctx)
	}
	goods, err := s.Client(ctx).Product.Query().
		Where(product.Handle(handle), product.StatusEQ(state.ProductActive)).Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range goods {
		core.Opt(p.ImageURL, func(address string) { addresses = append(addresses, address) })
	}
	if names(addresses, id) {
		return addresses, nil
	}
	p, err := s.publishedPage(ctx, handle)
	if err != nil {
		return nil, err
	}
	return markdown.Pictures(p.Body), nil
}

// settingPictures are the addresses that the settings of the store's themes have, drafts
// too: whoever holds a preview's link sees those. Any text of a setting counts, since no
// other has an address that a picture's id is made of.
func (s Storefront) settingPictures(ctx context.Context) (addresses []string, err error) {
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

// names reports whether one of the addresses is that of the picture.
func names(addresses []string, id xid.ID) bool {
	return slices.ContainsFunc(addresses, func(address string) bool { return images.IDOf(address) == id })
}
