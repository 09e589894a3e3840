package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listThemes(c *call) error {
	page, err := a.Core.Query().Themes(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, appendTheme)
}

func (a *API) getTheme(c *call) error {
	t, err := a.Core.Query().Theme(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = appendTheme(c.out, t)
	return nil
}

func appendTheme(b []byte, t *model.Theme) []byte {
	return wire.AppendTheme(b, t.Theme, t.Status(), t.PreviewURL)
}

func (a *API) listThemeAssets(c *call) error {
	page, err := a.Core.Query().ThemeAssets(c.ctx, c.pathID(), c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, t *model.ThemeAsset) []byte {
		return wire.AppendThemeAsset(b, t.ThemeAsset, t.Host)
	})
}

// activateTheme is POST /themes/{id}/activate, which takes no members.
func (a *API) activateTheme(c *call) error {
	if err := c.noMembers(); err != nil {
		return err
	}
	done, err := a.Core.Mutation().ThemeActivate(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.code = http.StatusOK
	c.out = appendTheme(c.out, done.Theme)
	return nil
}

func (a *API) listMarketplaceThemes(c *call) error {
	page, err := a.Core.Query().MarketplaceThemes(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, m *model.MarketplaceTheme) []byte {
		return wire.AppendMarketplaceTheme(b, m.Listing, m.APIHost)
	})
}
