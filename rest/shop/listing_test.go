package shop_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// sellSizes creates a product with two variants.
func (s *stall) sellSizes(edit ...func(*model.ProductCreateInput)) *db.Product {
	s.t.Helper()
	none, some := int64(0), int64(3)
	return s.sell("Mug", append([]func(*model.ProductCreateInput){func(in *model.ProductCreateInput) {
		in.Handle, in.Vendor = new("mug"), new("Kiln")
		in.Options = []*document.Option{{Name: "Size", Values: []string{"S", "M"}}}
		in.Variants = []*model.ProductVariantInput{
			{PriceMinor: 1000, InventoryQuantity: &none, Options: []string{"S"}, Sku: new("M-S"),
				Barcode: graphql.OmittableOf(new("4006381333931"))},
			{PriceMinor: 1250, InventoryQuantity: &some, Options: []string{"M"}, Sku: new("M-M")}}
	}}, edit...)...)
}

type offerData struct {
	Price, PriceCurrency, Availability string
	Returns                            []struct {
		ID      string   `json:"@id"`
		Days    int64    `json:"merchantReturnDays"`
		Country []string `json:"applicableCountry"`
	} `json:"hasMerchantReturnPolicy"`
}

type listingData struct {
	Type, Group string
	Variants    []struct {
		Name, URL, SKU, GTIN string
		Options              []struct{ Name, Value string } `json:"additionalProperty"`
		Offers               offerData
	} `json:"hasVariant"`
}

// TestListing: each variant has its price, stock and terms of returns in the data of the page.
func TestListing(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		p := s.sellSizes()
		read := func() (l listingData) {
			t.Helper()
			_, data, _ := strings.Cut(s.get("/products/mug").want(t, http.StatusOK).body, "ld+json\">")
			data, _, _ = strings.Cut(data, "</script>")
			data = strings.NewReplacer(`"@type"`, `"Type"`, `"productGroupID"`, `"Group"`).Replace(data)
			if err := json.Unmarshal([]byte(data), &l); err != nil || l.Type != "ProductGroup" ||
				l.Group != p.PublicID() || len(l.Variants) != 2 {
				t.Fatalf("%v of %s", err, data)
			}
			return l
		}
		l := read()
		v := l.Variants[0]
		if v.GTIN != "4006381333931" || v.SKU != "M-S" || v.Offers.Price != "10.00" || v.Name != "Mug – S" ||
			v.Offers.Availability != "https://schema.org/OutOfStock" || v.Options[0].Value != "S" ||
			!strings.HasSuffix(v.URL, "/products/mug?variant="+xid.Variant.Format(p.Variants[0].ID)) {
			t.Errorf("%+v", v)
		}
		if v := l.Variants[1]; v.GTIN != "" || v.Offers.Price != "12.50" || v.Offers.PriceCurrency != "EUR" ||
			v.Offers.Availability != "https://schema.org/InStock" || v.Offers.Returns != nil {
			t.Errorf("%+v", v)
		}
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStorefront(document.NewStorefront(document.StorefrontFields{
				Returns: &document.ReturnTerms{Requests: true, Days: 30, Countries: []*document.ReturnCountry{
					{Country: "FR", Days: 14}, {Country: "ES", Days: 14}, {Country: "US"}}}})).AddVersion(1).Exec(ctx)
		})
		s.clock.add(time.Minute)
		returns := read().Variants[0].Offers.Returns
		if len(returns) != 2 || returns[0].Days != 30 || returns[0].Country != nil || returns[1].Days != 14 ||
			strings.Join(returns[1].Country, " ") != "FR ES" {
			t.Errorf("%+v", returns)
		}
		if again := read().Variants[1].Offers.Returns; len(again) != 2 || again[1].ID != returns[1].ID ||
			again[1].ID != "#returns-2" || again[1].Days != 0 {
			t.Errorf("the second variant repeats %+v", again)
		}
	})
}
