package rest

import (
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listMarketplaceThemes(c *call) error {
	page, err := a.Core.Query().MarketplaceThemes(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, func(b []byte, m *model.MarketplaceTheme) []byte {
		return wire.AppendMarketplaceTheme(b, m.Listing, m.APIHost)
	})
}

// list answers with a page or returns the error of reading it: {"data": [...], "next_cursor": ...}.
// The page ends early if the next row would exceed the size limit of an answer.
func list[T any](c *call, page *model.Connection[T], err error, item func([]byte, T) []byte) error {
	if err != nil {
		return err
	}
	c.takePage()
	b := c.out
	b = append(b, `{"data":[`...)
	for i, node := range page.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		before := len(b)
		if b = item(b, node); len(b) > limit.Answer && i > 0 {
			b, page.Next = b[:before-1], page.Sign(page.Nodes[i-1])
			break
		}
	}
	b = append(b, `],"next_cursor":`...)
	if page.Next == "" {
		b = append(b, `null}`...)
	} else {
		b = append(append(append(b, '"'), page.Next...), `"}`...)
	}
	c.out = b
	return nil
}
