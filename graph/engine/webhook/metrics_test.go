package webhook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/endpointstat"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// figures registers an engine and returns a function that reads every metric once, by name and
// label values.
func figures(t *testing.T, e *webhook.Engine) func() map[string]float64 {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	if err := e.Register(reg); err != nil {
		t.Fatal(err)
	}
	if err := e.Register(reg); err == nil {
		t.Error("the metrics were registered twice")
	}
	return func() map[string]float64 {
		t.Helper()
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				var name strings.Builder
				name.WriteString(strings.TrimPrefix(f.GetName(), "storefront_webhook_"))
				for _, l := range m.GetLabel() {
					name.WriteString(" " + l.GetValue())
				}
				values[name.String()] = m.GetCounter().GetValue() + m.GetGauge().GetValue() +
					float64(m.GetHistogram().GetSampleCount())
			}
		}
		return values
	}
}

func TestFigures(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, m, p := open(t, s), new(moody), product{id: xid.New()}
		read := figures(t, shop.engine)
		r, gate := receive(t, m.answer), make(chan struct{})
		hanging := receive(t, func(receipt) int { <-gate; return 200 })
		shop.write(&p, 1, event.ProductUpdated, `{}`)
		at := micros.Now()
		if got := read(); got["outbox_lag_seconds"] <= 0 || got["outbox_lag_seconds"] > 60 ||
			got["attempts_total timeout"] != 0 || len(got) != 48 {
			t.Errorf("at rest: %v", got)
		}
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 4, event.ProductUpdated, `{}`)
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
		// It is counted after it is saved.
		until(t, "its count", func() bool { return read()["attempts_total server_error"] > 0 })
		m.well.Store(true)
		got := read()
		for name, want := range map[string]float64{
			"events_relayed_total": 5, "attempts_total server_error": 1, "attempts_total delivered": 0,
			"queue_depth": 4, "queues_leased": 1, "outbox_lag_seconds": 0, "endpoints_suspended": 0,
			"attempts_in_flight": 0, "leases_lost_total": 0,
		} {
			if got[name] != want {
				t.Errorf("%s = %v, want %v", name, got[name], want)
			}
		}
		if age := got["queue_oldest_seconds"]; age <= 0 || age > micros.Now().Time().Sub(at.Time()).Seconds() {
			t.Errorf("the oldest is %v s old", age)
		}
		shop.tx(func(ctx context.Context) error { _, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0]); return err })
		until(t, "the deliveries", func() bool { return r.accepted() == 4 })
		shop.turn(e, state.EndpointSuspended, shop.engine.Hold)
		shop.endpoint(hanging.URL, event.ProductUpdated)
		shop.change(&p)
		until(t, "an attempt in flight", func() bool { return read()["attempts_in_flight"] == 1 })
		until(t, "the counts", func() bool { return read()["attempts_total delivered"] == 4 })
		got = read()
		close(gate)
		if got["endpoints_suspended"] != 1 || got["queue_depth"] != 1 || got["acknowledged_seconds"] != 4 ||
			got["connections_total new"]+got["connections_total reused"] != 5 {
			t.Errorf("at last: %v", got)
		}
	})
}

// TestOverdue: the metric shows a due queue without an owner.
func TestOverdue(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		read := figures(t, shop.engine)
		shop.endpoint("https://example.com/", event.ProductUpdated)
		if got := read()["queue_overdue_seconds"]; got != 0 {
			t.Errorf("nothing is due, and the metric is %v", got)
		}
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).WebhookQueue.Update().SetDueAt(serverTime(t, s).Add(-time.Minute)).Exec(ctx)
		})
		if got := read()["queue_overdue_seconds"]; got < 59 || got > 90 {
			t.Errorf("due for a minute: %v", got)
		}
	})
}

func TestStats(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, m, p := open(t, s), new(moody), product{id: xid.New()}
		r := receive(t, m.answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		before := micros.Now()
		for _, well := range []bool{false, true} {
			m.well.Store(well)
			shop.engine.Start(t.Context())
			if !well {
				until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
			} else {
				shop.tx(func(ctx context.Context) error {
					_, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0])
					return err
				})
				r.exactly(t, 3)
			}
			stop(shop.engine) // writes the counts
			q := shop.queueOf(e)
			if q.LastError == nil || *q.LastError != "server_error: HTTP 500" {
				t.Errorf("last error %v", q.LastError)
			}
			if q.LastSuccessAt != nil != well ||
				well && (*q.LastSuccessAt < before || *q.LastSuccessAt > micros.Now()) {
				t.Errorf("last success %v", q.LastSuccessAt)
			}
		}
		var delivered, failed, sum, longest int64
		for _, slot := range s.DB(shop.ctx).EndpointStat.Query().Where(endpointstat.ID(e.ID)).AllX(shop.ctx) {
			if slot.Slot%micros.Time((5*time.Minute).Microseconds()) != 0 {
				t.Errorf("a slot begins at %v", slot.Slot)
			}
			delivered, failed, sum, longest = delivered+slot.Delivered, failed+slot.Failed, sum+slot.LatencySum,
				max(longest, slot.LatencyMax)
		}
		if delivered != 3 || failed != 1 || longest <= 0 || sum < longest || sum > 3*longest {
			t.Errorf("delivered %d, failed %d, latency %d of %d µs", delivered, failed, longest, sum)
		}
	})
}
