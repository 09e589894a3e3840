package shop

import (
	"html/template"
	"slices"
	"strings"
	"unicode"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// The data of a page consists of map[string]any, []any, string, bool, float64, nil and HTML. Absent
// values are nil, so that templates can test them with "if".

func (c *content) data(in scene, l *look) map[string]any {
	d := map[string]any{
		"shop": map[string]any{
			"name": in.shop.Name, "currency": in.shop.Currency, "origin": in.origin,
			"url": in.links.to("/"), "search_url": in.links.to(searchPath), "search_fields": in.links.fields(),
			"language": string(in.shop.Language), "direction": phrase.In(in.shop.Language).Direction,
			"products_url": in.links.to(storefront.ProductsPath), "cart_url": cartPath, "add_url": addPath,
			"account_url": nil,
			"words":       words(in.shop), "price_note": orNil(c.priceNote(in.shop)), "shipping_url": nil,
			"email": orNil(in.shop.ContactEmail), "email_url": nil,
		},
		"menus":    map[string]any{"main": c.menu(c.menus.Main, in.links), "footer": c.footer(in)},
		"theme":    map[string]any{"name": l.name, "version": orNil(l.version)},
		"settings": in.settings,
		"page": map[string]any{
			"kind": c.view.kind, "title": c.title(in.shop), "path": c.view.path(), "preview": in.links.query != "",
			"description": orNil(c.description()),
		},
	}
	if in.accounts {
		d["shop"].(map[string]any)["account_url"] = accountPath
	}
	if in.shop.Shipping != "" {
		d["shop"].(map[string]any)["shipping_url"] = in.links.to(in.shop.Shipping)
	}
	if in.shop.ContactEmail != "" {
		d["shop"].(map[string]any)["email_url"] = "mailto:" + in.shop.ContactEmail
	}
	switch c.view.kind {
	case textPage:
		d["article"] = map[string]any{
			"title": c.text.Title, "kind": orNil(c.text.Kind), "body": template.HTML(c.text.HTML),
		}
	case homePage:
		d["products"], d["sections"] = cards(c.offers, in), sectionData(c.blocks, in)
	case productPage:
		d["product"], d["related"] = whole(c.product, in, c.view.variant()), cards(c.offers, in)
	case productsPage:
		d["list"] = c.list.data(in)
	case searchPage:
		d["search"] = map[string]any{
			"query": c.view.arg, "count": float64(c.count), "results": cards(c.offers, in),
			"count_text": phrase.In(in.shop.Language).Count(phrase.Items, int64(c.count)),
			"more":       c.count > storefront.MaxOffers,
		}
	}
	return d
}

// priceNote says what the prices of the page include; "" if it shows none.
func (c *content) priceNote(st *storefront.State) string {
	offers := c.offers
	for _, s := range c.blocks {
		offers = slices.Concat(offers, s.offers)
	}
	switch {
	case c.product != nil:
		offers = []*storefront.Offer{c.product}
	case c.list != nil:
		offers = c.list.Offers
	}
	if len(offers) == 0 {
		return ""
	}
	return st.PriceNote(slices.ContainsFunc(offers, func(o *storefront.Offer) bool { return o.Ships }))
}

// footer returns the links of the footer. The law wants the withdrawal from contracts easily accessible
// (Directive 2011/83/EU, Article 11a(1)), so it is there whatever the merchant's menu says.
func (c *content) footer(in scene) []any {
	links := c.menus.Footer
	if in.shop.Withdraws && in.accounts {
		links = append(slices.Clone(links), storefront.Link{Title: in.shop.Say(phrase.Withdraw), Address: findPath})
	}
	return c.menu(links, in.links)
}

// menu returns the links of a menu, each with whether it leads to this page.
func (c *content) menu(links []storefront.Link, l links) []any {
	list := make([]any, len(links))
	for i, link := range links {
		one := map[string]any{
			"title": link.Title, "href": link.Address, "current": link.Address == c.view.path(),
			"children": c.menu(link.Children, l),
		}
		if strings.HasPrefix(link.Address, "/") && !strings.ContainsAny(link.Address, "?#") {
			one["href"] = l.to(link.Address)
		}
		list[i] = one
	}
	return list
}

// title returns the title of the browser's tab.
func (c *content) title(shop *storefront.State) string {
	const dash = " – "
	switch c.view.kind {
	case productPage:
		return c.product.Title + dash + shop.Name
	case textPage:
		return c.text.Title + dash + shop.Name
	case productsPage:
		return c.list.title + dash + shop.Name
	case searchPage:
		if c.view.arg != "" {
			return c.view.arg + dash + shop.Say(phrase.Search) + dash + shop.Name
		}
		return shop.Say(phrase.Search) + dash + shop.Name
	case notFoundPage:
		return shop.Say(phrase.PageNotFound) + dash + shop.Name
	}
	return shop.Name
}

// description returns the description for search engines; "" leaves it to the theme.
func (c *content) description() string {
	switch c.view.kind {
	case textPage:
		return c.text.Description
	case productsPage:
		return shortened(c.list.description)
	case productPage:
		if len(c.product.Paragraphs) > 0 {
			return shortened(c.product.Paragraphs[0])
		}
	}
	return ""
}

// shortened returns the first words of a text in one line.
func shortened(text string) string {
	const most = 155
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:most])) + "…"
}

func cards(offers []*storefront.Offer, in scene) []any {
	w, list := wordsOf(in.shop), make([]any, len(offers))
	for i, o := range offers {
		list[i] = card(o, in.links, w)
	}
	return list
}

func card(o *storefront.Offer, l links, w productWords) map[string]any {
	c := map[string]any{
		"title": o.Title, "handle": o.Handle, "url": l.to(productRoot + o.Handle),
		"image_url": orNil(o.Image), "image": firstImage(o), "initial": initial(o.Title), "vendor": orNil(o.Vendor),
		"available": o.Available, "tags": texts(o.Tags),
	}
	w.price(c, o.PriceMinor, o.BeforeMinor, o.LowestMinor, o.Currency, o.From)
	return c
}

func whole(o *storefront.Offer, in scene, variant string) map[string]any {
	w := wordsOf(in.shop)
	c := card(o, in.links, w)
	c["description"], c["sku"], c["type"] = texts(o.Paragraphs), orNil(o.SKU), orNil(o.Type)
	c["options"], c["variants"], c["id"] = options(o), variants(o, w), xid.Product.Format(o.ID)
	at := chosen(o, variant)
	c["variant"], c["choices"] = c["variants"].([]any)[at], choices(o, at, in.links)
	c["body"] = nil
	if o.HTML != "" {
		c["body"] = template.HTML(o.HTML)
	}
	details(c, o, in.links)
	c["custom_fields"] = customFields(o, w.Texts)
	c["more_text"] = nil
	if o.Vendor != "" {
		c["more_text"] = w.Say(phrase.MoreFrom, o.Vendor)
	}
	images := make([]any, len(o.Images))
	for i, img := range o.Images {
		images[i] = imageData(img)
	}
	c["images"] = images
	return c
}

func firstImage(o *storefront.Offer) any {
	if len(o.Images) == 0 {
		return nil
	}
	return imageData(o.Images[0])
}

// imageData returns an image; nil stays nil.
func imageData(i *storefront.Image) any {
	if i == nil {
		return nil
	}
	return map[string]any{"url": i.URL, "small_url": i.Small, "srcset": orNil(i.Set), "width": pixels(i.Width),
		"height": pixels(i.Height), "alt": i.Alt}
}

func pixels(n int) any {
	if n == 0 {
		return nil
	}
	return float64(n)
}

// options returns the options in which the variants of a product differ; none if there is one
// variant.
func options(o *storefront.Offer) []any {
	list := make([]any, len(o.Options))
	for i, option := range o.Options {
		list[i] = map[string]any{"name": option.Name, "values": texts(option.Values)}
	}
	return list
}

// variants returns the variants of a product, at least one. The options of each are their values,
// in the order of the product's options.
func variants(o *storefront.Offer, w productWords) []any {
	list := make([]any, len(o.Variants))
	for i, v := range o.Variants {
		one := map[string]any{
			"id": xid.Variant.Format(v.ID), "title": v.Title, "options": texts(v.Texts), "sku": orNil(v.SKU),
			"available": v.Available, "image": imageData(v.Image), "barcode": orNil(v.Barcode),
		}
		w.price(one, v.PriceMinor, v.BeforeMinor, v.LowestMinor, o.Currency, false)
		list[i] = one
	}
	return list
}

// initial returns the first letter or digit of a title, the placeholder of a missing image.
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
