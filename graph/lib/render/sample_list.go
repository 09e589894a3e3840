package render

import "strconv"

// sampleList returns a page in the middle of a list, with all filters in use.
func sampleList() map[string]any {
	return map[string]any{
		"title": "Products", "description": "All that we make.",
		"products": cards(24), "url": "/products", "all_url": "/products", "filtered": true,
		"sorts": []any{
			map[string]any{"title": "Newest", "url": "/products", "current": true},
			map[string]any{"title": "Price, low to high", "url": "/products?sort=price", "current": false},
			map[string]any{"title": "Title", "url": "/products?sort=title", "current": false},
		},
		"filters": []any{
			map[string]any{"name": "Colour", "values": sampleValues("Blue", "Weiß & Gold")},
			map[string]any{"name": "Size", "values": sampleValues("S", "M", "Größe <2>")},
		},
		"min": "10", "max": "24.90", "fields": []any{map[string]any{"name": "preview", "value": "sample"}},
		"next_url": "/products?after=bg", "previous_url": "/products?before=bg",
	}
}

func sampleValues(values ...string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = map[string]any{"title": v, "url": "/products?option=" + strconv.Itoa(i), "current": i == 0}
	}
	return list
}

func emptyList() map[string]any {
	return map[string]any{
		"title": "Products", "description": nil, "products": []any{}, "url": "/products", "all_url": "/products",
		"filtered": false, "sorts": []any{}, "filters": []any{}, "min": nil, "max": nil, "fields": []any{},
		"next_url": nil, "previous_url": nil,
	}
}
