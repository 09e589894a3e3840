package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// journal collects log lines in JSON.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

// keep sets an engine's logger.
func (j *journal) keep(level slog.Level) func(*webhook.Config) {
	return func(c *webhook.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: level}))
	}
}

// lines returns the lines with a message.
func (j *journal) lines(t *testing.T, message string) (list []map[string]any) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.buf.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m["msg"] == message {
			list = append(list, m)
		}
	}
	return list
}

// An endpoint of thin messages gets the same events as others, signed, without their data. Its ping has
// none either.
func TestThin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, thin, full := open(t, s), receive(t, nil), receive(t, nil)
		e := shop.endpoint(thin.URL, event.ProductUpdated)
		shop.endpoint(full.URL, event.ProductUpdated)
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).
				SetPayload(state.PayloadThin).Exec(ctx)
		})
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		thin.exactly(t, 1)
		full.exactly(t, 1)
		got := thin.got[0]
		want, err := wire.ThinEvent(full.got[0].body)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got.body)); d != "" || bytes.Equal(got.body, full.got[0].body) {
			t.Error(d)
		}
		if !signed(t, e, e.Secret, got) {
			t.Errorf("sent %v", got.header)
		}
		e.Payload = state.PayloadThin
		if _, err := shop.engine.Test(shop.ctx, e); err != nil {
			t.Fatal(err)
		}
		thin.exactly(t, 2)
		if ping := string(thin.got[1].body); !strings.Contains(ping, `"data":null,"payload_omitted":true`) {
			t.Errorf("pinged with %s", ping)
		}
	})
}

// An endpoint with a selection gets the selected fields of the stored body: again in each attempt, the
// same bytes. A change of the selection applies to what waits.
func TestSelection(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var failed atomic.Bool
		shop := open(t, s)
		r := receive(t, func(receipt) int {
			if failed.Swap(true) {
				return 200
			}
			return 500
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		choose := func(text string) {
			shop.tx(func(ctx context.Context) error {
				err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetSelection(text).Exec(ctx)
				return errors.Join(err, shop.engine.SettingsChanged(ctx, e.ID))
			})
		}
		choose("{ ... on Product { name: id __typename } }")
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "the delivery", func() bool { return len(shop.logged(e)) == 1 })
		choose("{ ... on Product { secret } }")           // not understood
		until(t, "a delivery without data", func() bool { // the queue's owner reads the change when it wakes
			shop.change(&product{id: xid.New()})
			return strings.Contains(r.last(), `"data":null`)
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		first := r.got[0]
		const want = `"data":{"object":{"name":"x","__typename":"Product"}},"payload_omitted":false}`
		if !strings.HasSuffix(string(first.body), want) || !bytes.Equal(first.body, r.got[1].body) {
			t.Errorf("sent %s, then %s", first.body, r.got[1].body)
		}
		if !signed(t, e, e.Secret, first) || !signed(t, e, e.Secret, r.got[1]) {
			t.Errorf("sent %v", first.header)
		}
		e.Selection = new("{ ... on Product { id } }")
		r.mu.Unlock()
		_, err := shop.engine.Test(shop.ctx, e)
		r.mu.Lock()
		if ping := string(r.got[len(r.got)-1].body); err != nil || !strings.Contains(ping, `"data":null`) {
			t.Errorf("pinged with %s, %v", ping, err)
		}
	})
}

// A panic in one attempt fails that attempt, which is tried again. The others and the process go
// on.
func TestPanicEndsOneAttempt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var broken atomic.Bool
		broken.Store(true)
		log := new(journal)
		shop := open(t, s, log.keep(slog.LevelInfo), granting(func() scope.Set {
			if broken.Load() {
				panic("no luck")
			}
			return scope.Of(scope.ProductsRead)
		}))
		read := figures(t, shop.engine)
		its, others := receive(t, nil), receive(t, nil)
		e := shop.endpointOf(xid.New(), its.URL, event.ProductUpdated)
		shop.endpoint(others.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		others.exactly(t, 1)
		until(t, "the failure",
			func() bool { w := shop.waiting(e); return len(w) == 1 && w[0].Tries == 1 && w[0].DueAt > 0 })
		if got := read(); got["panics_total"] != 1 {
			t.Errorf("%v panics are counted", got["panics_total"])
		}
		if a := s.DB(shop.ctx).Attempt.Query().OnlyX(shop.ctx); a.Outcome != "internal_error" || a.NextAt == nil {
			t.Errorf("the attempt's row: %+v", a)
		}
		if l := log.lines(t, "background work panicked"); len(l) != 1 ||
			!strings.Contains(l[0]["stack"].(string), "webhook") {
			t.Errorf("logged: %v", l)
		}
		broken.Store(false)
		shop.now(shop.waiting(e)[0])
		its.exactly(t, 1)
	})
}

// now makes a waiting delivery due.
func (s *shop) now(d *db.Delivery) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error { _, err := s.engine.RetryNow(ctx, d); return err })
}

// Each failed attempt is logged in one line with all details; at debug level every attempt is.
func TestAttemptLeavesALine(t *testing.T) {
	for level, want := range map[slog.Level][]string{
		slog.LevelInfo: {"server_error"}, slog.LevelDebug: {"server_error", "delivered"},
	} {
		t.Run(level.String(), func(t *testing.T) {
			log, m, s := new(journal), new(moody), storetest.Open(t)
			shop := open(t, s, log.keep(level))
			r := receive(t, m.answer)
			e := shop.endpoint(r.URL, event.ProductUpdated)
			shop.engine.Start(t.Context())
			shop.change(&product{id: xid.New()})
			until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 1 && w[0].Tries == 1 })
			m.well.Store(true)
			d := shop.waiting(e)[0]
			shop.now(d)
			until(t, "the delivery", func() bool { return len(shop.logged(e)) == 1 })
			stop(shop.engine)
			lines := log.lines(t, "webhook attempt")
			if len(lines) != len(want) {
				t.Fatalf("%d lines, want %d: %v", len(lines), len(want), lines)
			}
			for i, l := range lines {
				if l["outcome"] != want[i] || l["endpoint"] != xid.WebhookEndpoint.Format(e.ID) ||
					l["event"] != xid.Event.Format(d.EventID) || l["delivery"] != xid.Delivery.Format(d.ID) ||
					l["attempt"] != float64(i+1) || l["bytes"].(float64) < 100 ||
					l["duration"].(float64) <= 0 || l["began_at"] == nil || (l["next_at"] == nil) != (i == 1) ||
					l["status"] == 0 {
					t.Errorf("line %d: %v", i, l)
				}
			}
		})
	}
}
