package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const product = `{"title": "Enamel mug, blue", "price_minor": 1450, "currency": "EUR", "handle": "enamel-mug-blue",
 "description": "Holds 350 ml.\nDishwasher safe \u2013 of course.", "sku": "MUG-350-B", "vendor": "Hearth & Co",
 "tags": ["kitchen", "enamel", "blue"], "inventory_quantity": 120, "image_url": "https://cdn.example/mug.jpg"}`

func BenchmarkParse(b *testing.B) {
	for _, bm := range []struct{ name, body string }{
		{"product", product},
		{"1MiB_members", many(95_000, `"z":0`)},
		{"1MiB_zeros", "[" + strings.Repeat("0,", 1<<19-2) + "0]"},
		{"1MiB_text", `"` + strings.Repeat("x", 1<<20-2) + `"`},
	} {
		body := []byte(bm.body)
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUnmarshal is the reference for BenchmarkParse.
func BenchmarkUnmarshal(b *testing.B) {
	body := []byte(product)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var v map[string]any
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	body := bytes.TrimSpace([]byte(product))
	b.ReportAllocs()
	for b.Loop() {
		NewBody(body).Fingerprint("POST", "/products")
	}
}

func BenchmarkRead(b *testing.B) {
	v, err := Parse([]byte(product))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, _ := NewReader(v)
		for _, name := range []string{
			"title", "currency", "handle", "description", "sku", "vendor", "product_type", "image_url",
		} {
			r.String(name)
		}
		r.Int("price_minor")
		r.Int("compare_at_price_minor")
		r.Int("inventory_quantity")
		r.Strings("tags")
		if len(r.Fields()) > 0 {
			b.Fatal("the product has unknown members")
		}
	}
}
