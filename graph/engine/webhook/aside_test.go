package webhook_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// alterSchema runs a statement directly on the database.
func alterSchema(t *testing.T, s *ent.Store, statement string) {
	t.Helper()
	err := s.Admin(t.Context(), func(c *sql.Conn) error {
		_, err := c.ExecContext(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// refuse makes the database reject inserts of deliveries that meet a condition, until the returned
// function is called.
func refuse(t *testing.T, s *ent.Store, condition string) (allow func()) {
	t.Helper()
	return refuseIn(t, s, "deliveries", condition)
}

// refuseIn is refuse for the rows of any table.
func refuseIn(t *testing.T, s *ent.Store, table, condition string) (allow func()) {
	t.Helper()
	body := "FOR EACH ROW IF " + condition + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; END IF"
	if s.Dialect() == dialect.SQLite {
		body = "WHEN " + condition + " BEGIN SELECT RAISE(ABORT, 'poison'); END"
	}
	alterSchema(t, s, "CREATE TRIGGER poison BEFORE INSERT ON "+table+" "+body)
	return func() { alterSchema(t, s, "DROP TRIGGER poison") }
}

// asides returns the store's events that were set aside.
func (s *shop) asides() []*db.OutboxFailure {
	s.t.Helper()
	return s.s.DB(s.ctx).OutboxFailure.Query().Order(db.Asc("id")).AllX(s.ctx)
}

// TestPoisonedEvent: an event whose deliveries the database rejects is set aside. All others are
// relayed, and so is the event once it was put back.
func TestPoisonedEvent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, other := open(t, s), open(t, s)
		read := figures(t, shop.engine)
		id := shop.endpoints(1, "http://receiver.example/")[0]
		elsewhere := other.endpoints(1, "http://receiver.example/")[0]
		ps := products(2)
		for range 20 {
			shop.change(&ps[0])
			shop.change(&ps[1])
			other.change(&product{id: xid.New()})
		}
		events := shop.pending()
		bad := events[25]
		allow := refuse(t, s, fmt.Sprintf("NEW.event_id = x'%x'", bad[:]))
		r := webhook.NewRelay(shop.engine)
		if rounds := dealAll(t, r); rounds > 40 {
			t.Errorf("it took %d rounds", rounds)
		}
		want := slices.DeleteFunc(slices.Clone(events), func(e xid.ID) bool { return e == bad })
		if got := shop.dealt()[id]; !slices.Equal(got, want) {
			t.Errorf("got %d deliveries: %v, want %v", len(got), got, want)
		}
		if got := other.dealt()[elsewhere]; len(got) != 20 {
			t.Errorf("the other store got %d of 20", len(got))
		}
		got := shop.asides()
		if len(got) != 1 || got[0].ID != bad || !strings.Contains(got[0].Detail, "poison") || len(other.asides()) != 0 {
			t.Fatalf("set aside: %+v", got)
		}
		if f := read(); f["events_set_aside_total"] != 1 || f["events_set_aside"] != 1 {
			t.Errorf("counted: %v", f)
		}
		later := shop.endpoint("http://receiver.example/", event.ProductUpdated)
		allow()
		if n, err := shop.engine.Requeue(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d events were put back, %v", n, err)
		}
		dealAll(t, r)
		of := shop.dealt()
		if got := of[id]; len(got) != len(events) || got[len(got)-1] != bad || len(shop.asides()) != 0 {
			t.Errorf("got %d deliveries, the last is %v", len(got), got[len(got)-1])
		}
		if len(of[later.ID]) != 0 {
			t.Error("an endpoint that was registered later received it")
		}
	})
}

// TestRefusedDatabase: nothing is set aside while the database accepts no delivery at all.
func TestRefusedDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		id := shop.endpoints(1, "http://receiver.example/")[0]
		p := product{id: xid.New()}
		for range 5 {
			shop.change(&p)
		}
		events := shop.pending()
		allow := refuse(t, s, "1 = 1")
		r, failed := webhook.NewRelay(shop.engine), 0
		for range 10 {
			if _, _, err := r.Round(t.Context()); err != nil {
				failed++
			}
		}
		if failed == 0 || len(shop.asides()) != 0 || len(shop.pending()) != len(events) {
			t.Errorf("%d rounds failed, %d events are set aside", failed, len(shop.asides()))
		}
		allow()
		dealAll(t, r)
		if got := shop.dealt()[id]; !slices.Equal(got, events) {
			t.Errorf("got %v, want %v", got, events)
		}
	})
}

// TestUnreadableEvent: the event's own row cannot be read. MySQL rejects such a row.
func TestUnreadableEvent(t *testing.T) {
	s := storetest.Open(t)
	shop := open(t, s)
	id := shop.endpoints(1, "http://receiver.example/")[0]
	p := product{id: xid.New()}
	for range 3 {
		shop.change(&p)
	}
	events := shop.pending()
	alterSchema(t, s, fmt.Sprintf("UPDATE events SET resource_id = x'01' WHERE id = x'%x'", events[0][:]))
	dealAll(t, webhook.NewRelay(shop.engine))
	if got := shop.dealt()[id]; !slices.Equal(got, events[1:]) {
		t.Errorf("got %v, want %v", got, events[1:])
	}
	if got := shop.asides(); len(got) != 1 || got[0].ID != events[0] {
		t.Errorf("set aside: %+v", got)
	}
}

// TestPanickingEvent: a panic caused by an event stops that event alone.
func TestPanickingEvent(t *testing.T) {
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		s := opened(func(q ent.Statement) {
			if strings.HasPrefix(q.Query, "INSERT INTO deliveries") && len(q.Values) == 3*6 {
				panic("three")
			}
		})
		shop, other := open(t, s), open(t, s)
		shop.endpoints(3, "http://receiver.example/")
		id := other.endpoints(1, "http://receiver.example/")[0]
		shop.change(&product{id: xid.New()})
		r := webhook.NewRelay(shop.engine)
		round(t, r)
		other.change(&product{id: xid.New()})
		dealAll(t, r)
		if len(shop.asides()) != 1 || len(other.dealt()[id]) != 1 {
			t.Errorf("%d are set aside, %d went on", len(shop.asides()), len(other.dealt()[id]))
		}
	})
}
