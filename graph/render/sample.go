package render

import (
	"strconv"
	"strings"
)

// SampleData is made-up data of a page, "home", "product", "search" or
// "not_found", with every value that pages ever have. Each call makes it anew.
func SampleData(page string) map[string]any {
	d := common(page, sampleTitles[page])
	d["shop"].(map[string]any)["search_fields"] = []any{map[string]any{"name": "preview", "value": "sample"}}
	d["page"].(map[string]any)["preview"] = true
	switch page {
	case "home":
		d["products"] = cards(24)
	case "product":
		p := card(1)
		p["description"] = []any{
			"A mug for slow mornings, thrown by hand and glazed twice.",
			"Holds 350 ml. Safe in the dishwasher & the microwave.",
		}
		p["sku"], p["type"] = "MUG-350-BLUE", "Mugs"
		d["product"], d["related"] = p, cards(4)
	case "search":
		d["search"] = map[string]any{"query": `mug & "cup"`, "count": float64(31), "results": cards(24), "more": true}
	}
	return d
}

// emptyData is data of a page with as little in it as a page can have.
func emptyData(page string) map[string]any {
	d := common(page, sampleTitles[page])
	switch page {
	case "home":
		d["products"] = []any{}
	case "product":
		p := bareCard()
		p["description"], p["sku"], p["type"] = []any{}, nil, nil
		d["product"], d["related"] = p, []any{}
	case "search":
		d["search"] = map[string]any{"query": "", "count": float64(0), "results": []any{}, "more": false}
	}
	return d
}

var sampleTitles = map[string]string{
	"home":      "Clay & Co.",
	"product":   "Mug “Blue hour” – Clay & Co.",
	"search":    "Search – Clay & Co.",
	"not_found": "Page not found – Clay & Co.",
}

var samplePaths = map[string]string{"home": "/", "product": "/products/mug-1", "search": "/search",
	"not_found": "/lost"}

// common is the data that every page has.
func common(page, title string) map[string]any {
	return map[string]any{
		"shop": map[string]any{
			"name": "Clay & Co.", "currency": "EUR", "origin": "https://clay.example", "url": "/",
			"search_url": "/search", "search_fields": []any{},
		},
		"theme": map[string]any{"name": "Sample", "version": "1.0.0"},
		"page":  map[string]any{"kind": page, "title": title, "path": samplePaths[page], "preview": false},
	}
}

func cards(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = card(i + 1)
	}
	return all
}

var sampleGoods = []string{"Mug “Blue hour”", "Bowl, large", "Étagère", "Vase <tall>", "Ölkanne", "Plate & saucer"}

// card is a product as lists show it. Cards differ in what a product may lack.
func card(n int) map[string]any {
	title := sampleGoods[(n-1)%len(sampleGoods)]
	handle := "product-" + strconv.Itoa(n)
	c := map[string]any{
		"title": title, "handle": handle, "url": "/products/" + handle + "?preview=sample",
		"price": "€24.90", "compare_at_price": nil, "on_sale": false,
		"image_url": nil, "initial": strings.ToUpper(string([]rune(title)[:1])),
		"vendor": "Clay & Co.", "available": n%5 != 0, "tags": []any{"ceramics", "hand-made", "blue"},
	}
	if n%2 == 1 {
		c["image_url"] = "/pictures/d41d8cd98f00b204e9800998ecf8427e/" + handle
	}
	if n%3 == 1 {
		c["compare_at_price"], c["on_sale"] = "€29.90", true
	}
	if n%4 == 0 {
		c["vendor"], c["tags"] = nil, []any{}
	}
	return c
}

func bareCard() map[string]any {
	return map[string]any{
		"title": "Mug", "handle": "mug", "url": "/products/mug", "price": "€0.00",
		"compare_at_price": nil, "on_sale": false, "image_url": nil, "initial": "M",
		"vendor": nil, "available": false, "tags": []any{},
	}
}
