package sample_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// variant is data of a page, derived from the renderer's sample data.
type variant struct {
	name   string
	change func(map[string]any)
}

var variants = []variant{
	{"full", func(map[string]any) {}},
	{"empty", empty},
	{"one", func(d map[string]any) {
		if list, ok := d["products"].([]any); ok {
			d["products"] = list[:1]
		}
		if s, ok := d["search"].(map[string]any); ok {
			s["results"], s["count"], s["more"] = s["results"].([]any)[:1], float64(1), false
		}
	}},
	{"live", func(d map[string]any) {
		d["page"].(map[string]any)["preview"] = false
		d["shop"].(map[string]any)["search_fields"] = []any{}
	}},
	{"hostile", func(d map[string]any) {
		const text = `"><script>alert(1)</script><p onclick='x'>`
		d["shop"].(map[string]any)["name"] = text
		if p, ok := d["product"].(map[string]any); ok {
			p["title"], p["vendor"], p["sku"], p["description"], p["tags"] = text, text, text, []any{text}, []any{text}
			p["image_url"], p["image"] = text, map[string]any{"url": text, "srcset": nil, "alt": text, "width": nil,
				"height": nil}
		}
		if s, ok := d["search"].(map[string]any); ok {
			s["query"] = text
		}
	}},
}

// empty removes everything that a page may lack.
func empty(d map[string]any) {
	if _, ok := d["products"]; ok {
		d["products"] = []any{}
	}
	if p, ok := d["product"].(map[string]any); ok {
		for _, name := range []string{"image_url", "image", "compare_at_price", "vendor", "sku", "type"} {
			p[name] = nil
		}
		p["on_sale"], p["available"], p["description"], p["tags"], p["images"] = false, false, []any{}, []any{}, []any{}
		d["related"] = []any{}
	}
	if s, ok := d["search"].(map[string]any); ok {
		s["query"], s["count"], s["results"], s["more"] = "", float64(0), []any{}, false
	}
}

// Every page, whatever its data, is a complete and accessible document.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range pages {
			for _, v := range variants {
				t.Run(page+"/"+v.name, func(t *testing.T) {
					data := render.SampleData(page)
					v.change(data)
					inspect(t, show(t, made, page, data))
				})
			}
		}
	})
}

// Images do not shift the layout, and only the first one is loaded eagerly.
func TestImages(t *testing.T) {
	picture := regexp.MustCompile(`<img[^>]*>`)
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range pages {
			hurried := 0
			for _, img := range picture.FindAllString(show(t, made, page, render.SampleData(page)), -1) {
				for _, want := range []string{` alt="`, ` width="`, ` height="`} {
					if !strings.Contains(img, want) {
						t.Errorf("%s: no%s in %s", page, strings.TrimSuffix(want, `="`), img)
					}
				}
				if strings.Contains(img, `fetchpriority="high"`) {
					hurried++
				}
			}
			if hurried > 1 {
				t.Errorf("%s: %d images are loaded eagerly, want at most one", page, hurried)
			}
		}
	})
}

// A reduction has the lowest earlier price beside it, in lists and on the page of a product.
func TestLowestPrice(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range []string{"home", "product", "search", "products"} {
			if !strings.Contains(show(t, made, page, render.SampleData(page)), `class="lowest">Lowest price of the 30 days`) {
				t.Errorf("%s does not show it", page)
			}
		}
	})
}

// A variant with its own image shows it in place of the product's.
func TestVariantImages(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		data := render.SampleData("product")
		shown := data["product"].(map[string]any)["variant"].(map[string]any)
		shown["image"] = map[string]any{"url": "/pictures/own.jpg", "small_url": "/pictures/own-320.jpg", "srcset": nil,
			"alt": "Its own", "width": nil, "height": nil}
		if got := strings.Count(show(t, compile(t, s), "product", data), `src="/pictures/own.jpg"`); got != 1 {
			t.Errorf("it stands there %d times", got)
		}
	})
}

// Searching in a preview keeps the preview: every form has its fields.
func TestPreviewFields(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range pages {
			html := show(t, made, page, render.SampleData(page))
			forms := strings.Count(html, "<form") - strings.Count(html, `<form class="buy" method="post"`)
			if fields := strings.Count(html, `<input type="hidden" name="preview" value="sample">`); forms == 0 ||
				fields != forms {
				t.Errorf("%s: %d forms, %d fields of the preview", page, forms, fields)
			}
			if !strings.Contains(html, `class="preview"`) {
				t.Errorf("%s does not say that it is a preview", page)
			}
		}
	})
}

// A search query is shown as typed, in the page and in the field.
func TestSearchWords(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		data := render.SampleData("search")
		data["search"].(map[string]any)["results"] = []any{}
		html := show(t, compile(t, s), "search", data)
		if n := strings.Count(html, "mug &amp; &#34;cup&#34;"); n < 2 {
			t.Errorf("the words of the search are shown %d times, want in the heading and in the field", n)
		}
	})
}

func show(t *testing.T, made *render.Theme, page string, data map[string]any) string {
	t.Helper()
	var b bytes.Buffer
	if err := made.Render(&b, page, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	// once are the parts that a document has exactly once.
	once = []string{"<!doctype html>", `<html lang="`, "<title>", `<meta name="viewport"`, `<meta name="description"`,
		`<link rel="stylesheet"`, "<h1", "<main ", "<header", "<footer", `class="skip"`}
	// never are parts that the pages' policy forbids, and markers of values that could not be
	// shown.
	never   = []string{"<script", "<style", " style=", "<p onclick", "<no value>", "ZgotmplZ"}
	id      = regexp.MustCompile(` id="([^"]*)"`)
	aimedAt = regexp.MustCompile(` (?:aria-labelledby="|href="#)([^"]+)"`)
	// landmark matches a part of a page to which people jump by its role and its name.
	landmark = regexp.MustCompile(`<(nav|section|form|aside)\b[^>]*? aria-label(?:ledby)?="([^"]+)"`)
)

func inspect(t *testing.T, html string) {
	t.Helper()
	for _, part := range once {
		if n := strings.Count(html, part); n != 1 {
			t.Errorf("%s is there %d times", part, n)
		}
	}
	for _, part := range never {
		if at := strings.Index(html, part); at >= 0 {
			t.Errorf("%s: %.120s", part, html[at:])
		}
	}
	names := map[string]bool{}
	for _, m := range landmark.FindAllStringSubmatch(html, -1) {
		name := m[1] + " " + m[2]
		if strings.Contains(m[0], `role="search"`) {
			name = "search " + m[2]
		}
		if names[name] {
			t.Errorf("two landmarks are <%s> and are called %q", m[1], m[2])
		}
		names[name] = true
	}
	ids := map[string]int{}
	for _, m := range id.FindAllStringSubmatch(html, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("id %q twice", m[1])
		}
	}
	for _, m := range aimedAt.FindAllStringSubmatch(html, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("nothing has the id %q", m[1])
		}
	}
}

// Every page with a price says what it includes, with a link to the page about shipping.
func TestPriceNotes(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		made := compile(t, s)
		for _, page := range pages {
			data := render.SampleData(page)
			note := `<a href="/pages/shipping">` + data["shop"].(map[string]any)["price_note"].(string) + "</a>"
			priced := page != "not_found" && page != "page"
			if n := strings.Count(show(t, made, page, data), note); n != 1 && priced || n != 0 && !priced {
				t.Errorf("%s: the note stands there %d times", page, n)
			}
		}
	})
}
