package webhook_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestDelivers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		products := make([]product, 10)
		for i := range products {
			products[i].id = xid.New()
		}
		for round := range 20 {
			shop.tx(func(ctx context.Context) error {
				for i := range products {
					products[i].sequence = int64(round) // the function may run again
					if err := shop.changeIn(ctx, &products[i]); err != nil {
						return err
					}
				}
				return nil
			})
		}
		until(t, "200 events", func() bool { return r.accepted() == 200 })
		r.inOrder(t)
		if n := r.attempts(); n != 200 {
			t.Errorf("%d requests, want 200", n)
		}
		stop(shop.engine)
		if n := s.DB(shop.ctx).Delivery.Query().CountX(shop.ctx); n != 0 {
			t.Errorf("%d deliveries are left", n)
		}
		if n := s.DB(shop.ctx).DeliveryLog.Query().CountX(shop.ctx); n != 200 {
			t.Errorf("%d deliveries are logged", n)
		}
	})
}
