package webhook_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestRefusedOutcome: an outcome that the database rejects does not block the others.
func TestRefusedOutcome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r := open(t, s), receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		allow := refuseIn(t, s, "delivery_logs", "NEW.sequence = 2")
		defer allow()
		ps := products(20)
		for i := range ps {
			shop.change(&ps[i])
		}
		shop.engine.Start(t.Context())
		until(t, "the others", func() bool { return len(shop.logged(e)) == 19 })
		if list := shop.waiting(e); len(list) != 1 || list[0].Sequence != 2 {
			t.Errorf("%d wait", len(list))
		}
	})
}
