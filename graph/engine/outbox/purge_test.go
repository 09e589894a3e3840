package outbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// events writes n events of a given age.
func events(ctx context.Context, t *testing.T, s *ent.Store, n int, age time.Duration) {
	t.Helper()
	at := micros.Now().Add(-age)
	err := s.InTx(ctx, func(ctx context.Context) error {
		for range n {
			at++
			_, err := s.DB(ctx).Event.Create().SetID(xid.At(at)).SetType(event.ProductCreated).
				SetResourceType("product").SetResourceID(xid.New()).SetSequence(1).SetBody([]byte("{}")).Save(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("write events: %v", err)
	}
}

// setAside records that an event of a given age could not be relayed.
func setAside(ctx context.Context, t *testing.T, s *ent.Store, age time.Duration) {
	t.Helper()
	at := micros.Now().Add(-age)
	err := s.InTx(ctx, func(ctx context.Context) error {
		return s.DB(ctx).OutboxFailure.Create().SetID(xid.At(at)).SetFailedAt(at).SetDetail("refused").Exec(ctx)
	})
	if err != nil {
		t.Fatalf("set an event aside: %v", err)
	}
}

func TestPurge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		const day = 24 * time.Hour
		first, _ := storetest.Merchant(t, s)
		events(first, t, s, 200, 31*day) // more than two batches
		events(first, t, s, 3, 29*day)
		second, _ := storetest.Merchant(t, s)
		events(second, t, s, 2, 40*day)
		events(second, t, s, 1, 0)
		for _, age := range []time.Duration{31 * day, day} {
			setAside(second, t, s, age)
		}

		n, err := outbox.Purge(t.Context(), s)
		if err != nil || n != 202 {
			t.Fatalf("Purge = %d, %v; want 202", n, err)
		}
		if n := s.DB(second).OutboxFailure.Query().CountX(second); n != 1 {
			t.Errorf("%d failed events are left, want 1", n)
		}
		for ctx, want := range map[context.Context]int{first: 3, second: 1} {
			if got, err := s.DB(ctx).Event.Query().Count(ctx); err != nil || got != want {
				t.Errorf("%d events are left, %v; want %d", got, err, want)
			}
		}
		if n, err := outbox.Purge(t.Context(), s); err != nil || n != 0 {
			t.Errorf("a second Purge = %d, %v; want 0", n, err)
		}
	})
}
