package webhook_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// set changes the row of an endpoint's queue.
func (s *shop) set(id xid.ID, change func(*db.WebhookQueueUpdate)) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		u := s.s.DB(ctx).WebhookQueue.Update().Where(webhookqueue.ID(id))
		change(u)
		return u.Exec(ctx)
	})
}

// breach is a violation without its time.
type breach struct {
	rule webhook.Rule
	row  string
}

// inspect makes an inspection without a pause between its two passes.
func (s *shop) inspect() (list []breach) {
	s.t.Helper()
	found, err := s.engine.InspectTwice(s.t.Context(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, b := range found {
		if b.Store != s.store || b.Found == "" {
			s.t.Errorf("%+v", b)
		}
		list = append(list, breach{b.Rule, b.Row})
	}
	return list
}

func TestInspect(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		ids := shop.endpoints(300, "http://receiver.example/")
		p := product{id: xid.New()}
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		shop.change(&product{id: xid.New()})
		dealAll(t, webhook.NewRelay(shop.engine))
		now := serverTime(t, s)
		long, never := now.Add(-webhook.Overdue-time.Second), micros.Max
		for _, id := range ids { // as during the wait for the first one's next attempt
			shop.set(id, func(u *db.WebhookQueueUpdate) { u.SetDueAt(now.Add(time.Hour)).SetFailedThrough(4) })
		}
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).Delivery.Update().Where(delivery.SequenceIn(1, 4)).SetAttempts(1).Exec(ctx)
		})
		if got := shop.inspect(); len(got) != 0 {
			t.Fatalf("got violations without any: %v", got)
		}
		row := func(i int) string { return xid.WebhookEndpoint.Format(ids[i]) }
		shop.set(ids[1], func(u *db.WebhookQueueUpdate) { u.SetDueAt(long) })
		shop.set(ids[2], func(u *db.WebhookQueueUpdate) { u.SetLeaseOwner(xid.New()).SetLeaseUntil(long) })
		shop.set(ids[3], func(u *db.WebhookQueueUpdate) { u.SetDueAt(never) })
		shop.set(ids[4], func(u *db.WebhookQueueUpdate) { u.SetLastSequence(3) })
		shop.set(ids[5], func(u *db.WebhookQueueUpdate) { u.SetFloorSequence(5) })
		shop.set(ids[299], func(u *db.WebhookQueueUpdate) { u.SetDueAt(long) }) // on another page
		// Rows that violate nothing: held, owned, empty.
		shop.set(ids[6], func(u *db.WebhookQueueUpdate) { u.SetDueAt(never) })
		shop.set(ids[7], func(u *db.WebhookQueueUpdate) {
			u.SetDueAt(long).SetLeaseOwner(xid.New()).SetLeaseUntil(now.Add(5 * time.Second))
		})
		shop.set(ids[8], func(u *db.WebhookQueueUpdate) { u.SetDueAt(never).SetFloorSequence(4) })
		held := s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, ids[6])
		shop.turn(held, state.EndpointDisabled, func(context.Context, xid.ID) error { return nil })
		shop.tx(func(ctx context.Context) error {
			c := s.DB(ctx)
			if _, err := c.WebhookQueue.Delete().Where(webhookqueue.ID(ids[9])).Exec(ctx); err != nil {
				return err
			}
			return c.Delivery.Update().Where(delivery.EndpointID(ids[10]), delivery.Sequence(2)).SetAttempts(1).
				Exec(ctx)
		})
		old, fresh, aside := xid.At(long), xid.New(), xid.New()
		shop.tx(func(ctx context.Context) error {
			c := s.DB(ctx)
			for _, id := range []xid.ID{old, fresh} {
				if err := c.Outbox.Create().SetID(id).SetBucket(3).Exec(ctx); err != nil {
					return err
				}
			}
			return c.OutboxFailure.Create().SetID(aside).SetFailedAt(now).SetDetail("refused").Exec(ctx)
		})
		want := []breach{
			{webhook.EventSetAside, xid.Event.Format(aside)}, {webhook.EventOverdue, xid.Event.Format(old)},
			{webhook.QueueOverdue, row(1)}, {webhook.LeaseEnded, row(2)}, {webhook.QueueNotDue, row(3)},
			{webhook.CounterBehind, row(4)}, {webhook.CounterBehind, row(5)}, {webhook.NoQueue, row(9)},
			{webhook.OutOfOrder, row(10)}, {webhook.QueueOverdue, row(299)},
		}
		if got := shop.inspect(); !slices.Equal(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	})
}

// TestInspectUnderLoad: rows that are being worked on are left out.
func TestInspectUnderLoad(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		well, ill := receive(t, nil), receive(t, func(g receipt) int { return 200 + 300*int(g.Sequence%2) })
		shop.endpoint(well.URL, event.ProductUpdated)
		shop.endpoint(ill.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		ps := products(5)
		for range 20 {
			for i := range ps {
				shop.change(&ps[i])
			}
			if got := shop.inspect(); len(got) != 0 {
				t.Fatalf("%v", got)
			}
		}
		until(t, "the deliveries", func() bool { return well.accepted() == 100 })
	})
}

// TestInspectLooksTwice: violations that were repaired between the two passes are left out.
func TestInspectLooksTwice(t *testing.T) {
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		looks, repair := 0, func() {}
		s := opened(func(q ent.Statement) {
			if !q.InTx && strings.HasPrefix(q.Query, "SELECT store_id, id, failed_at") {
				if looks++; looks == 2 {
					repair()
				}
			}
		})
		shop := open(t, s)
		ids := shop.endpoints(2, "http://receiver.example/")
		long := serverTime(t, s).Add(-time.Minute)
		for _, id := range ids {
			shop.set(id, func(u *db.WebhookQueueUpdate) { u.SetDueAt(long) })
		}
		looks = 0
		repair = func() {
			shop.set(ids[0], func(u *db.WebhookQueueUpdate) { u.SetLeaseToken(1) })
		}
		want := []breach{{webhook.QueueOverdue, xid.WebhookEndpoint.Format(ids[1])}}
		if got := shop.inspect(); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}
