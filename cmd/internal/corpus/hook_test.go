package corpus_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// newHooks creates three stores without endpoints.
func newHooks(t *testing.T, s *ent.Store) *corpus.Hooks {
	t.Helper()
	c, err := corpus.Fill(t.Context(), s, corpus.Size{Orders: 300, Stores: 3, Share: 60, Products: 10})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Parse(strings.Repeat("s", keyring.MinSecret))
	if err != nil {
		t.Fatal(err)
	}
	h, err := corpus.NewHooks(s, c, webhook.NewVault(ring))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func address(i int) string { return "http://127.0.0.1/" + strconv.Itoa(i) }

func TestHooks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		h := newHooks(t, s)
		spread := corpus.Spread{Stores: 2, Each: 4, Types: []event.Type{event.OrderPaid, event.OrderRefunded}}
		if err := h.Register(t.Context(), spread, address); err != nil {
			t.Fatal(err)
		}
		made, err := h.Backlog(t.Context(), 99)
		if err != nil || made != 100 {
			t.Fatalf("made %d deliveries, %v, want 100", made, err)
		}
		counts(t, s, map[string]int{"webhook_endpoints": 8, "webhook_queues": 8, "events": 50, "outbox": 50,
			"events WHERE LENGTH(body) = 1024": 50, "events WHERE sequence = 2": 10,
			"(SELECT resource_id FROM events GROUP BY resource_id) r": 40,
			"(SELECT e.id FROM webhook_endpoints e JOIN events v ON v.type = " +
				"e.events) d": 200}) // with those of the other store
		if got, err := h.Left(t.Context()); err != nil || got != (corpus.Left{Outbox: 50}) {
			t.Errorf("left %+v, %v", got, err)
		}
		if settled, err := h.Settled(t.Context()); err != nil || !settled {
			t.Errorf("settled: %v, %v", settled, err)
		}
		if err := h.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		counts(t, s, map[string]int{"webhook_endpoints": 0, "events": 0, "outbox": 0, "stores": 3})
		spread.Each = 3
		if err := h.Register(t.Context(), spread, address); err == nil {
			t.Error("three endpoints share two types")
		}
	})
}

// counts compares how many rows tables have.
func counts(t *testing.T, s *ent.Store, want map[string]int) {
	t.Helper()
	for table, n := range want {
		var got int
		if err := s.Raw().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&got); err != nil ||
			got != n {
			t.Errorf("%s: got %d rows, %v, want %d", table, got, err, n)
		}
	}
}
