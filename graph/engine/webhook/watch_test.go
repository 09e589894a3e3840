package webhook_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// watched is how long after the answer to a change a request may still begin.
const watched = 250 * time.Millisecond

// TestChangesApplyElsewhere: a person stops an endpoint or changes its URL at one process while
// another one sends to it as fast as it can.
func TestChangesApplyElsewhere(t *testing.T) {
	t.Parallel() // it waits
	for _, tc := range []struct {
		name   string
		change func(*shop, *db.WebhookEndpoint, string)
		moves  bool
	}{
		{name: "disable", change: func(s *shop, e *db.WebhookEndpoint, _ string) {
			s.turn(e, state.EndpointDisabled, s.engine.Hold)
		}},
		{name: "delete", change: func(s *shop, e *db.WebhookEndpoint, _ string) {
			s.amend(e, func(u *db.WebhookEndpointUpdate) { u.SetDeletedAt(micros.Now()).SetSecret([]byte{}) },
				s.engine.Cancel)
		}},
		{name: "address", moves: true, change: func(s *shop, e *db.WebhookEndpoint, to string) {
			s.amend(e, func(u *db.WebhookEndpointUpdate) { u.SetURL(to) }, s.engine.SettingsChanged)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *ent.Store) {
				shop := open(t, s)
				var last atomic.Int64
				r := receive(t, func(receipt) int {
					last.Store(max(last.Load(), time.Now().UnixNano()))
					<-time.After(50 * time.Millisecond)
					return 200
				})
				next := receive(t, nil)
				e := shop.endpoint(r.URL, event.ProductUpdated)
				const events = 2000
				for range events / 200 {
					shop.many(200)
				}
				errs := new(journal)
				owner := engine(t, s, func(c *webhook.Config) { c.Poll = 100 * time.Millisecond },
					errs.keep(slog.LevelError))
				owner.Start(t.Context())
				until(t, "some events", func() bool { return r.attempts() > 200 })
				tc.change(shop, e, next.URL)
				answered := time.Now()
				until(t, "the rest", func() bool {
					if tc.moves {
						return r.attempts()+next.accepted() == events
					}
					return shop.queueOf(e).DueAt == micros.Max && time.Since(answered) > 2*watched
				})
				stop(owner)
				if text := errs.buf.String(); text != "" {
					t.Errorf("logged as errors: %s", text)
				}
				late, came := time.Unix(0, last.Load()).Sub(answered), r.attempts()+next.attempts()
				t.Logf("the last request began %v after the answer", late)
				if late > watched || r.attempts() == events {
					t.Errorf("the last of %d requests began %v after the answer", came, late)
				}
				if rows, different := shop.attemptsLogged(); rows != came || different != came {
					t.Errorf("%d rows of %d attempts in the log, want %d", rows, different, came)
				}
			})
		})
	}
}

// amend changes an endpoint as a person does.
func (s *shop) amend(
	e *db.WebhookEndpoint, change func(*db.WebhookEndpointUpdate), act func(context.Context, xid.ID) error,
) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		u := s.s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID))
		change(u)
		if err := u.Exec(ctx); err != nil {
			return err
		}
		return act(ctx, e.ID)
	})
}

// TestAttemptOfALostLease: an attempt sent under a lease that another process has by now is logged,
// beside the attempts of the new owner.
func TestAttemptOfALostLease(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		var n atomic.Int64
		gate := make(chan struct{})
		r := receive(t, func(receipt) int {
			switch n.Add(1) {
			case 1:
				<-gate
			case 2:
				return 500
			}
			return 200
		})
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "an attempt in flight", func() bool { return n.Load() == 1 })
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).WebhookQueue.Update().AddLeaseToken(1).SetLeaseOwner(xid.New()).Exec(ctx)
		})
		count := func() int { return s.DB(shop.ctx).Attempt.Query().CountX(shop.ctx) }
		until(t, "the attempt in the log", func() bool { return count() == 1 })
		if w := shop.waiting(e); len(w) != 1 || w[0].Attempts != 1 || w[0].Tries != 0 || shop.queueOf(e).Streak != 0 {
			t.Errorf("the late attempt had effects: %v", w)
		}
		close(gate)
		until(t, "the new owner's failure", func() bool { return count() == 2 })
		shop.tx(func(ctx context.Context) error {
			_, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0])
			return err
		})
		until(t, "the delivery", func() bool { return len(shop.logged(e)) == 1 })
		if rows, different := shop.attemptsLogged(); rows != 3 || different != 3 || r.attempts() != 3 {
			t.Errorf("%d rows of %d attempts in the log, %d came", rows, different, r.attempts())
		}
		var outcomes []string
		for _, a := range s.DB(shop.ctx).Attempt.Query().AllX(shop.ctx) {
			outcomes = append(outcomes, a.Outcome)
		}
		slices.Sort(outcomes)
		if !slices.Equal(outcomes, []string{"cancelled", "server_error"}) {
			t.Errorf("logged: %q", outcomes)
		}
		if got := shop.numbers(e); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("the attempts have the numbers %d", got)
		}
	})
}

// numbers returns the numbers of all attempts of an endpoint's first delivery.
func (s *shop) numbers(e *db.WebhookEndpoint) (list []int) {
	s.t.Helper()
	l := s.logged(e)[0]
	for _, a := range s.s.DB(s.ctx).Attempt.Query().Where(attemptOf(l)...).AllX(s.ctx) {
		list = append(list, a.Number)
	}
	slices.Sort(list)
	return append(list, l.Attempts)
}

// TestAttemptCountedMeanwhile: while an attempt is under way, another process saves one that it had
// sent before. Each has its own number, the log shows the number with which it was sent, and the
// owner's outcome counts.
func TestAttemptCountedMeanwhile(t *testing.T) {
	for _, answers := range [][]int{{200}, {500, 200}, {500, 500, 200}} {
		storetest.Each(t, func(t *testing.T, s *ent.Store) {
			shop := open(t, s)
			came, answer := make(chan struct{}), make(chan int)
			r := receive(t, func(receipt) int { came <- struct{}{}; return <-answer })
			e := shop.endpoint(r.URL, event.ProductUpdated)
			shop.engine.Start(t.Context())
			shop.change(&product{id: xid.New()})
			<-came
			shop.noted(shop.waiting(e)[0])
			for i, status := range answers {
				if i > 0 {
					shop.tx(func(ctx context.Context) error {
						_, err := shop.engine.RetryNow(ctx, shop.waiting(e)[0])
						return err
					})
					<-came
				}
				answer <- status
				until(t, "the outcome", func() bool {
					w := shop.waiting(e)
					return status == 200 && len(w) == 0 || len(w) == 1 && w[0].Tries == i+1 && w[0].Attempts == i+2
				})
			}
			want := []int{1}
			for i := range answers {
				want = append(want, i+2)
			}
			if got := shop.numbers(e); !slices.Equal(got, want) {
				t.Errorf("the attempts have the numbers %d, want %d", got, want)
			}
			for i, got := range shop.heads(e) {
				want := "X-Service-Attempt: " + r.got[i].header.Get("X-Service-Attempt") + "\r\n"
				if !strings.Contains(got, want) {
					t.Errorf("attempt %d was sent with %q, and is shown as %q", i, want, got)
				}
			}
		})
	}
}

// noted writes an attempt of a delivery as a process does that has lost the lease.
func (s *shop) noted(w *db.Delivery) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		err := s.s.DB(ctx).Delivery.Update().Where(delivery.EndpointID(w.EndpointID), delivery.Sequence(w.Sequence)).
			AddAttempts(1).Exec(ctx)
		if err != nil {
			return err
		}
		return s.s.DB(ctx).Attempt.Create().SetID(xid.New()).SetEndpointID(w.EndpointID).SetSequence(w.Sequence).
			SetNumber(w.Attempts + 1).SetBeganAt(micros.Now()).SetOutcome("cancelled").Exec(ctx)
	})
}

// heads returns the requests of an endpoint's first delivery, in their order.
func (s *shop) heads(e *db.WebhookEndpoint) (list []string) {
	s.t.Helper()
	l := s.logged(e)[0]
	head := func(request []byte, number int) {
		if len(request) > 0 {
			list = append(list, attempt.Head(request, attempt.Sent{Number: number}))
		}
	}
	for _, a := range s.s.DB(s.ctx).Attempt.Query().Where(attemptOf(l)...).Order(db.Asc("number")).AllX(s.ctx) {
		head(a.Request, a.Number)
	}
	head(l.Request, l.Attempts)
	return list
}
