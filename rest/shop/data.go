package shop

import (
	"unicode"

	"github.com/storefront-go/storefront/graph/storefront"
)

// The data of a page consists of map[string]any, []any, string, bool, float64 and
// nil alone. What is absent is nil, so that templates can ask with "if".

// data is what the templates of the page get.
func (c *content) data(in scene, l *look) map[string]any {
	d := map[string]any{
		"shop": map[string]any{
			"name": in.shop.Name, "currency": in.shop.Currency, "origin": in.origin,
			"url": in.links.to("/"), "search_url": in.links.to(searchPath), "search_fields": in.links.fields(),
		},
		"theme": map[string]any{"name": l.name, "version": orNil(l.version)},
		"page": map[string]any{
			"kind": c.view.kind, "title": c.title(in.shop.Name), "path": c.view.path(), "preview": in.links.query != "",
		},
	}
	switch c.view.kind {
	case homePage:
		d["products"] = cards(c.offers, in.links)
	case productPage:
		d["product"], d["related"] = whole(c.product, in.links), cards(c.offers, in.links)
	case searchPage:
		d["search"] = map[string]any{
			"query": c.view.arg, "count": float64(c.count), "results": cards(c.offers, in.links),
			"more": c.count > storefront.MaxOffers,
		}
	}
	return d
}

// title is what the browser's tab shows.
func (c *content) title(shop string) string {
	const dash = " – "
	switch c.view.kind {
	case productPage:
		return c.product.Title + dash + shop
	case searchPage:
		if c.view.arg != "" {
			return c.view.arg + dash + "Search" + dash + shop
		}
		return "Search" + dash + shop
	case notFoundPage:
		return "Page not found" + dash + shop
	}
	return shop
}

func cards(offers []*storefront.Offer, l links) []any {
	list := make([]any, len(offers))
	for i, o := range offers {
		list[i] = card(o, l)
	}
	return list
}

// card is a product as lists show it.
func card(o *storefront.Offer, l links) map[string]any {
	return map[string]any{
		"title": o.Title, "handle": o.Handle, "url": l.to(productRoot + o.Handle),
		"price": o.Price, "compare_at_price": orNil(o.Before), "on_sale": o.Before != "",
		"image_url": orNil(o.Image), "initial": initial(o.Title), "vendor": orNil(o.Vendor),
		"available": o.Available, "tags": texts(o.Tags),
	}
}

// whole is a product as its own page shows it.
func whole(o *storefront.Offer, l links) map[string]any {
	c := card(o, l)
	c["description"], c["sku"], c["type"] = texts(o.Paragraphs), orNil(o.SKU), orNil(o.Type)
	return c
}

// initial is the first letter or digit of a title, which stands where a product
// has no picture.
func initial(title string) string {
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "•"
}

func texts(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
