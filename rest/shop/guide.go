package shop

import (
	"context"

	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// apiPath is where programs find the API of a shop, a path of rest/ucp.
const apiPath = "/.well-known/ucp"

// guide returns llms.txt, which leads programs to what they can read and to the API: Markdown in the
// form of llmstxt.org. The number of collections is bounded.
func (s *Shop) guide(ctx context.Context, in scene) ([]byte, error) {
	collections, err := s.Core.NamedCollections(ctx)
	if err != nil {
		return nil, err
	}
	legal, err := s.Core.Legal(ctx)
	if err != nil {
		return nil, err
	}
	p := &paper{productWords: wordsOf(in.shop), in: in}
	p.heading(1, in.shop.Name)
	if in.shop.Test {
		p.put("**Test store.** Nothing here is real.\n\n")
	}
	p.put("> Prices are in %s. Every page is also Markdown: add .md to its path.\n\n", marked(in.shop.Currency))
	p.links("API", []storefront.Link{
		{Title: "Universal Commerce Protocol: catalog, checkout and orders", Address: apiPath},
		{Title: "How to use it", Address: s.Core.APIHost + "/docs/guides/shop-api"}})
	p.links(p.Say(phrase.Products), append([]storefront.Link{
		{Title: p.Say(phrase.Products), Address: twinPath(storefront.ProductsPath)},
		{Title: "Sitemap", Address: mapPath}}, twins(collections)...))
	var pages []storefront.Link
	for _, text := range legal {
		pages = append(pages, storefront.Link{Title: text.Title, Address: pageRoot + text.Handle})
	}
	p.links("Policies", twins(pages))
	if in.shop.ContactEmail != "" {
		p.links("Contact", []storefront.Link{{Title: in.shop.ContactEmail, Address: "mailto:" + in.shop.ContactEmail}})
	}
	return p.Bytes(), nil
}

// twins returns links to the twins of pages.
func twins(pages []storefront.Link) []storefront.Link {
	list := make([]storefront.Link, len(pages))
	for i, page := range pages {
		list[i] = storefront.Link{Title: page.Title, Address: twinPath(page.Address)}
	}
	return list
}

// links writes a section with a list of links, nothing if there are none.
func (p *paper) links(title string, list []storefront.Link) {
	if len(list) == 0 {
		return
	}
	p.heading(2, title)
	p.menu(list, 0)
	p.put("\n")
}
