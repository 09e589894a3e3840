package render

import (
	"html/template"
	"path"
	"strconv"
	"strings"
)

// SampleData returns sample data of a page, "home", "product", "products", "search", "not_found" or
// "page", with every value that pages can have. Each call creates it anew.
func SampleData(page string) map[string]any {
	d := common(page, sampleTitles[page])
	shop := d["shop"].(map[string]any)
	shop["price_note"], shop["shipping_url"] = "Prices include VAT, plus shipping.", samplePaths[textPage]
	shop["email"], shop["email_url"] = "shop@clay.example", "mailto:shop@clay.example"
	shop["search_fields"] = []any{map[string]any{"name": "preview", "value": "sample"}}
	d["page"].(map[string]any)["preview"] = true
	d["page"].(map[string]any)["description"] = "What search engines & people who share it show."
	d["menus"] = map[string]any{"main": links(30), "footer": links(8)}
	switch page {
	case textPage:
		d["article"] = map[string]any{"title": "Shipping & returns", "kind": "shipping", "body": template.HTML(
			"<p>We ship <strong>twice</strong> a week.</p>\n<h2>Returns</h2>\n<ul>\n<li>30 days</li>\n</ul>\n")}
	case "home":
		d["products"], d["sections"] = cards(24), sampleSections()
	case "product":
		p := card(1)
		p["id"] = "prod_00000000000000000000000000"
		p["description"] = []any{
			"A mug for slow mornings, thrown by hand and glazed twice.",
			"Holds 350 ml. Safe in the dishwasher & the microwave.",
		}
		p["sku"], p["type"], p["more_text"] = "MUG-350-BLUE", "Mugs", "More from Clay & Co."
		p["options"] = []any{map[string]any{"name": "Size", "values": []any{"S", "Größe <2>"}},
			map[string]any{"name": "Colour", "values": []any{"Blue", "Weiß & Gold"}}}
		p["variants"] = sampleVariants()
		p["variant"], p["choices"] = sampleVariants()[0], sampleChoices()
		p["body"] = template.HTML("<p>A mug for <strong>slow</strong> mornings.</p>\n<ul>\n<li>Holds 350 ml.</li>\n</ul>\n")
		p["size_chart"] = map[string]any{"title": "Sizes & volumes", "url": "/pages/sizes"}
		p["videos"] = []any{map[string]any{"title": "YouTube", "href": "https://www.youtube.com/watch?v=aqz-KE"}}
		p["maker"] = map[string]any{"name": "Clay & Co.", "address": []any{"Kiln Lane <1>", "10115 Berlin"},
			"email": "safety@clay.example", "url": "https://clay.example",
			"safety": []any{"Hot & heavy: keep from children."}}
		p["custom_fields"] = []any{map[string]any{"name": "details.material", "label": "Material & glaze",
			"text": "Stoneware <white>", "href": nil},
			map[string]any{"name": "details.manual", "label": "Manual", "text": "https://clay.example/a?b&c",
				"href": "https://clay.example/a?b&c"}}
		p["images"] = []any{p["image"], sampleImage("detail", "The foot of the mug, with the potter's “mark”"),
			sampleImage("wide", "Six <mugs> & a jug")}
		d["product"], d["related"] = p, cards(4)
	case listPage:
		d["list"] = sampleList()
	case "search":
		d["search"] = map[string]any{"query": `mug & "cup"`, "count": float64(31), "results": cards(24), "more": true,
			"count_text": "31 items"}
	}
	return d
}

// emptyData returns data of a page with as few values as possible.
func emptyData(page string) map[string]any {
	d := common(page, sampleTitles[page])
	switch page {
	case textPage:
		d["article"] = map[string]any{"title": "Imprint", "kind": nil, "body": template.HTML("")}
	case "home":
		d["products"], d["sections"] = []any{}, []any{}
	case "product":
		p := bareCard()
		p["id"] = "prod_00000000000000000000000000"
		p["description"], p["sku"], p["type"], p["more_text"] = []any{}, nil, nil, nil
		p["options"], p["variants"], p["images"] = []any{}, sampleVariants()[:1], []any{}
		p["variant"], p["choices"], p["body"] = sampleVariants()[0], []any{}, nil
		p["size_chart"], p["videos"], p["maker"], p["custom_fields"] = nil, []any{}, nil, []any{}
		d["product"], d["related"] = p, []any{}
	case listPage:
		d["list"] = emptyList()
	case "search":
		d["search"] = map[string]any{"query": "", "count": float64(0), "results": []any{}, "more": false,
			"count_text": "0 items"}
	}
	return d
}

var sampleTitles = map[string]string{
	"home":      "Clay & Co.",
	"product":   "Mug “Blue hour” – Clay & Co.",
	listPage:    "Products – Clay & Co.",
	"search":    "Search – Clay & Co.",
	"not_found": "Page not found – Clay & Co.",
	textPage:    "Shipping & returns – Clay & Co.",
}

var samplePaths = map[string]string{"home": "/", "product": "/products/mug-1", "search": "/search",
	"not_found": "/lost", textPage: "/pages/shipping", listPage: "/products"}

// SamplePage returns the page at a path of the sample data.
func SamplePage(at string) string {
	folder := path.Dir(at)
	for page, p := range samplePaths {
		if p == at || folder != "/" && folder == path.Dir(p) {
			return page
		}
	}
	return "not_found"
}

// sampleAdd is where forms post what to add to the cart.
const sampleAdd = "/cart/add"

func common(page, title string) map[string]any {
	return map[string]any{
		"shop": map[string]any{
			"name": "Clay & Co.", "currency": "EUR", "origin": "https://clay.example", "url": "/",
			"cart_url": "/cart", "account_url": "/account", "add_url": sampleAdd, "words": sampleWords(),
			"search_url": "/search", "search_fields": []any{}, "language": "en", "direction": "ltr",
			"products_url": "/products", "price_note": nil, "shipping_url": nil, "email": nil, "email_url": nil,
		},
		"menus":    map[string]any{"main": []any{}, "footer": []any{}},
		"theme":    map[string]any{"name": "Sample", "version": "1.0.0"},
		"settings": map[string]any{},
		"page": map[string]any{"kind": page, "title": title, "path": samplePaths[page], "preview": false,
			"description": nil},
	}
}

// links returns the links of a menu, the first of which has children. An href may lead anywhere,
// while a url is always a path of the shop.
func links(n int) []any {
	all := make([]any, n)
	for i := range all {
		below := []any{}
		if i == 0 {
			below = []any{map[string]any{"title": "Bowls & plates", "href": "/search?q=bowl", "current": false,
				"children": []any{}}}
		}
		all[i] = map[string]any{"title": "Journal " + strconv.Itoa(i+1), "href": "https://journal.example/" +
			strconv.Itoa(i), "current": i == 1, "children": below}
	}
	return all
}

func cards(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = card(i + 1)
	}
	return all
}

var sampleProducts = []string{"Mug “Blue hour”", "Bowl, large", "Étagère", "Vase <tall>", "Ölkanne", "Plate & saucer"}

// card returns a product as lists show it. Cards differ in what a product may lack.
func card(n int) map[string]any {
	title := sampleProducts[(n-1)%len(sampleProducts)]
	handle := "product-" + strconv.Itoa(n)
	c := map[string]any{
		"title": title, "handle": handle, "url": "/products/" + handle + "?preview=sample",
		"price": "€24.90", "price_text": "€24.90", "compare_at_price": nil, "on_sale": false, "words": productWords(),
		"lowest_price_text": nil, "image_url": nil, "image": nil, "initial": strings.ToUpper(string([]rune(title)[:1])),
		"vendor": "Clay & Co.", "available": n%5 != 0, "tags": []any{"ceramics", "hand-made", "blue"},
		"price_varies": n%5 == 2,
	}
	switch n % 4 {
	case 1: // uploaded
		img := sampleImage(handle, title)
		c["image_url"], c["image"] = img["url"], img
	case 3: // named by its address, without a known size
		address := "/pictures/d41d8cd98f00b204e9800998ecf8427e/" + handle
		c["image_url"], c["image"] = address, map[string]any{"url": address, "small_url": address, "srcset": nil,
			"width": nil, "height": nil, "alt": title}
	}
	if n%5 == 2 {
		c["price_text"] = "from €24.90"
	}
	if n%3 == 1 {
		c["compare_at_price"], c["on_sale"] = "€29.90", true
		c["lowest_price_text"] = "Lowest price of the 30 days before the reduction: €26.90"
	}
	if n%4 == 0 {
		c["vendor"], c["tags"] = nil, []any{}
	}
	return c
}

func sampleImage(name, alt string) map[string]any {
	at := "/pictures/img_00000000000000000000000000/" + name
	return map[string]any{"url": at + "-1600.jpg", "small_url": at + "-320.jpg", "width": float64(1600),
		"height": float64(1200), "alt": alt,
		"srcset": at + "-320.jpg 320w, " + at + "-800.jpg 800w, " + at + "-1600.jpg 1600w"}
}

func bareCard() map[string]any {
	return map[string]any{
		"title": "Mug", "handle": "mug", "url": "/products/mug", "price": "€0.00", "price_text": "€0.00",
		"words": productWords(), "lowest_price_text": nil, "compare_at_price": nil,
		"on_sale": false, "image_url": nil, "image": nil, "initial": "M",
		"vendor": nil, "available": false, "tags": []any{}, "price_varies": false,
	}
}

func sampleChoices() []any {
	choice := func(name, value string, first, chosen bool, image any) map[string]any {
		return map[string]any{"name": name, "value": value, "first": first, "last": !first,
			"chosen":  map[string]string{"Size": "S", "Colour": "Weiß & Gold"}[name],
			"url":     "/products/mug-1?variant=var_00000000000000000000000001",
			"current": chosen, "available": chosen, "image": image}
	}
	return []any{
		choice("Size", "S", true, true, sampleImage("small", "The small mug")),
		choice("Size", "Größe <2>", false, false, nil),
		choice("Colour", "Blue", true, false, sampleImage("variant", "The mug in blue")),
		choice("Colour", "Weiß & Gold", false, true, nil),
	}
}

func sampleVariants() []any {
	list := []any{}
	for i, size := range []string{"S", "Größe <2>"} {
		for j, colour := range []string{"Blue", "Weiß & Gold"} {
			v := map[string]any{
				"id": "var_0000000000000000000000000" + strconv.Itoa(2*i+j), "title": size + " / " + colour,
				"options": []any{size, colour}, "price": "€24.90", "price_text": "€24.90", "compare_at_price": nil,
				"on_sale": false, "words": productWords(), "lowest_price_text": nil,
				"sku": nil, "barcode": nil, "available": i+j > 0, "price_varies": false,
				"image": sampleImage("variant", "The mug in blue"),
			}
			if j == 1 {
				v["price"], v["price_text"] = "€26.90", "€26.90"
				v["compare_at_price"], v["on_sale"], v["sku"] = "€29.90", true, "MUG-"+size
				v["image"], v["barcode"] = nil, "4006381333931"
			}
			list = append(list, v)
		}
	}
	return list
}

// sampleSections returns sections of a home page, one of each kind.
func sampleSections() []any {
	block := func(kind string, title, image, url any, text ...any) map[string]any {
		return map[string]any{"kind": kind, "title": title, "text": append([]any{}, text...), "image": image,
			"label": title, "url": url}
	}
	list := []any{
		block("image", "Autumn & winter", sampleImage("wide", "A “mug” <on> a table"), "/products", "Warm <things>."),
		block("image", nil, sampleImage("wide", ""), nil),
		block("text", "Made by hand", nil, "https://clay.example/about", "One.", "Two & three."),
		block("text", nil, nil, nil, "No title."),
		block("products", "New & old", nil, "/collections/new", "Some text."),
	}
	for _, c := range cards(4) {
		list = append(list, map[string]any{"kind": "product", "product": c})
	}
	return append(list, map[string]any{"kind": "end", "label": "Show all", "url": "/collections/new"})
}
