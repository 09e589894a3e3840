package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

func TestPing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r := open(t, s), receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		log, err := shop.engine.Test(shop.ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		if log.State != state.DeliveryDelivered || log.Outcome != "delivered" || log.Status != 200 ||
			log.Attempts != 1 || log.Type != event.Ping || log.ResourceID != e.ID || log.Sequence != 1 ||
			webhook.SequenceOf(log.ID) != 1 || log.BeganAt == nil || log.AttemptID == nil {
			t.Errorf("logged: %+v", log)
		}
		if rows := shop.logged(e); len(rows) != 1 || rows[0].ID != log.ID || rows[0].SettledAt != log.SettledAt {
			t.Errorf("read back: %v", rows)
		}
		var body struct {
			Event    string `json:"event_id"`
			Type     string
			Sequence *int64
			Resource struct{ Type, ID string }
			Data     struct{ Object struct{ ID string } }
		}
		got := r.got[0]
		if err := json.Unmarshal(got.body, &body); err != nil {
			t.Fatal(err)
		}
		id := xid.WebhookEndpoint.Format(e.ID)
		if body.Type != "ping" || body.Sequence == nil || *body.Sequence != 0 || body.Resource.ID != id ||
			body.Resource.Type != "webhook_endpoint" || body.Data.Object.ID != id ||
			body.Event != xid.Event.Format(log.EventID) {
			t.Errorf("sent %s", got.body)
		}
		if !signed(t, e, e.Secret, got) || got.header.Get("X-Service-Event") != "ping" ||
			got.header.Get("X-Service-Delivery-Id") != xid.Delivery.Format(log.ID) {
			t.Errorf("sent %v", got.header)
		}
		if n := s.DB(shop.ctx).Event.Query().CountX(shop.ctx) + s.DB(shop.ctx).Outbox.Query().CountX(shop.ctx); n != 0 {
			t.Errorf("a test is in the event log")
		}
	})
}

func TestPingFails(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		for _, c := range []struct {
			url     string
			status  int
			outcome attempt.Outcome
		}{
			{receive(t, new(moody).answer).URL, 500, attempt.ServerError},
			{"http://169.254.169.254/latest", 0, attempt.AddressRefused},
		} {
			e := shop.endpoint(c.url, event.ProductUpdated)
			log, err := shop.engine.Test(shop.ctx, e)
			if err != nil {
				t.Fatal(err)
			}
			if log.State != state.DeliveryFailed || log.Outcome != string(c.outcome) || log.Status != c.status ||
				log.Attempts != 1 {
				t.Errorf("%s: %+v", c.url, log)
			}
			if refused := c.outcome == attempt.AddressRefused; refused != (log.Detail != nil && c.status == 0) {
				t.Errorf("%s: detail %v", c.url, log.Detail)
			}
			// A test does not count as a failure.
			if q := shop.queueOf(e); q.FailingSince != nil || q.Streak != 0 || q.LastError != nil ||
				len(shop.waiting(e)) != 0 {
				t.Errorf("%s: queue: %+v", c.url, q)
			}
		}
	})
}

// TestPingIsJudgedAsDeliveries: without the development switch, a loopback address is refused to a
// test too.
func TestPingObeysEgress(t *testing.T) {
	s := storetest.Open(t)
	shop := open(t, s, func(c *webhook.Config) { c.Egress = egress.Policy{} })
	r := receive(t, nil)
	log, err := shop.engine.Test(shop.ctx, shop.endpoint(r.URL, event.ProductUpdated))
	if err != nil || log.Outcome != string(attempt.AddressRefused) || r.attempts() != 0 {
		t.Errorf("got %+v, %v, %d attempts", log, err, r.attempts())
	}
}

// TestPingOfSuspended: a suspended endpoint can be tested before it is reactivated.
func TestPingOfSuspended(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r := open(t, s), receive(t, nil)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.turn(e, state.EndpointSuspended, shop.engine.Hold)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		log, err := shop.engine.Test(shop.ctx, e)
		if err != nil || log.State != state.DeliveryDelivered {
			t.Fatalf("got %+v, %v", log, err)
		}
		shop.relayed()
		if r.attempts() != 1 || len(shop.waiting(e)) != 0 {
			t.Errorf("%d attempts, %d wait", r.attempts(), len(shop.waiting(e)))
		}
	})
}

// TestPingAmongDeliveries: tests take sequences, which deliveries skip.
func TestPingAmongDeliveries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r, ps := open(t, s), receive(t, nil), products(3)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		pings := 0
		for round := range 30 {
			for i := range ps {
				shop.change(&ps[i])
			}
			if round%5 == 0 {
				if _, err := shop.engine.Test(shop.ctx, e); err != nil {
					t.Fatal(err)
				}
				pings++
			}
		}
		until(t, "all deliveries", func() bool { return r.accepted() == 90+pings })
		for _, p := range ps {
			got := r.sequences(p)
			for i, n := range got {
				if n != int64(i+1) {
					t.Fatalf("got %d", got)
				}
			}
			if len(got) != 30 {
				t.Errorf("%d of 30 came", len(got))
			}
		}
		if q := shop.queueOf(e); q.LastSequence != int64(90+pings) {
			t.Errorf("the sequence is at %d", q.LastSequence)
		}
	})
}

func TestPingWithoutAQueue(t *testing.T) {
	s := storetest.Open(t)
	shop := open(t, s)
	e := shop.endpoint("https://example.com/", event.ProductUpdated)
	other := open(t, s) // another store
	if _, err := other.engine.Test(other.ctx, e); !errors.Is(err, webhook.ErrNoQueue) {
		t.Errorf("got %v", err)
	}
	for name, act := range map[string]func(context.Context, xid.ID) error{
		"Hold": other.engine.Hold, "Resume": other.engine.Resume, "Cancel": other.engine.Cancel,
		"Changed": other.engine.SettingsChanged,
	} {
		err := s.InTx(other.ctx, func(ctx context.Context) error { return act(ctx, e.ID) })
		if !errors.Is(err, webhook.ErrNoQueue) {
			t.Errorf("%s from another store: got %v", name, err)
		}
	}
}
