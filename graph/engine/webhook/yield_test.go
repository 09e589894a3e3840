package webhook_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// TestOthersWrite: single events show for a moment that others write. A backlog in the outbox does
// not.
func TestOthersWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		shop.endpoint("http://receiver.example/", event.ProductUpdated)
		e, p := engine(t, s), product{id: xid.New()}
		r := webhook.NewRelay(e)
		write := func(n int) {
			if err := s.InTx(shop.ctx, func(ctx context.Context) error {
				for range n {
					if err := shop.changeIn(ctx, &p); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for made := 0; made == 0; { // a round that creates none follows a full one
				_, made = round(t, r)
			}
		}
		for _, c := range []struct {
			events int
			want   bool
		}{{256, false}, {1, true}} {
			if write(c.events); e.OthersWrite() != c.want {
				t.Errorf("%d events: got %v", c.events, !c.want)
			}
		}
		if e.SawLive(time.Now().Add(-time.Second)); e.OthersWrite() {
			t.Error("a second later they still write")
		}
	})
}
