package rest

import (
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// listMarketplaceThemes is GET /marketplace/themes.
func (a *API) listMarketplaceThemes(c *call) error {
	page, err := a.Core.Query().MarketplaceThemes(c.ctx, c.query.limit, c.query.cursor)
	if err != nil {
		return err
	}
	list(c, page, func(b []byte, m *model.MarketplaceTheme) []byte {
		return wire.AppendMarketplaceTheme(b, m.Listing, m.APIHost)
	})
	return nil
}
