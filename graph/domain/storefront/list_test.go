package storefront_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// TestList: the pages reach the whole catalog.
func TestList(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for i := range 30 {
			published(t, ctx, r, priced(fmt.Sprintf("Item %02d", i)))
		}
		s, l := r.Storefront(), listings.List{Sort: listings.Title}
		one := graphtest.Must[*storefront.ProductPage](t)(s.List(visitor(ctx), l))
		l.After = one.After
		two := graphtest.Must[*storefront.ProductPage](t)(s.List(visitor(ctx), l))
		if len(one.Offers) != storefront.MaxOffers || one.Before != "" || len(two.Offers) != 6 || two.After != "" ||
			two.Offers[0].Title != "Item 24" {
			t.Errorf("pages of %d and %d products", len(one.Offers), len(two.Offers))
		}
	})
}

// TestFacets: visitors can filter by the option values of active products.
func TestFacets(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		foreign := graphtest.Shirt()
		foreign.Options[0].Name = "Foreign"
		published(t, graphtest.As(other, viewer.Owner), r, foreign)
		graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		read := func() (list []string) {
			for _, f := range graphtest.Must[[]storefront.Facet](t)(r.Storefront().Facets(visitor(ctx), listings.All)) {
				list = append(list, f.Name+":"+f.Value)
			}
			return list
		}
		if got := read(); got != nil {
			t.Errorf("of a draft: %v", got)
		}
		in := graphtest.Shirt()
		in.Title = "Other shirt"
		published(t, ctx, r, in)
		if d := cmp.Diff([]string{"Colour:Black", "Colour:White", "Size:M", "Size:S"}, read()); d != "" {
			t.Error(d)
		}
	})
}

// TestSearch: the best matches come first.
func TestSearch(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		published(t, ctx, r, priced("Mug"))
		published(t, ctx, r, priced("Saucer for a mug"))
		in := priced("Saucer")
		in.Tags = []string{"mug"}
		published(t, ctx, r, in)
		list, n, err := r.Storefront().Search(visitor(ctx), "Mug")
		d := cmp.Diff([]string{"Mug", "Saucer for a mug", "Saucer"}, titlesOf(list))
		if err != nil || n != 3 || d != "" {
			t.Errorf("%d, %v:\n%s", n, err, d)
		}
	})
}

func TestPriceOf(t *testing.T) {
	for _, tc := range []struct {
		text, currency string
		want           *int64
	}{
		{"24.90", "EUR", new(int64(2490))}, {"24,9", "EUR", new(int64(2490))}, {"24", "EUR", new(int64(2400))},
		{".5", "EUR", new(int64(50))}, {"0", "EUR", new(int64(0))}, {"1200", "JPY", new(int64(1200))},
		{"1.234", "KWD", new(int64(1234))}, {"1.5", "JPY", nil}, {"", "EUR", nil}, {"-1", "EUR", nil},
		{"1.999", "EUR", nil}, {"ten", "EUR", nil}, {"9999999999999", "EUR", nil}, {"1.2.3", "EUR", nil},
		{"٢٤٫٩", "EUR", new(int64(2490))}, {"２４．９０", "EUR", new(int64(2490))}, {"१२", "INR", new(int64(1200))},
	} {
		if d := cmp.Diff(tc.want, storefront.PriceOf(tc.text, tc.currency)); d != "" {
			t.Errorf("%q %s:\n%s", tc.text, tc.currency, d)
		}
	}
}
