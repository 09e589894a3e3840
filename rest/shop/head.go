package shop

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// head returns what the service itself adds to the head of a page, whatever the theme adds: the
// canonical address, and metadata for search engines and link previews (Open Graph, schema.org).
// The data block is no script; none runs.
func (c *content) head(in scene) string {
	preview := in.links.query != "" // its address is secret
	switch {
	case in.shop.Test:
		return `<meta name="robots" content="noindex">`
	case preview || c.view.kind == searchPage || c.view.kind == notFoundPage:
		return ""
	case c.view.kind == productsPage && c.view.loose(): // a variation of a list, which has its own canonical address
		return `<meta name="robots" content="noindex, follow">`
	}
	var b strings.Builder
	address := in.origin + c.view.path()
	fmt.Fprintf(&b, `<link rel="canonical" href="%s">`, html.EscapeString(address))
	for _, pair := range c.graph(in, address) {
		if pair[1] != "" {
			fmt.Fprintf(&b, `<meta property="%s" content="%s">`, pair[0], html.EscapeString(pair[1]))
		}
	}
	if c.view.kind == productPage {
		b.WriteString(`<script type="application/ld+json">`)
		b.Write(listingOf(c.product, in, address))
		b.WriteString(`</script>`)
	}
	return b.String()
}

func (c *content) graph(in scene, address string) [][2]string {
	kind, title, image := "website", in.shop.Name, ""
	switch c.view.kind {
	case textPage:
		kind, title = "article", c.text.Title
	case productsPage:
		title = c.list.title
	case productPage:
		kind, title = "product", c.product.Title
		if c.product.Image != "" {
			image = in.origin + c.product.Image
		}
	}
	list := [][2]string{
		{"og:type", kind}, {"og:title", title}, {"og:site_name", in.shop.Name}, {"og:url", address},
		{"og:image", image}, {"og:description", c.description()}, {"og:locale", locale(in.shop.Language)},
	}
	if c.view.kind == productPage {
		list = append(list, [2]string{"product:price:amount", c.product.Amount},
			[2]string{"product:price:currency", c.product.Currency})
	}
	return list
}

// locale returns a language with a country, as Open Graph expects it: the one with most speakers.
func locale(l state.Language) string {
	region, _ := language.Make(string(l)).Region()
	return string(l) + "_" + region.String()
}

// describe adds a description to a page whose theme gives none.
func (c *content) describe(page []byte) string {
	text := c.description()
	if text == "" || bytes.Contains(page, []byte(`name="description"`)) {
		return ""
	}
	return `<meta name="description" content="` + html.EscapeString(text) + `">`
}

// withHead inserts markup at the start of a page's head. A page without a head stays as it is.
func withHead(page []byte, markup string) []byte {
	at := afterTag(string(page), "head")
	if markup == "" || at == len(page) {
		return page
	}
	return slices.Insert(page, at, []byte(markup)...)
}

// themeIcon is a link of a theme to its own icon.
var themeIcon = regexp.MustCompile(`(?i)<link\b[^>]*\brel="?(?:shortcut )?icon\b[^>]*>`)

// withIcon shows the store's icon in place of the theme's. Without one, the page stays as it is.
func withIcon(page []byte, path string) []byte {
	if path == "" {
		return page
	}
	return withHead(themeIcon.ReplaceAll(page, nil), `<link rel="icon" href="`+html.EscapeString(path)+`">`)
}

// bare returns a plain page, for kinds of pages that the theme has no template for.
func bare(c content, in scene) []byte {
	title, body := "", ""
	switch c.view.kind {
	case textPage:
		title, body = c.text.Title, c.text.HTML
	case productsPage:
		title, body = c.list.title, c.list.bare(in)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html><html lang="%s" dir="%s"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>%s</title>`+
		`<link rel="stylesheet" href="%smessage.css"></head><body><main><p><a href="%s">%s</a></p>`+
		`<h1>%s</h1>%s</main></body></html>`,
		in.shop.Language, phrase.In(in.shop.Language).Direction, html.EscapeString(c.title(in.shop)), staticRoot,
		html.EscapeString(in.links.to("/")), html.EscapeString(in.shop.Name), html.EscapeString(title), body)
	return b.Bytes()
}

// bare returns the products of a list and the links to its other pages.
func (l *listed) bare(in scene) string {
	var b strings.Builder
	t := phrase.In(in.shop.Language)
	for _, o := range l.Offers {
		fmt.Fprintf(&b, `<p><a href="%s">%s</a> %s</p>`, html.EscapeString(in.links.to(productRoot+o.Handle)),
			html.EscapeString(o.Title), html.EscapeString(t.Money(o.PriceMinor, o.Currency)))
	}
	d := l.data(in)
	for name, sign := range map[string]string{"previous_url": "←", "next_url": "→"} {
		if url, ok := d[name].(string); ok {
			fmt.Fprintf(&b, `<p><a href="%s">%s</a></p>`, html.EscapeString(url), sign)
		}
	}
	return b.String()
}
