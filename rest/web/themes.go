package web

import (
	"maps"
	"slices"
	"strings"

	templates "github.com/storefront-go/storefront/graph/lib/render"
)

type datum struct{ Name, Text string }

// cardData are the values of a product in a list, below the name of the list.
var cardData = map[string]string{
	"title": "its title", "handle": "its name in URLs", "url": "the path of its page",
	"price": "formatted", "compare_at_price": "the previous higher price, or nothing",
	"on_sale": "whether it has a compare-at price",
	"lowest_price_text": "the lowest price of the 30 days before the reduction, as a text in the language of the store, " +
		"which shops in the European Union must show; or nothing",
	"image_url": "the path of its first image, or nothing", "initial": "a letter to show without an image",
	"vendor": "or nothing", "available": "whether it can be bought", "tags[]": "texts",
	"price_varies": "whether price is the lowest of several",
	"price_text":   "the price, with “from” if it varies, in the language of the store",
}

// imageData are the values of an image, below image or a member of images. An uploaded image has up
// to three widths; of an external image only the address is known.
var imageData = map[string]string{
	"url": "the path of the image", "small_url": "the path of its smallest width, for thumbnails",
	"srcset": "the value of the attribute srcset, or nothing", "width": "of url in pixels, or nothing",
	"height": "of url in pixels, or nothing", "alt": "the alternative text; by default the title of the product",
}

// menuData are the values of a menu's link.
var menuData = map[string]string{
	"title": "its text", "href": "its target, maybe on another host",
	"current": "whether it links to this page", "children[]": "links below it, one level deep",
}

// themeData describes every value of templates by its path: "[]" is every member of a list. A test
// checks that none is missing or superfluous.
var themeData = merged(map[string]string{
	".shop.name": "of the store", ".shop.currency": "such as EUR", ".shop.language": "such as de",
	".shop.products_url": "the path of the list of all products",
	".shop.direction":    "ltr or rtl", ".shop.origin": "scheme and host", ".shop.url": "the path of the home page",
	".shop.search_url":            "the action of the search form",
	".shop.search_fields[].name":  "of a hidden field of the search form",
	".shop.search_fields[].value": "of that field",
	".shop.cart_url":              "the path of the cart",
	".shop.account_url":           "the path of the shopper's account, or nothing if the service sends no emails",
	".shop.add_url":               "the action of a form that adds a product, with method=\"post\"",
	".shop.price_note":            "what prices include, such as VAT, in the language of the store, or nothing",
	".shop.shipping_url":          "the path of the merchant's page about shipping, or nothing",
	".shop.email":                 "the contact address of the store, or nothing",
	".shop.email_url":             "the target of a link to that address, or nothing",
	".shop.words.products":        "the link to products_url, in the language of the store",
	".theme.name":                 "of this theme", ".theme.version": "or nothing",
	".page.kind": "home, product, products, search, page or not_found", ".page.title": "for the document title",
	".page.path": "of this page", ".page.description": "for search engines, or nothing",
	".page.preview":  "whether the page is a preview",
	".article.title": "of a page that the merchant wrote", ".article.kind": "such as imprint or terms, or nothing",
	".article.body": "HTML rendered from the merchant's Markdown",
	".search.query": "the search words", ".search.count": "the number of products found",
	".search.count_text": "the same with its noun, in the language of the store",
	".search.more":       "whether more were found than are shown",
	".list.title":        "of the list", ".list.description": "of a collection, or nothing",
	".list.url":      "the path of the list",
	".list.next_url": "of its next page, or nothing", ".list.previous_url": "or nothing",
	".list.filtered": "whether a filter is set", ".list.all_url": "of the list without filters",
	".list.min": "the minimum price of the filter, or nothing", ".list.max": "the maximum",
	".list.fields[].name":  "of a hidden field of the form with min and max",
	".list.fields[].value": "of that field", ".list.sorts[].title": "a sort order, in the language of the store",
	".list.sorts[].url": "the list in this order", ".list.sorts[].current": "whether it is in this order",
	".list.filters[].name": "an option, such as Color", ".list.filters[].values[].title": "such as Red",
	".list.filters[].values[].url":     "the list with or without it",
	".list.filters[].values[].current": "whether it is selected",
	".product.id":                      "the value of product_id in a form", ".product.sku": "or nothing",
	".product.type":            "or nothing",
	".product.more_text":       "the text of a link to the vendor's products, or nothing",
	".product.description[]":   "the paragraphs of its description, without markup",
	".product.body":            "its description as HTML, or nothing",
	".product.choices[].name":  "an option, such as Size; choices are all values of all options, in order",
	".product.choices[].value": "such as M", ".product.choices[].chosen": "the chosen value of this option",
	".product.choices[].first":     "whether it is the first value of its option",
	".product.choices[].last":      "whether it is the last one",
	".product.choices[].url":       "the page with this value, or nothing",
	".product.choices[].current":   "whether it is chosen",
	".product.choices[].available": "whether it can be bought with the other chosen values",
	".product.size_chart.title":    "of a page that shows the sizes", ".product.size_chart.url": "its path",
	".product.videos[].title": "such as YouTube", ".product.videos[].href": "its address on another host",
	".product.maker.name":      "of the company that is responsible for its safety, or nothing",
	".product.maker.address[]": "the lines of its postal address", ".product.maker.email": "or nothing",
	".product.maker.url":             "on another host, or nothing",
	".product.maker.safety[]":        "the lines of the safety information",
	".product.custom_fields[].name":  "of a custom field that the store shows, such as details.material",
	".product.custom_fields[].label": "such as Material", ".product.custom_fields[].text": "its value",
	".product.custom_fields[].href": "its value if it is an address, or nothing",
	".product.options[].name":       "such as Size", ".product.options[].values[]": "such as M",
	".product.variants[].id":        "the value of variant_id in a form",
	".product.variants[].title":     "its options as one text",
	".product.variants[].options[]": "the value of each option", ".product.variants[].sku": "or nothing",
	".product.variants[].barcode": "a GTIN, or nothing",
	".product.variants[].price":   "formatted", ".product.variants[].on_sale": "as of a product",
	".product.variants[].compare_at_price": "or nothing", ".product.variants[].available": "as of a product",
	".product.variants[].price_varies": "never; for templates that show products and variants alike",
	".product.variants[].price_text":   "as of a product", ".product.variants[].lowest_price_text": "as of a product",
	".sections[].kind": "a section of the home page: image, text or products, which is followed by elements of " +
		"the kind product and by one of the kind end",
	".sections[].title": "or nothing", ".sections[].label": "the text of the link to url, or nothing", ".sections[].text[]": "its lines",
	".sections[].url": "a link, in an end to all its products, or nothing",
}, cardData, ".product.", ".products[].", ".related[].", ".search.results[].",
	".list.products[].", ".sections[].product.")

func merged(all, part map[string]string, roots ...string) map[string]string {
	add := func(part map[string]string, roots ...string) {
		for _, root := range roots {
			for name, text := range part {
				all[root+name] = text
			}
		}
	}
	add(part, roots...)
	add(menuData, ".menus.main[].", ".menus.footer[].")
	add(imageData, ".product.images[].", ".product.choices[].image.", ".sections[].image.")
	page := templates.SampleData("product")
	for _, root := range append(roots, ".product.variants[].") {
		add(imageData, root+"image.")
		addWords(all, root, page["product"])
	}
	addWords(all, ".shop.", page["shop"])
	for name, text := range maps.Clone(all) {
		if member, ok := strings.CutPrefix(name, ".product.variants[]"); ok {
			all[".product.variant"+member] = text
		}
	}
	all[".product.variant.id"] = "of the variant that the page shows; variant has the members of variants[]"
	return all
}

// addWords adds texts by the names that templates use, in English.
func addWords(all map[string]string, root string, of any) {
	for word, text := range of.(map[string]any)["words"].(map[string]any) {
		all[root+"words."+word] = "such as “" + text.(string) + "”, in the language of the store"
	}
}

func (d *site) themes() {
	p := struct {
		Title     string
		Data      []datum
		Functions []string
	}{Title: d.title, Functions: templates.Functions()}
	for _, name := range slices.Sorted(maps.Keys(themeData)) {
		if !strings.HasPrefix(name, ".related") && !strings.HasPrefix(name, ".search.results") &&
			!strings.HasPrefix(name, ".list.products") && !strings.HasPrefix(name, ".sections[].product") &&
			!strings.HasPrefix(name, ".menus.footer") { // such as .products and .menus.main
			p.Data = append(p.Data, datum{name, themeData[name]})
		}
	}
	d.page("/docs/themes", "themes.html", p)
}
