package listings_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/shelfwalk"
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

// TestRound: existing products are indexed once, in every store. A stopped walk continues where it
// was, and one of an older version starts again and writes nothing twice.
func TestRound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 45)
		plant(t, other, s, 3)
		if err := listings.NewKeeper(s).Steps(ctx, 2); err != nil { // begun, and one batch
			t.Fatal(err)
		}
		if n := listed(t, ctx, s); n != [2]int{20, 40} {
			t.Errorf("after a batch %v are listed and found", n)
		}
		for range 2 {
			if err := listings.NewKeeper(s).Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a, b := listed(t, ctx, s), listed(t, other, s); a != [2]int{45, 90} || b != [2]int{3, 6} {
				t.Errorf("%v and %v are listed and found", a, b)
			}
			err := s.InTx(ctx, func(ctx context.Context) error {
				return s.DB(ctx).ShelfWalk.Update().Where(shelfwalk.Done(true)).SetForm(0).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
