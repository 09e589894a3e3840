package webhook_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// Each attempt redacts the body again, even if it has been in memory since an earlier attempt.
func TestRedactAtEachAttempt(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var gone atomic.Bool
		r := receive(t, func(receipt) int {
			if gone.Swap(true) {
				return 200
			}
			return 500
		})
		shop := open(t, s, func(c *webhook.Config) {
			c.RedactEvent = func(store xid.ID, kind event.Type, body []byte) ([]byte, error) {
				if gone.Load() && !store.IsNil() && kind == event.ProductUpdated {
					return bytes.ReplaceAll(body, []byte(`{"id":"x"}`), []byte(`{"id":null}`)), nil
				}
				return body, nil
			}
		})
		e, p := shop.endpoint(r.URL, event.ProductUpdated), product{id: xid.New()}
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "both attempts", func() bool { return len(shop.logged(e)) == 1 })
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.got) != 2 || !bytes.Contains(r.got[0].body, []byte(`{"id":"x"}`)) ||
			!bytes.Contains(r.got[1].body, []byte(`{"id":null}`)) {
			t.Errorf("received %v", r.got)
		}
	})
}
