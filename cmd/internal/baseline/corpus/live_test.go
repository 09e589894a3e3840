package corpus_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
)

var created = []event.Type{event.ProductCreated}

// A stream writes an event for each store of the endpoints that were registered
// last, and ends whole.
func TestHooksStream(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		h := newHooks(t, s)
		for from := range 2 {
			if err := h.Register(t.Context(), corpus.Spread{From: from, Stores: 1 + from, Each: 1, Types: created},
				address); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- h.Stream(ctx, 500) }()
		for {
			got, err := h.Left(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got.Outbox >= 6 {
				break
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		got, err := h.Left(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		counts(t, s, map[string]int{"webhook_endpoints": 3, "events": got.Outbox, "(SELECT 1 FROM events e" +
			" JOIN webhook_endpoints w ON w.store_id = e.store_id AND w.events = e.type) d": got.Outbox,
			"(SELECT resource_id FROM events GROUP BY resource_id) r": got.Outbox,
			"(SELECT store_id FROM events GROUP BY store_id) s":       2})
	})
}

// Deliveries that are held are numbered, and are due once they are let go.
func TestHooksHold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		h := newHooks(t, s)
		spread := corpus.Spread{From: 1, Stores: 2, Each: 1, Types: created}
		if err := h.Register(t.Context(), spread, address); err != nil {
			t.Fatal(err)
		}
		if err := h.Hold(t.Context(), 20); err != nil {
			t.Fatal(err)
		}
		const due = "webhook_queues WHERE due_at = 0"
		counts(t, s, map[string]int{"outbox": 0, due: 0, "webhook_queues WHERE last_sequence = 10": 2,
			"(SELECT 1 FROM deliveries d JOIN webhook_queues q ON q.store_id = d.store_id AND q.id = d.endpoint_id" +
				" JOIN events e ON e.store_id = d.store_id AND e.id = d.event_id" +
				" AND e.resource_id = d.resource_id WHERE d.sequence BETWEEN 1 AND 10) d": 20})
		if err := h.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		counts(t, s, map[string]int{due: 2})
		spread.Each = 2
		if err := h.Register(t.Context(), spread, address); err != nil {
			t.Fatal(err)
		}
		if err := h.Hold(t.Context(), 20); err == nil {
			t.Error("deliveries of two endpoints of a store are held")
		}
	})
}
