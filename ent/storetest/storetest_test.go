package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
)

func TestEach(t *testing.T) {
	for range 2 { // the second round gets used databases
		start := time.Now()
		Each(t, func(t *testing.T, s *ent.Store) {
			t.Log(time.Since(start))
			ctx, store := Merchant(t, s)
			if n, err := s.DB(ctx).Store.Query().Count(ctx); n != 1 || err != nil {
				t.Fatalf("got %d stores, %v, want the one made here", n, err)
			}
			err := s.InTx(ctx, func(ctx context.Context) error {
				return s.DB(ctx).Customer.Create().SetStatus("active").SetEmailMarketing("not_subscribed").
					SetAddresses([]byte("[]")).SetTags([]byte("[]")).SetUpdatedAt(micros.Now()).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.DB(ctx).Customer.Query().Only(ctx)
			if err != nil || got.StoreID != store.ID {
				t.Fatalf("got %v, %v", got, err)
			}
			t.Log(time.Since(start))
		})
	}
}
