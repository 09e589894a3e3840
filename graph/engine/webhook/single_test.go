package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/attempt"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// The tests below change single deliveries through an engine that is not started, while another
// process owns the queue.

// owned returns a shop whose engine is not started, and another engine that runs.
func owned(t *testing.T, s *ent.Store) (*shop, *webhook.Engine) {
	t.Helper()
	owner := engine(t, s)
	owner.Start(t.Context())
	return open(t, s), owner
}

// soon fails the test if something took too long: a retry would be due seconds later, and the owner
// renews its lease every two seconds.
func soon(t *testing.T, since time.Time) {
	t.Helper()
	if took := time.Since(since); took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

func TestHurry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		m, p := new(moody), product{id: xid.New()}
		r := receive(t, m.answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 2, event.ProductUpdated, `{}`)
		until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 2 && w[0].Tries == 1 })
		m.well.Store(true)
		since, first := time.Now(), shop.waiting(e)[0]
		hurry := func(d *db.Delivery) (ok bool) {
			shop.tx(func(ctx context.Context) (err error) {
				ok, err = shop.engine.RetryNow(ctx, d)
				return err
			})
			return ok
		}
		if !hurry(first) {
			t.Error("a waiting delivery could not be hurried")
		}
		r.exactly(t, 2)
		soon(t, since)
		until(t, "both to be logged", func() bool { return len(shop.logged(e)) == 2 })
		if l := shop.logged(e)[0]; l.Attempts != 2 || l.State != state.DeliveryDelivered {
			t.Errorf("logged: %+v", l)
		}
		if hurry(first) {
			t.Error("a delivery that has ended was hurried")
		}
	})
}

// TestHurryOfAnOldView: a delivery that was tried since it was read is left alone.
func TestHurryOfAnOldView(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		e := shop.endpoint(receive(t, new(moody).answer).URL, event.ProductUpdated)
		shop.change(&product{id: xid.New()})
		until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 1 && w[0].Tries == 1 })
		old := *shop.waiting(e)[0]
		old.Attempts--
		shop.tx(func(ctx context.Context) error {
			if ok, err := shop.engine.RetryNow(ctx, &old); ok || err != nil {
				t.Errorf("got %v, %v", ok, err)
			}
			return nil
		})
	})
}

func TestResend(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		r, p := receive(t, nil), product{id: xid.New()}
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 2, event.ProductUpdated, `{}`)
		until(t, "two deliveries", func() bool { return len(shop.logged(e)) == 2 })
		ended, since := shop.logged(e)[0], time.Now()
		var again *db.Delivery
		shop.tx(func(ctx context.Context) (err error) {
			again, err = shop.engine.Resend(ctx, e.ID, ended.EventID, ended.ResourceID)
			return err
		})
		until(t, "the third", func() bool { return len(shop.logged(e)) == 3 })
		soon(t, since)
		l := shop.logged(e)[2]
		if again.ID == ended.ID || l.ID != again.ID || l.EventID != ended.EventID || l.Sequence != 3 ||
			webhook.SequenceOf(l.ID) != 3 {
			t.Errorf("logged: %+v", l)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		first, last := r.got[0], r.got[2]
		if !bytes.Equal(first.body, last.body) ||
			last.header.Get("X-Service-Delivery-Id") != xid.Delivery.Format(again.ID) ||
			last.header.Get("Webhook-Id") != first.header.Get("Webhook-Id") ||
			last.header.Get("X-Service-Attempt") != "1" {
			t.Errorf("sent again: %v", last.header)
		}
	})
}

func TestSkip(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		p := product{id: xid.New()}
		r := receive(t, func(g receipt) int {
			if g.Sequence == 1 {
				return 500
			}
			return 200
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.write(&p, 3, event.ProductUpdated, `{}`)
		until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 3 && w[0].Tries == 1 })
		since, head := time.Now(), shop.waiting(e)[0]
		skip := func() (ok bool) {
			shop.tx(func(ctx context.Context) (err error) {
				ok, err = shop.engine.SkipOne(ctx, head)
				return err
			})
			return ok
		}
		if !skip() || skip() {
			t.Error("a delivery was skipped twice")
		}
		until(t, "the rest", func() bool { return len(shop.logged(e)) == 3 })
		soon(t, since)
		if got := r.sequences(p); !slices.Equal(got, []int64{2, 3}) {
			t.Errorf("got %d", got)
		}
		l := shop.logged(e)[0]
		if l.State != state.DeliverySkipped || l.Outcome != webhook.OutcomeSkipped || l.Attempts != 1 ||
			l.ID != head.ID || l.Type != event.ProductUpdated {
			t.Errorf("logged: %+v", l)
		}
	})
}

// TestSkipEndsTheIncident: a skipped delivery no longer counts as failing, even if nothing was
// delivered since.
func TestSkipEndsTheIncident(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		e, ps := shop.endpoint(receive(t, new(moody).answer).URL, event.ProductUpdated), products(2)
		for i := range ps {
			shop.change(&ps[i])
			until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == i+1 && w[i].Tries == 1 })
		}
		for _, d := range shop.waiting(e) {
			until(t, "the oldest failure", func() bool {
				since := shop.queueOf(e).FailingSince
				return since != nil && *since == d.FirstAt
			})
			shop.tx(func(ctx context.Context) error { _, err := shop.engine.SkipOne(ctx, d); return err })
		}
		if since := shop.queueOf(e).FailingSince; since != nil {
			t.Errorf("failing since %v, and nothing fails", since)
		}
	})
}

// TestSkipInFlight: the attempt of a delivery that a person has just ended is logged, whatever its
// outcome, and changes nothing.
func TestSkipInFlight(t *testing.T) {
	for _, status := range []int{200, 500} {
		storetest.Each(t, func(t *testing.T, s *ent.Store) {
			shop, owner := owned(t, s)
			p, gate := product{id: xid.New()}, make(chan struct{})
			var began atomic.Int32
			r := receive(t, func(g receipt) int {
				if began.Add(1); g.Sequence > 1 {
					return 200
				}
				<-gate
				return status
			})
			e := shop.endpoint(r.URL, event.ProductUpdated)
			shop.write(&p, 2, event.ProductUpdated, `{}`)
			until(t, "an attempt in flight", func() bool { return began.Load() == 1 })
			head := shop.waiting(e)[0]
			shop.tx(func(ctx context.Context) error { _, err := shop.engine.SkipOne(ctx, head); return err })
			close(gate)
			until(t, "the next one", func() bool { return len(shop.logged(e)) == 2 })
			stop(owner)
			if l := shop.logged(e)[0]; l.State != state.DeliverySkipped || l.Attempts != 0 {
				t.Errorf("%d: logged: %+v", status, l)
			}
			rows := s.DB(shop.ctx).Attempt.Query().Where(attempt.Sequence(head.Sequence)).AllX(shop.ctx)
			if len(rows) != 1 || rows[0].Number != 1 || rows[0].Status != status {
				t.Errorf("%d: attempts: %v", status, rows)
			}
			if q := shop.queueOf(e); len(shop.waiting(e)) != 0 || q.FailingSince != nil {
				t.Errorf("%d: failing since %v", status, q.FailingSince)
			}
		})
	}
}

// TestLastDetailIsLogged: the detail of the attempt that ended a delivery is kept in the log.
func TestLastDetailIsLogged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s, func(c *webhook.Config) { c.SuspendOnSilence = true })
		e := shop.endpoint("http://169.254.169.254/", event.ProductUpdated)
		shop.change(&product{id: xid.New()})
		shop.engine.Start(t.Context())
		until(t, "a failure", func() bool { return shop.queueOf(e).Streak == 1 })
		stop(shop.engine)
		shop.tx(func(ctx context.Context) error {
			c, long := s.DB(ctx), micros.Now().Add(-schedule.Window)
			if err := c.Delivery.Update().SetFirstAt(long).SetDueAt(long).Exec(ctx); err != nil {
				return err
			}
			return c.WebhookQueue.Update().SetLastSuccessAt(micros.Now()).SetDueAt(0).Exec(ctx)
		})
		shop.engine.Start(t.Context())
		until(t, "the end", func() bool { return len(shop.logged(e)) == 1 })
		if l := shop.logged(e)[0]; l.State != state.DeliveryFailed || l.Attempts != 2 || l.Detail == nil ||
			*l.Detail == "" {
			t.Errorf("logged: %+v", l)
		}
	})
}

// signed reports whether a receipt has a signature by a sealed secret.
func signed(t *testing.T, e *db.WebhookEndpoint, sealed []byte, g receipt) bool {
	t.Helper()
	secret, err := vault.Open(e.ID, sealed)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(g.header.Get("X-Service-Timestamp") + "."))
	mac.Write(g.body)
	return g.header.Get("X-Service-Signature") == hex.EncodeToString(mac.Sum(nil))
}

func TestChanged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		p, before, after := product{id: xid.New()}, receive(t, new(moody).answer), receive(t, nil)
		e := shop.endpoint(before.URL, event.ProductUpdated)
		shop.change(&p)
		until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 1 && w[0].Tries == 1 })
		next, since := vault.Seal(e.ID, webhook.NewSecret()), time.Now()
		shop.tx(func(ctx context.Context) error {
			_, err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetURL(after.URL).
				SetSecret(next).Save(ctx)
			if err != nil {
				return err
			}
			if err := shop.engine.SettingsChanged(ctx, e.ID); err != nil {
				return err
			}
			_, err = shop.engine.RetryNow(ctx, shop.waiting(e)[0])
			return err
		})
		after.exactly(t, 1)
		soon(t, since)
		if n := before.attempts(); n != 1 {
			t.Errorf("%d attempts at the old address", n)
		}
		if !signed(t, e, e.Secret, before.got[0]) || !signed(t, e, next, after.got[0]) ||
			signed(t, e, e.Secret, after.got[0]) {
			t.Error("wrong signatures")
		}
	})
}

// TestSecondSecretTakesOver: the second secret is promoted 24 h after it was issued, without a
// request.
func TestSecondSecretTakesOver(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, _ := owned(t, s)
		r, p := receive(t, nil), product{id: xid.New()}
		e := shop.endpoint(r.URL, event.ProductUpdated)
		next := vault.Seal(e.ID, webhook.NewSecret())
		issued := func(at micros.Time, act func(context.Context, xid.ID) error) {
			shop.tx(func(ctx context.Context) error {
				_, err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).
					SetNextSecret(next).SetNextSecretHint("next").SetNextSecretAt(at).Save(ctx)
				if err != nil {
					return err
				}
				return act(ctx, e.ID)
			})
		}
		issued(micros.Now(), shop.engine.SettingsChanged)
		shop.change(&p)
		r.exactly(t, 1)
		got := r.got[0]
		if !signed(t, e, e.Secret, got) || strings.Count(got.header.Get("Webhook-Signature"), "v1,") != 2 {
			t.Errorf("before: %v", got.header)
		}
		issued(micros.Now().Add(-24*time.Hour), func(context.Context, xid.ID) error { return nil })
		until(t, "the second secret", func() bool {
			n := r.accepted()
			shop.change(&p)
			until(t, "one more", func() bool { return r.accepted() > n })
			r.mu.Lock()
			defer r.mu.Unlock()
			got = r.got[len(r.got)-1]
			return signed(t, e, next, got)
		})
		if strings.Count(got.header.Get("Webhook-Signature"), "v1,") != 1 {
			t.Errorf("after: %v", got.header)
		}
	})
}

// TestLargeBodies: large bodies are not kept in memory with their rows, and arrive complete all the
// same, also on a retry.
func TestLargeBodies(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, m := open(t, s), new(moody)
		r := receive(t, m.answer)
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		for i, size := range []int{16 << 10, 17 << 10, outbox.MaxBody - 1024} {
			m.well.Store(false)
			p, n := product{id: xid.New()}, r.attempts()
			shop.write(&p, 1, event.ProductUpdated, `"`+strings.Repeat("x", size)+`"`)
			until(t, "a failure", func() bool { w := shop.waiting(e); return len(w) == 1 && w[0].Tries == 1 })
			m.well.Store(true)
			shop.tx(func(ctx context.Context) error {
				_, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0])
				return err
			})
			until(t, "the delivery", func() bool { return len(shop.logged(e)) == i+1 })
			stored := s.DB(shop.ctx).Event.Query().Order(db.Desc("id")).FirstX(shop.ctx).Body
			for _, g := range r.got[n:] {
				if !bytes.Equal(g.body, stored) || len(g.body) < size {
					t.Errorf("%d of %d bytes arrived", len(g.body), len(stored))
				}
			}
			if r.attempts() != n+2 {
				t.Errorf("%d attempts, want 2", r.attempts()-n)
			}
		}
	})
}
