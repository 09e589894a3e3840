package shop_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// A page that was cached before a sale begins is not shown after it, although nothing is written then.
func TestSaleEndsCachedPages(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		p := s.sell("Mug")
		begins := micros.Now().Add(20 * time.Second)
		p = graphtest.Must[*model.ProductPayload](t)(s.core.Mutation().ProductSaleSet(s.ctx, p.PublicID(), p.Version,
			&model.SaleInput{StartsAt: &begins, Prices: []*model.SalePriceInput{
				{VariantID: variants.Of(p)[0].PublicID(), PriceMinor: 1990}}})).Product
		paths := []string{"/", "/products", "/products/mug", "/search?q=mug"}
		for _, path := range paths {
			s.get(path).want(t, 200, "€24.90", "!€19.90")
		}
		// 20 seconds pass: for the cache by its clock, for the prices by an earlier beginning.
		steps, err := p.Prices.List()
		if err != nil {
			t.Fatal(err)
		}
		steps[1].From -= (30 * time.Second).Microseconds()
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Product.Update().SetPrices(document.NewPrices(steps)).Exec(ctx)
		})
		for _, path := range paths {
			s.get(path).want(t, 200, "€24.90", "!€19.90")
		}
		s.clock.add(21 * time.Second)
		for _, path := range paths {
			s.get(path).want(t, 200, "€19.90")
		}
	})
}
