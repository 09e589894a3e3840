package rest_test

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// variants inserts products of two sizes.
func (m *shop) variants(ids ...int) {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		for _, n := range ids {
			id := fixed(n)
			err := c.Product.Create().SetID(id).SetTitle("Shirt").SetHandle("shirt-" + id.String()).
				SetStatus(state.ProductActive).SetPriceMinor(1450).SetMaxPriceMinor(1451).SetCompareAtPriceMinor(2000).
				SetCurrency("EUR").SetTags(document.NewTags(nil)).SetUpdatedAt(id.Time()).
				SetOptions(document.NewOptions([]document.Option{{Name: "Größe", Values: []string{"S", `"M"`}}})).
				Exec(ctx)
			if err != nil {
				return err
			}
			for i, text := range []string{"S", `"M"`} {
				options := document.NewTags([]string{text})
				row := c.Variant.Create().SetID(fixed(10*n + i)).SetProductID(id).SetPosition(i + 1).
					SetOptions(options).SetCombination(variants.Combination(options)).SetTitle(text).
					SetPriceMinor(int64(1450 + i))
				if i == 0 {
					row.SetSku("S-1").SetInventoryQuantity(3).SetWeightGrams(180).SetCompareAtPriceMinor(2000)
				}
				if err := row.Exec(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A product with options shows them and its variants as documented, and a page of such products
// costs one statement more.
func TestVariants(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.variants(21, 22)
		one := "/products/" + xid.Product.Format(fixed(21))
		s.do(t, request{As: m.all, Path: "/products?limit=1"}) // the credential is looked up here
		for _, path := range []string{"/products", one} {
			before := s.store.Statements()
			s.do(t, request{As: m.all, Path: path}).want(http.StatusOK, "")
			if got := s.store.Statements() - before; got != 2 {
				t.Errorf("%s cost %d statements, want 2", path, got)
			}
		}
		body := string(s.do(t, request{As: m.all, Path: one}).Body)
		if !strings.HasSuffix(body, `"options":[{"name":"Größe","values":["S","\"M\""]}],"variants":[{"id":"`+
			xid.Variant.Format(fixed(210))+`","title":"S","sku":"S-1","price_minor":1450,`+
			`"compare_at_price_minor":2000,"inventory_quantity":3,"weight_grams":180,"options":["S"],"position":1,"image":null,`+
			`"tax_category":null,"barcode":null,"prices":[{"from":null,"price_minor":1450,"compare_at_price_minor":2000,"lowest_price_minor":null}]},`+
			`{"id":"`+xid.Variant.Format(fixed(211))+`","title":"\"M\"","sku":null,"price_minor":1451,`+
			`"compare_at_price_minor":null,"inventory_quantity":null,"weight_grams":null,"options":["\"M\""],`+
			`"position":2,"image":null,"tax_category":null,"barcode":null,`+
			`"prices":[{"from":null,"price_minor":1451,"compare_at_price_minor":null,"lowest_price_minor":null}]}],"images":[],"requires_shipping":true,`+
			`"tax_category":"standard","description_format":"text","barcode":null,"maker":null,"videos":[]}`) {
			t.Errorf("the product: %s", body)
		}
	})
}

// TestProductImages: products have their images at addresses of the store's host, and variants the
// image that shows them. A page of such products costs one statement more.
func TestProductImages(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.variants(21)
		m.tx(func(ctx context.Context, c *db.Client) error {
			err := c.ProductImage.Create().SetID(fixed(31)).SetProductID(fixed(21)).SetPosition(1).
				SetAlt("A \"shirt\"").SetObjectID(fixed(32)).SetContentType("image/png").SetWidth(400).SetHeight(300).
				SetSizeBytes(9).Exec(ctx)
			if err == nil {
				err = c.Product.Update().SetImagesCount(1).Exec(ctx)
			}
			if err == nil {
				err = c.Variant.Update().SetImageID(fixed(31)).Exec(ctx)
			}
			return err
		})
		one, image := "/products/"+xid.Product.Format(fixed(21)), xid.ProductImage.Format(fixed(31))
		s.do(t, request{As: m.all, Path: one}) // the credential and the host are looked up here
		object, origin := fixed(32), ""
		m.tx(func(ctx context.Context, c *db.Client) error {
			shop, err := ent.Only(c.Store.Query().Load(ctx))
			if err == nil {
				origin = "https://" + shop.Handle + ".localhost"
			}
			return err
		})
		for _, path := range []string{"/products", one} {
			before := s.store.Statements()
			body := string(s.do(t, request{As: m.all, Path: path}).want(http.StatusOK, "").Body)
			if got := s.store.Statements() - before; got != 3 {
				t.Errorf("%s cost %d statements, want 3", path, got)
			}
			if !strings.Contains(body, `"position":1,"image":"`+image+`",`) ||
				!strings.Contains(body, `"images":[{"id":"`+image+`","url":"`+origin+`/pictures/`+
					image+`/`+hex.EncodeToString(object[:])+`.png",`+
					`"alt":"A \"shirt\"","width":400,"height":300,"position":1}]`) {
				t.Errorf("%s: %s", path, body)
			}
		}
	})
}
