package rest_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
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

// Programs create and change products with their variants, by references and SKUs alone.
func TestVariantWrites(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		const put = "/products/by-reference/tee"
		body := `{"title":"Tee","price_minor":1000,"currency":"EUR","options":[{"name":"Size","values":["S","M"]}],` +
			`"variants":[{"sku":"S","options":["S"],"inventory_quantity":3},` +
			`{"sku":"M","options":["M"],"price_minor":1100}]}`
		made := s.send(t, m.all, http.MethodPut, put, body).want(http.StatusCreated, "")
		p := made.product()
		if got := made.shown(t, "price_minor", "inventory_quantity", "sku"); got != "1000 null null" {
			t.Errorf("created %s: %s", got, made.Body)
		}
		type variant struct {
			ID    string `json:"id"`
			Price int64  `json:"price_minor"`
			Stock *int64 `json:"inventory_quantity"`
		}
		read := func(a *answer) (list []variant) {
			a.decode(&struct {
				Variants *[]variant `json:"variants"`
			}{&list})
			return list
		}
		before := read(made)
		if got := s.send(t, m.all, http.MethodPut, put, body).want(http.StatusOK, "").shown(t, "version"); got != "1" {
			t.Errorf("an equal body gives version %s", got)
		}
		after := read(s.send(t, m.all, http.MethodPatch, "/products/"+p.ID,
			`{"variants":[{"sku":"M","inventory_quantity":4},{"sku":"S"}],"expected_version":1}`).
			want(http.StatusOK, ""))
		if after[0].ID != before[1].ID || after[0].Price != 1100 || *after[0].Stock != 4 || *after[1].Stock != 3 {
			t.Errorf("before %+v, after %+v", before, after)
		}
		one := "/products/" + p.ID + "/variants/" + before[0].ID
		a := s.send(t, m.all, http.MethodPatch, one, `{"price_minor":900,"inventory_quantity":null}`).
			want(http.StatusOK, "")
		if got := read(a); got[1].Price != 900 || got[1].Stock != nil {
			t.Errorf("one variant: %s", a.Body)
		}
		s.send(t, m.all, http.MethodPatch, one, `{"price_minor":1,"expected_version":1}`).
			want(http.StatusConflict, "version_mismatch")
		s.send(t, m.all, http.MethodPatch, "/products/"+p.ID, `{"sku":"x"}`).want(http.StatusConflict, "has_variants")
		other := s.post(t, m.all, "mug", "/products", draft("Mug")).want(http.StatusCreated, "").product()
		s.send(t, m.all, http.MethodPatch, "/products/"+other.ID+"/variants/"+before[0].ID, `{"price_minor":1}`).
			want(http.StatusNotFound, "not_found")
		stranger := newShop(t, s.store, shopRow{})
		s.send(t, stranger.all, http.MethodPatch, one, `{"price_minor":1}`).want(http.StatusNotFound, "not_found")
	})
}

// All faults of the form and of the variants are in one answer, and 2,000 variants are written.
func TestVariantBodies(t *testing.T) {
	s, m := sqlite(t)
	p := s.post(t, m.all, "mug", "/products", draft("Mug")).want(http.StatusCreated, "").product()
	for _, tc := range []struct{ name, body, want string }{
		{"of the form", `{"title":1,"options":[{"name":"Size","values":["S"]}],"variants":[{"options":["S"],"sku":1},` +
			`{"options":["T"],"price_minor":5}]}`, "#/title invalid_type, #/variants/0/sku invalid_type, " +
			"#/variants/1/options/0 unknown_value"},
		{"an unknown member", `{"variants":[{"price_minor":1,"colour":"red"}]}`, "#/variants/0/colour unknown_member"},
		{"not objects", `{"options":[1],"variants":[2]}`, "#/options/0 invalid_type, #/variants/0 invalid_type"},
		{"members beside variants", `{"sku":"x","barcode":"1","variants":[{"weight_grams":-1}]}`,
			"#/barcode unknown_member, #/sku unknown_member, #/variants/0/weight_grams out_of_range"},
		{"no list", `{"variants":null}`, "#/variants too_short"},
		{"cost", `{"variants":[{"cost_minor":1}]}`, "#/variants/0/cost_minor unknown_member"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := s.send(t, m.all, http.MethodPatch, "/products/"+p.ID, tc.body).
				want(http.StatusUnprocessableEntity, "validation_failed").problem().places()
			slices.Sort(got)
			if strings.Join(got, ", ") != tc.want {
				t.Errorf("got %s", strings.Join(got, ", "))
			}
		})
	}
	list := func(n int, price string) string {
		var values, rows []string
		for i := range n {
			values = append(values, fmt.Sprintf(`"%d"`, i))
			rows = append(rows, fmt.Sprintf(`{"sku":"SKU-%d","options":["%d"]%s}`, i, i, price))
		}
		return `{"options":[{"name":"No","values":[` + strings.Join(values, ",") + `]}],"variants":[` +
			strings.Join(rows, ",") + `]}`
	}
	if n := strings.Count(string(s.send(t, m.all, http.MethodPatch, "/products/"+p.ID, list(2000, `,"price_minor":1`)).
		want(http.StatusOK, "").Body), `"id":"var_`); n != 2000 {
		t.Errorf("%d variants", n)
	}
	if got := s.send(t, m.all, http.MethodPatch, "/products/"+p.ID, list(2000, "")).want(http.StatusOK, "").
		shown(t, "version"); got != "2" {
		t.Errorf("an equal list gives version %s", got)
	}
	s.send(t, m.all, http.MethodPatch, "/products/"+p.ID, list(2001, "")).
		want(http.StatusUnprocessableEntity, "validation_failed")
}
