package storefront

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/markdown"
	"github.com/storefront-go/storefront/graph/picture"
)

// PictureRoot is where the host of a store serves the pictures of its products, each
// under its id and the handle of a product: /pictures/<32 hexadecimal digits>/<handle>.
const PictureRoot = "/pictures/"

// imagePath is the path of a product's picture, "" for none.
func imagePath(p *db.Product) string {
	if p.ImageURL == nil {
		return ""
	}
	id := picture.IDOf(*p.ImageURL)
	return PictureRoot + hex.EncodeToString(id[:]) + "/" + p.Handle
}

// Picture returns a picture of the store. One that is not kept is fetched where the active
// product or the published page with the handle has it: so visitors begin no fetch but of
// what is shown.
func (s Storefront) Picture(ctx context.Context, id xid.ID, handle string) (*db.Picture, error) {
	row, err := s.Pictures.Find(ctx, id)
	if row != nil || err != nil {
		return row, core.Explain("picture", err)
	}
	goods, err := s.Client(ctx).Product.Query().
		Where(product.Handle(handle), product.StatusEQ(state.ProductActive)).Load(ctx)
	if err != nil {
		return nil, core.Explain("picture", err)
	}
	var addresses []string
	for _, p := range goods {
		core.Opt(p.ImageURL, func(address string) { addresses = append(addresses, address) })
	}
	if !names(addresses, id) {
		p, err := s.publishedPage(ctx, handle)
		if err != nil {
			return nil, core.Explain("picture", err)
		}
		addresses = markdown.Pictures(p.Body)
	}
	for _, address := range addresses {
		if picture.IDOf(address) == id {
			row, err = s.Pictures.Get(ctx, address)
			return row, core.Explain("picture", err)
		}
	}
	return nil, fault.Missing("picture")
}

// names reports whether one of the addresses is that of the picture.
func names(addresses []string, id xid.ID) bool {
	return slices.ContainsFunc(addresses, func(address string) bool { return picture.IDOf(address) == id })
}
