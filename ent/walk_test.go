package ent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestEachStore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		const stores = 201 // one more than a batch
		for range stores {
			storetest.Merchant(t, s)
		}
		seen := map[xid.ID]bool{}
		err := s.EachStore(t.Context(), func(ctx context.Context) error {
			n, err := s.DB(ctx).Store.Query().Count(ctx)
			if n != 1 {
				t.Errorf("the context reaches %d stores", n)
			}
			seen[viewer.From(ctx).Store] = true
			return err
		})
		if err != nil || len(seen) != stores {
			t.Errorf("saw %d stores, %v", len(seen), err)
		}
		broken := errors.New("broken")
		if err := s.EachStore(t.Context(), func(context.Context) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}
