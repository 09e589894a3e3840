package outbox_test

import (
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/outbox"
)

// A revision changes with every event of its store, one that was committed behind newer ones
// too, and says nothing where it could not.
func TestRevision(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		other, stranger := storetest.Merchant(t, s)
		now := micros.Now()
		happens := func(ago time.Duration) {
			t.Helper()
			r := outbox.Resource{Store: store.ID, ID: xid.New(), Version: 1, Sequence: 1, At: now.Add(-ago)}
			if _, err := appendTo(t, ctx, s, r, outbox.Entry{Type: event.ProductCreated}); err != nil {
				t.Fatal(err)
			}
		}
		revision := func() uint64 {
			t.Helper()
			n, err := outbox.Revision(ctx, s.DB(ctx), s.Dialect(), store.ID)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := revision(); n != 0 {
			t.Errorf("a store without events has the revision %d", n)
		}
		seen := map[uint64]bool{0: true}
		for _, ago := range []time.Duration{time.Hour, time.Minute, 0, 30 * time.Second, 9 * time.Minute, time.Second} {
			happens(ago)
			n := revision()
			if seen[n] {
				t.Errorf("after an event of %v ago the revision is one of before", ago)
			}
			if seen[n] = true; revision() != n {
				t.Error("a revision changed by itself")
			}
		}
		before := revision()
		r := outbox.Resource{Store: stranger.ID, ID: xid.New(), Version: 1, Sequence: 1, At: now}
		if _, err := appendTo(t, other, s, r, outbox.Entry{Type: event.ProductCreated}); err != nil {
			t.Fatal(err)
		}
		if revision() != before {
			t.Error("the revision changed with another store's event")
		}
		for i := range 60 {
			happens(time.Duration(i+2) * time.Second)
		}
		if n := revision(); n != 0 {
			t.Errorf("a store with many events has the revision %d", n)
		}
	})
}
