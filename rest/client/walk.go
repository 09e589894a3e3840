package client

import (
	"context"
	"errors"
	"iter"
)

// errNoPage means that a success held no page, which the service never sends.
var errNoPage = errors.New("the answer holds no page")

// Products iterates over every product that params selects, starting at params.Cursor, with one
// request per page. It stops at the first error, which it yields with a zero product. params may be
// nil and is not changed.
func (c *Client) Products(ctx context.Context, params *ListProductsParams) iter.Seq2[Product, error] {
	p := copied(params)
	p.IfNoneMatch = nil // a 304 has no items
	return walk(p.Cursor, func(cursor *Cursor) ([]Product, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListProductsWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Orders iterates over every order that params selects; see [Client.Products].
func (c *Client) Orders(ctx context.Context, params *ListOrdersParams) iter.Seq2[Order, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]Order, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListOrdersWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Customers iterates over every customer that params selects; see [Client.Products].
func (c *Client) Customers(ctx context.Context, params *ListCustomersParams) iter.Seq2[Customer, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]Customer, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListCustomersWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Webhooks iterates over every webhook endpoint that the credential may see; see [Client.Products].
func (c *Client) Webhooks(ctx context.Context, params *ListWebhooksParams) iter.Seq2[Webhook, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]Webhook, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListWebhooksWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Exports iterates over every export job that the credential may see; see [Client.Products].
func (c *Client) Exports(ctx context.Context, params *ListExportsParams) iter.Seq2[Export, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]Export, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListExportsWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Themes iterates over every theme of the store; see [Client.Products].
func (c *Client) Themes(ctx context.Context, params *ListThemesParams) iter.Seq2[Theme, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]Theme, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListThemesWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// ThemeAssets iterates over every asset of a theme; see [Client.Products].
func (c *Client) ThemeAssets(
	ctx context.Context, id ThemeID, params *ListThemeAssetsParams,
) iter.Seq2[ThemeAsset, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]ThemeAsset, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListThemeAssetsWithResponse(ctx, id, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// MarketplaceThemes iterates over every published theme of the marketplace; see [Client.Products].
func (c *Client) MarketplaceThemes(
	ctx context.Context, params *ListMarketplaceThemesParams,
) iter.Seq2[MarketplaceTheme, error] {
	p := copied(params)
	p.IfNoneMatch = nil
	return walk(p.Cursor, func(cursor *Cursor) ([]MarketplaceTheme, *NextCursor, error) {
		p := p
		p.Cursor = cursor
		res, err := c.ListMarketplaceThemesWithResponse(ctx, &p)
		if err != nil {
			return nil, nil, err
		}
		if err := Err(res); err != nil || res.JSON200 == nil {
			return nil, nil, orNoPage(err)
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// walk yields the items of page after page until next is nil, the only end of a list (spec, section
// 4).
func walk[T any](cursor *string, fetch func(cursor *string) (items []T, next *string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at := cursor; ; {
			items, next, err := fetch(at)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			at = next
		}
	}
}

func copied[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

func orNoPage(err error) error {
	if err != nil {
		return err
	}
	return errNoPage
}
