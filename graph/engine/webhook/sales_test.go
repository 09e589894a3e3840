package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// sells writes events of an order.
func (s *shop) sells(id xid.ID, types ...event.Type) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		var list []outbox.Entry
		for _, kind := range types {
			list = append(list, outbox.Entry{Type: kind, Object: []byte("{}")})
		}
		n := int64(len(types))
		return outbox.Append(ctx, s.s.DB(ctx), outbox.Resource{Store: s.store, ID: id, Version: n, Sequence: n,
			At: micros.Now()}, list...)
	})
}

// The transaction that takes an event out of the outbox marks the sales sums that it changes. If
// the order is unknown, all sums of the store are recomputed.
func TestRelayNotesSales(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, other := open(t, s), open(t, s)
		shop.endpoints(1, "http://receiver.example/")
		if err := rollup.NewKeeper(s).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		noted := func(want ...xid.ID) {
			t.Helper()
			got := s.DB(shop.ctx).SalesPending.Query().IDsX(shop.ctx)
			if !slices.Equal(got, want) || s.DB(other.ctx).SalesPending.Query().CountX(other.ctx) != 0 {
				t.Errorf("%v are pending, want %v", got, want)
			}
		}
		walked := func(want bool) {
			t.Helper()
			if got := s.DB(shop.ctx).SalesWalk.Query().OnlyX(shop.ctx).Done; got != want {
				t.Errorf("the walk is done: %v, want %v", got, want)
			}
			if !s.DB(other.ctx).SalesWalk.Query().OnlyX(other.ctx).Done {
				t.Error("another store is recomputed")
			}
		}
		const quarter = micros.Time(900e6)
		long := micros.Now() - 400*quarter
		first, second := long-long%quarter, long-long%quarter+quarter
		r := webhook.NewRelay(shop.engine)
		shop.sells(xid.At(second), event.OrderPaid, event.OrderRefunded, event.OrderUpdated, event.OrderCompleted)
		dealAll(t, r)
		noted()
		shop.sells(xid.At(second+1), event.OrderCreated, event.OrderPaid)
		shop.sells(xid.At(second+2), event.OrderCreated)
		shop.sells(xid.At(first), event.OrderCancelled)
		allow := refuseIn(t, s, "sales_pendings", "1 = 1")
		if round(t, r); len(shop.pending()) != 4 {
			t.Errorf("%d of 4 events are in the outbox, and the others were not noted", len(shop.pending()))
		}
		allow()
		dealAll(t, r)
		noted(xid.First(first), xid.First(second))
		walked(true)

		shop.change(&product{id: xid.New()})
		bad := shop.pending()[0]
		allow = refuse(t, s, fmt.Sprintf("NEW.event_id = x'%x'", bad[:]))
		dealAll(t, r)
		allow()
		if len(shop.asides()) != 1 {
			t.Fatal("nothing was set aside")
		}
		walked(false)
		if err := rollup.NewKeeper(s).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		walked(true)
		shop.tx(func(ctx context.Context) error { // an event that is gone
			return s.DB(ctx).Outbox.Create().SetBucket(bucket.Of(shop.store)).Exec(ctx)
		})
		dealAll(t, r)
		walked(false)
	})
}
