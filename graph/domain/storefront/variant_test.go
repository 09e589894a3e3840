package storefront_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// A card has the lowest price and reads one row. The product's page reads its variants and the size
// chart of its collections with one more statement each. Without images, none are read.
func TestVariantsOfAnOffer(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Shirt()
		in.Variants[0].InventoryQuantity, in.Variants[1].InventoryQuantity = new(int64(0)), new(int64(0))
		published(t, ctx, r, in)
		published(t, ctx, r, priced("Mug"))
		counted, n := ent.CountStatements(visitor(ctx))
		cards := graphtest.Must[[]*storefront.Offer](t)(r.Storefront().Newest(counted))
		i := slices.IndexFunc(cards, func(o *storefront.Offer) bool { return o.Title == "Shirt" })
		if o := cards[i]; !o.From || o.PriceMinor != 1900 || o.BeforeMinor != 2500 || !o.Available || cards[1-i].From {
			t.Errorf("the card: %+v", o)
		}
		if n.N() != 2 { // one says which they are
			t.Errorf("cards cost %d statements", n.N())
		}
		o := graphtest.Must[*storefront.Offer](t)(r.Storefront().Product(counted, "shirt"))
		if n.N() != 5 {
			t.Errorf("the page cost %d statements, want 3", n.N()-2)
		}
		if o.Amount != "21.00" { // the two cheaper ones are sold out
			t.Errorf("machines read the price %s", o.Amount)
		}
		options := []document.Option{{Name: "Size", Values: []string{"S", "M"}},
			{Name: "Colour", Values: []string{"White", "Black"}}}
		if d := cmp.Diff(options, o.Options); d != "" {
			t.Error(d)
		}
		want := []*storefront.OfferVariant{
			{Title: "S / White", Texts: []string{"S", "White"}, PriceMinor: 1900, BeforeMinor: 2500,
				Amount: "19.00", SKU: "SHIRT-S-W"},
			{Title: "M / White", Texts: []string{"M", "White"}, PriceMinor: 2000, Amount: "20.00", SKU: "SHIRT-M-W"},
			{Title: "M / Black", Texts: []string{"M", "Black"}, PriceMinor: 2100, Amount: "21.00", SKU: "SHIRT-M-B",
				Available: true},
		}
		for i, v := range o.Variants {
			want[i].ID = v.ID
		}
		if d := cmp.Diff(want, o.Variants); d != "" {
			t.Error(d)
		}
		mug := graphtest.Must[*storefront.Offer](t)(r.Storefront().Product(counted, "mug"))
		if n.N() != 7 || len(mug.Options) != 0 || len(mug.Variants) != 1 || mug.Variants[0].PriceMinor != 1000 {
			t.Errorf("a product without options: %+v after %d statements", mug, n.N())
		}
	})
}
