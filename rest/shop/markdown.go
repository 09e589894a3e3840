package shop

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// marks escapes what Markdown would read as markup, and keeps a text in one line.
var marks = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]",
	"<", "\\<", ">", "\\>", "#", "\\#", "|", "\\|", "~", "\\~", "!", "\\!", "&", "\\&")

func marked(text string) string { return marks.Replace(strings.Join(strings.Fields(text), " ")) }

// paper collects a page in Markdown.
type paper struct {
	bytes.Buffer
	productWords
	in scene
}

func (p *paper) put(format string, args ...any) { fmt.Fprintf(&p.Buffer, format, args...) }

// heading writes a heading of a level, unless the text is empty.
func (p *paper) heading(level int, text string) {
	if text != "" {
		p.put("%s %s\n\n", strings.Repeat("#", level), marked(text))
	}
}

// item writes a list item that links to an address of the shop, or of another host.
func (p *paper) item(title, address string) {
	if strings.HasPrefix(address, "/") {
		address = p.in.origin + address
	}
	p.put("- [%s](<%s>)", marked(title), strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(address))
}

// markdown returns the page in Markdown, from the data that templates get.
func (c *content) markdown(in scene) []byte {
	p := &paper{productWords: wordsOf(in.shop), in: in}
	if in.shop.Test {
		p.put("**Test store.** Nothing here is real.\n\n")
	}
	switch c.view.kind {
	case homePage:
		p.home(c)
	case textPage:
		p.heading(1, c.text.Title)
		p.source(c.text.Markdown, c.text.Handle)
	case productPage:
		p.product(c.product)
		p.offers(2, p.Say(phrase.Related), c.offers)
	case productsPage:
		p.list(c.list)
	case searchPage:
		p.heading(1, p.Say(phrase.Search))
		if c.view.arg != "" {
			p.put("%s: %s\n\n", marked(c.view.arg), p.Count(phrase.Items, int64(c.count)))
		}
		p.offers(0, "", c.offers)
	default:
		p.heading(1, p.Say(phrase.PageNotFound))
		p.put("%s\n\n", marked(p.Say(phrase.NotFoundText)))
	}
	if note := c.priceNote(in.shop); note != "" {
		p.put("%s\n\n", marked(note))
	}
	p.put("---\n\n")
	p.item(in.shop.Name, twinPath("/"))
	p.put("\n")
	p.menu(c.menus.Main, 0)
	p.menu(c.menus.Footer, 0)
	return p.Bytes()
}

// source writes the Markdown of a product or a page, given its handle. The shop itself serves the
// images, as in HTML, so that no other host learns of a visitor.
func (p *paper) source(text, handle string) {
	p.put("%s\n\n", strings.TrimSpace(markdown.Source(text, func(address string) string {
		return p.in.origin + storefront.ExternalImagePath(address, handle)
	})))
}

// menu writes links; those below a link are indented.
func (p *paper) menu(links []storefront.Link, level int) {
	for _, l := range links {
		p.put("%s", strings.Repeat("  ", level))
		p.item(l.Title, l.Address)
		p.put("\n")
		p.menu(l.Children, level+1)
	}
}

func (p *paper) home(c *content) {
	p.heading(1, p.in.shop.Name)
	for _, s := range c.blocks {
		p.heading(2, s.Title)
		if s.Text != "" {
			p.put("%s\n\n", marked(s.Text))
		}
		p.offers(0, "", s.offers)
	}
	p.offers(2, p.Say(phrase.Products), c.offers)
}

func (p *paper) list(l *listed) {
	p.heading(1, l.title)
	if l.description != "" {
		p.put("%s\n\n", marked(l.description))
	}
	p.offers(0, "", l.Offers)
	d := l.data(p.in)
	for _, link := range []struct {
		name string
		text phrase.Key
	}{{"previous_url", phrase.Previous}, {"next_url", phrase.Next}} {
		if address, ok := d[link.name].(string); ok {
			path, query, _ := strings.Cut(address, "?")
			p.item(p.Say(link.text), twinPath(path)+"?"+query)
			p.put("\n")
		}
	}
	p.put("\n")
}

// offers writes products as a list; nothing if there is none.
func (p *paper) offers(level int, title string, offers []*storefront.Offer) {
	if len(offers) == 0 {
		return
	}
	if level > 0 {
		p.heading(level, title)
	}
	for _, o := range offers {
		p.item(o.Title, twinPath(productRoot+o.Handle))
		text := p.Money(o.PriceMinor, o.Currency)
		if o.From {
			text = p.Say(phrase.PriceFrom, text)
		}
		p.put(" %s, %s\n", marked(text), marked(p.stock(o.Available)))
	}
	p.put("\n")
}

func (p *paper) stock(available bool) string {
	if available {
		return p.Say(phrase.InStock)
	}
	return p.Say(phrase.SoldOut)
}

func (p *paper) product(o *storefront.Offer) {
	p.heading(1, o.Title)
	if o.Vendor != "" {
		p.put("%s\n\n", marked(o.Vendor))
	}
	p.variants(o)
	if o.Markdown != "" {
		p.source(o.Markdown, o.Handle)
	} else {
		for _, text := range o.Paragraphs {
			p.put("%s\n\n", marked(text))
		}
	}
	for _, v := range o.Custom {
		p.put("- %s: %s\n", marked(v.Label), marked(customText(v, p.Texts)))
	}
	if o.SizeChart != nil {
		p.item(o.SizeChart.Title, twinPath(pageRoot+o.SizeChart.Handle))
		p.put("\n")
	}
	for _, i := range o.Images {
		p.item(i.Alt, i.URL)
		p.put("\n")
	}
	p.put("\n")
}

// variants writes the variants of a product as a table, each with its id for the shop's API.
func (p *paper) variants(o *storefront.Offer) {
	p.put("| id |")
	for _, option := range o.Options {
		p.put(" %s |", marked(option.Name))
	}
	p.put(" %s | %s | | SKU | GTIN |\n|%s\n", marked(p.Say(phrase.Price)), marked(p.Say(phrase.PriceBefore)),
		strings.Repeat(" --- |", len(o.Options)+6))
	for _, v := range o.Variants {
		p.put("| %s |", xid.Variant.Format(v.ID))
		if len(o.Options) > 0 {
			for _, text := range v.Texts {
				p.put(" %s |", marked(text))
			}
		}
		before := ""
		if v.BeforeMinor > 0 {
			before = p.Money(v.BeforeMinor, o.Currency)
		}
		if v.LowestMinor > 0 {
			before += " (" + p.Say(phrase.LowestPrice, p.Money(v.LowestMinor, o.Currency)) + ")"
		}
		p.put(" %s | %s | %s | %s | %s |\n", marked(p.Money(v.PriceMinor, o.Currency)), marked(before),
			marked(p.stock(v.Available)), marked(v.SKU), marked(v.Barcode))
	}
	p.put("\n")
}
