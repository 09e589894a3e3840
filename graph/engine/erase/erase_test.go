package erase_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/redaction"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/erase"
)

// many is more orders than fit into two batches.
const many = 200

// A redaction removes a person's data from events and orders and leaves everything else, including
// another person's data.
func TestRedact(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada, ben := w.person("Ada"), w.person("Ben")
		orders := w.orders(ada, many)
		w.orders(ben, 3)
		before := w.log(orders)
		w.redact(ada)
		w.round()
		if events, rows := w.shown(ada); events != 0 || rows != 0 {
			t.Errorf("%d events and %d orders show the person", events, rows)
		}
		if events, rows := w.shown(ben); events != 1+2*3 || rows != 3 {
			t.Errorf("%d events and %d orders show the other", events, rows)
		}
		after := w.log(orders)
		reported := slices.DeleteFunc(slices.Clone(after), func(e db.Event) bool { return e.Sequence <= 3 })
		if len(reported) != many || reported[0].Type != event.OrderUpdated || reported[0].Sequence != 4 {
			t.Errorf("%d events about the redaction of orders", len(reported))
		}
		after = slices.DeleteFunc(after, func(e db.Event) bool { return e.Sequence > 3 })
		if diff := cmp.Diff(before, after, cmpopts.IgnoreUnexported(db.Event{})); diff != "" {
			t.Error(diff)
		}
		note := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceID(orders[0]), dbevent.Sequence(3)).OnlyX(w.ctx)
		if !strings.Contains(string(note.Body), "Called twice.") {
			t.Errorf("the note became %s", note.Body)
		}
		w.over(ada)
	})
}

// over runs the redaction past the wait for responses of receivers, and then to its end.
func (s *shop) over(of *db.Customer) {
	s.t.Helper()
	if row := s.row(of); row.Step != state.RedactResponses || row.CleanAt == nil {
		s.t.Fatalf("the redaction stands at %v", row)
	}
	s.past(of)
	s.round()
	if row := s.row(of); row.Step != state.RedactDone {
		s.t.Errorf("the redaction stands at %v", row)
	}
	s.due(of, 1)
	s.round()
	if n := s.s.DB(s.ctx).Redaction.Query().CountX(s.ctx); n != 0 {
		s.t.Errorf("%d redactions are left", n)
	}
}

// past moves a redaction back by longer than anything takes.
func (s *shop) past(of *db.Customer) {
	s.t.Helper()
	s.moved(of, -long)
	s.due(of, 1)
}

// moved shifts the times of a redaction.
func (s *shop) moved(of *db.Customer, by time.Duration) {
	s.t.Helper()
	s.tx(func(ctx context.Context, c *db.Client) error {
		row := s.row(of)
		return c.Redaction.Update().Where(redaction.ID(of.ID)).SetDueAt(row.DueAt.Add(by)).
			SetBegunAt(row.BegunAt.Add(by)).Exec(ctx)
	})
}

// When a process is killed between two batches, another one continues from there.
func TestRedactIsResumed(t *testing.T) {
	eachEngine(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var die atomic.Pointer[context.CancelFunc]
		var noted atomic.Int32
		s := opened(func(q ent.Statement) {
			// The first update records the claim, the second the customer, the third a batch of
			// orders.
			if die := die.Load(); die != nil && strings.HasPrefix(q.Query, "UPDATE `redactions`") && noted.Add(1) == 3 {
				(*die)()
			}
		})
		w := open(t, s)
		ada := w.person("Ada")
		orders := w.orders(ada, many)
		w.redact(ada)
		ctx, cancel := context.WithCancel(t.Context())
		die.Store(&cancel)
		if err := w.engine.Round(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended with %v", err)
		}
		die.Store(nil)
		if row := w.row(ada); row.Step != state.RedactOrders || *row.Position != orders[89] {
			t.Errorf("the redaction stands at %v", row)
		}
		events, rows := w.shown(ada)
		if events != 2*rows || rows == 0 || rows == many {
			t.Errorf("%d events and %d orders show the person half-way", events, rows)
		}
		left := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceID(orders[many-1]), dbevent.Sequence(1)).OnlyX(w.ctx)
		got, err := w.engine.RedactEvent(w.store, left.Type, left.Body)
		if err != nil || strings.Contains(string(got), "Ada") {
			t.Errorf("half-way %s would be sent, %v", got, err)
		}
		w.engine = erase.New(erase.Config{Store: s})
		w.round()
		if again, _ := w.shown(ada); again != events {
			t.Error("two processes worked on one redaction at once")
		}
		w.due(ada, 1)
		w.round()
		if events, rows := w.shown(ada); events != 0 || rows != 0 {
			t.Errorf("%d events and %d orders show the person", events, rows)
		}
		for _, id := range orders {
			if n := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceID(id)).CountX(w.ctx); n != 4 {
				t.Fatalf("an order has %d events, want 4", n)
			}
		}
	})
}

// A process whose redaction was taken over stops.
func TestRedactIsLost(t *testing.T) {
	eachEngine(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var reads func()
		var once sync.Once
		s := opened(func(q ent.Statement) {
			if reads != nil && !q.InTx && strings.Contains(q.Query, "FROM `orders`") {
				once.Do(reads)
			}
		})
		w := open(t, s)
		ada := w.person("Ada")
		w.orders(ada, many)
		w.redact(ada)
		theirs := micros.Now().Add(time.Minute)
		reads = func() { w.due(ada, theirs) }
		w.round()
		if _, left := w.shown(ada); left != many-90 || w.row(ada).DueAt != theirs {
			t.Errorf("%d orders are left, due %d", left, w.row(ada).DueAt)
		}
	})
}

// A redaction that was begun and postponed before the clock was set back continues at once, and
// ends after the wait for responses.
func TestRedactAfterTheClockWasPutBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada := w.person("Ada")
		w.orders(ada, 3)
		w.redact(ada)
		w.moved(ada, time.Hour)
		w.round()
		row := w.row(ada)
		if events, rows := w.shown(ada); events != 0 || rows != 0 || row.Step != state.RedactResponses {
			t.Errorf("%d events and %d orders show the person: %v", events, rows, row)
		}
		if now := micros.Now(); row.BegunAt > now || row.DueAt > now.Add(time.Minute) {
			t.Errorf("it waits: %v", row)
		}
		w.over(ada)
	})
}

// Several processes may run rounds at once.
func TestRedactAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		people := []*db.Customer{w.person("Ada"), w.person("Ben"), w.person("Cem")}
		for _, p := range people {
			w.orders(p, 10)
			w.redact(p)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := erase.New(erase.Config{Store: s}).Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, p := range people {
			if events, rows := w.shown(p); events != 0 || rows != 0 {
				t.Errorf("%d events and %d orders show %s", events, rows, *p.FirstName)
			}
		}
	})
}

// A redaction that fails is postponed, and the others continue.
func TestRedactGoesOnBesideAnError(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada, ben := w.person("Ada"), w.person("Ben")
		w.tx(func(ctx context.Context, c *db.Client) error {
			_, err := c.Event.Update().Where(dbevent.ResourceID(ada.ID)).SetBody([]byte("{broken")).Save(ctx)
			return err
		})
		w.redact(ada)
		w.redact(ben)
		err := w.engine.Round(t.Context())
		if err == nil || !strings.Contains(err.Error(), xid.Customer.Format(ada.ID)) {
			t.Errorf("ended with %v", err)
		}
		if events, _ := w.shown(ben); events != 0 {
			t.Errorf("%d events show the other", events)
		}
	})
}

// The mutation redacts a bounded number of orders and leaves the rest.
func TestAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada, ben := w.person("Ada"), w.person("Ben")
		w.orders(ada, many)
		w.orders(ben, 3)
		for _, tc := range []struct {
			of   *db.Customer
			all  bool
			left int
		}{{ben, true, 0}, {ada, false, many - 180}, {ada, true, 0}, {ada, true, 0}} {
			w.tx(func(ctx context.Context, c *db.Client) error {
				all, err := erase.All(ctx, c, tc.of.ID, 2)
				if all != tc.all {
					t.Errorf("all of %s: %t", *tc.of.FirstName, all)
				}
				return err
			})
			if _, left := w.shown(tc.of); left != tc.left {
				t.Errorf("%d orders show %s, want %d", left, *tc.of.FirstName, tc.left)
			}
		}
	})
}
