package listings_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// plant inserts active products and a draft directly.
func plant(t testing.TB, ctx context.Context, s *ent.Store, n int) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error {
		for i := range n + 1 {
			id, status := xid.New(), state.ProductActive
			if i == n {
				status = state.ProductDraft
			}
			err := s.DB(ctx).Product.Create().SetID(id).SetTitle(fmt.Sprintf("Item %d", i)).
				SetHandle(fmt.Sprintf("item-%d", i)).SetStatus(status).SetPriceMinor(100).SetCurrency("EUR").
				SetTags([]byte("[]")).SetPublishedAt(id.Time()).SetUpdatedAt(id.Time()).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listed counts the products in the lists of a store, and those that are found.
func listed(t testing.TB, ctx context.Context, s *ent.Store) [2]int {
	t.Helper()
	on, err := s.DB(ctx).Listing.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.DB(ctx).SearchEntry.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{on, found}
}

// TestBackfill: products of every store that are not indexed yet are indexed, those that are
// indexed already stay as they are, and drafts stay out.
func TestBackfill(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 45)
		plant(t, other, s, 3)
		err := s.InTx(ctx, func(ctx context.Context) error {
			p, err := s.DB(ctx).Product.Query().Where(product.Handle("item-30")).Only(ctx)
			if err != nil {
				return err
			}
			return listings.Writer{Client: s.DB(ctx), Engine: s.Dialect()}.Put(ctx, false, p)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := listings.NewKeeper(s).Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := listed(t, ctx, s), listed(t, other, s); a != [2]int{45, 90} || b != [2]int{3, 6} {
			t.Errorf("%v and %v are listed and found", a, b)
		}
	})
}
