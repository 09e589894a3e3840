package intake

import (
	"slices"
	"strconv"
	"strings"
)

// productMembers are what the columns of products can become. Those with an underscore and minor are in
// minor units; price, compare_at_price and cost are decimal.
var productMembers = []string{
	"external_reference", "handle", "title", "description", "description_html", "description_format", "status",
	"published", "vendor", "product_type", "tags", "price", "price_minor", "compare_at_price",
	"compare_at_price_minor", "cost", "cost_minor", "currency", "sku", "barcode", "inventory_quantity",
	"inventory_tracker", "inventory_policy", "weight_grams", "weight_kg", "requires_shipping", "tax_category",
	"image_url", "images", "image_position", "image_alt", "variant_image", "image1", "image2", "image3", "image4",
	"image5", "image6", "image7", "image8", "image9", "gift_card", "kind", "own_id", "parent",
	"option1_name", "option1_value", "option2_name", "option2_value", "option3_name", "option3_value",
	"options", "variants", "maker", "videos", "custom_fields",
}

// productDerived are columns of exports that are computed, and so are not missed.
var productDerived = []string{"product_id", "published_at", "version", "created_at", "updated_at"}

// productColumns holds the columns of other systems, in lower case.
var productColumns = map[string]map[string]string{
	Shopify: withOptions(map[string]string{
		"handle": "handle", "url handle": "handle", "title": "title", "body (html)": "description_html",
		"description": "description_html", "vendor": "vendor", "type": "product_type", "tags": "tags",
		"published": "published", "published on online store": "published", "status": "status",
		"variant sku": "sku", "sku": "sku", "variant grams": "weight_grams", "weight value (grams)": "weight_grams",
		"variant inventory tracker": "inventory_tracker", "inventory tracker": "inventory_tracker",
		"variant inventory qty": "inventory_quantity", "inventory quantity": "inventory_quantity",
		"variant inventory policy":           "inventory_policy",
		"continue selling when out of stock": "inventory_policy",
		"variant price":                      "price", "price": "price", "variant compare at price": "compare_at_price",
		"compare-at price": "compare_at_price", "cost per item": "cost", "variant barcode": "barcode",
		"barcode": "barcode", "variant requires shipping": "requires_shipping",
		"requires shipping": "requires_shipping", "image src": "images", "product image url": "images",
		"image position": "image_position", "image alt text": "image_alt", "variant image": "variant_image",
		"variant image url": "variant_image", "gift card": "gift_card",
	}, "option%d name", "option%d value"),
	WooCommerce: withOptions(map[string]string{
		"id": "own_id", "type": "kind", "sku": "sku", "gtin, upc, ean, or isbn": "barcode", "name": "title",
		"published": "published", "description": "description_html", "stock": "inventory_quantity",
		"weight (kg)": "weight_kg", "weight (g)": "weight_grams", "regular price": "price", "tags": "tags",
		"images": "images", "parent": "parent", "brands": "vendor",
	}, "attribute %d name", "attribute %d value(s)"),
	Medusa: withOptions(map[string]string{
		"product handle": "handle", "product title": "title", "product description": "description",
		"product status": "status", "product thumbnail": "images", "product type": "product_type",
		"product tags": "tags", "product external id": "external_reference", "variant sku": "sku",
		"variant barcode": "barcode", "variant inventory quantity": "inventory_quantity",
		"variant weight": "weight_grams", "variant manage inventory": "inventory_tracker",
		"variant allow backorder": "inventory_policy", "product image 1": "image1", "product image 2": "image2",
		"product image 3": "image3", "product image 4": "image4", "product image 5": "image5",
		"product image 6": "image6", "product image 7": "image7", "product image 8": "image8",
		"product image 9": "image9",
	}, "variant option %d name", "variant option %d value"),
	Unknown: {
		"name": "title", "product": "title", "price": "price", "stock": "inventory_quantity",
		"quantity": "inventory_quantity", "brand": "vendor", "type": "product_type", "category": "product_type",
		"ean": "barcode", "gtin": "barcode", "weight": "weight_grams", "image": "images",
		"reference": "external_reference",
		"id":        "external_reference", "url": "handle", "slug": "handle", "article number": "sku",
		"body": "description",
	},
}

// withOptions adds the columns of the options to a table. %d stands for their number.
func withOptions(table map[string]string, name, value string) map[string]string {
	for n := 1; n <= maxOptions; n++ {
		at := strconv.Itoa(n)
		table[strings.Replace(name, "%d", at, 1)] = "option" + at + "_name"
		table[strings.Replace(value, "%d", at, 1)] = "option" + at + "_value"
	}
	return table
}

// mark names the columns by which a system is recognized.
type mark struct {
	source  string
	columns []string
}

var productMarks = []mark{
	{Medusa, []string{"product handle", "product title"}},
	{WooCommerce, []string{"type", "name", "regular price"}},
	{Shopify, []string{"handle", "variant price"}},
	{Shopify, []string{"url handle", "title"}},
	{Storefront, []string{"title", "price_minor"}},
	{Storefront, []string{"handle"}},
	{Storefront, []string{"external_reference"}},
}

// name finds the source of a file and what its columns become. A member is taken by one column only.
func (f *Form) name() {
	lower := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		lower[i] = strings.ToLower(c.Name)
	}
	f.Source = Unknown
	for _, m := range f.kind.marks {
		if !slices.ContainsFunc(m.columns, func(c string) bool { return !slices.Contains(lower, c) }) {
			f.Source = m.source
			break
		}
	}
	taken := map[string]bool{}
	for i, name := range lower {
		member := f.memberOf(name)
		if taken[member] {
			member = ""
		}
		f.Columns[i].Member, taken[member] = member, member != ""
	}
}

// memberOf returns what a column becomes by its name in lower case.
func (f *Form) memberOf(name string) string {
	member, known := f.kind.columns[f.Source][name]
	switch {
	case known:
		return member
	case f.Source == Medusa && name == "variant price "+strings.ToLower(f.currency):
		return "price"
	case (f.Source == Storefront || f.Source == Unknown) && f.can(name):
		return name
	}
	return ""
}
