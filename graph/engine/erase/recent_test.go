package erase_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/erase"
)

// From the commit on, nothing that leaves the process contains the person, even if it was read
// before. In other processes this holds after their next Watch.
func TestRedactEvent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		beside := erase.New(erase.Config{Store: s})
		ada, ben := w.person("Ada"), w.person("Ben")
		orders := w.orders(ada, 1)
		adas := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceIDIn(ada.ID, orders[0])).AllX(w.ctx)
		bens := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceID(ben.ID)).AllX(w.ctx)
		shows := func(e *erase.Engine, store xid.ID, of *db.Customer, events []*db.Event) (n int) {
			for _, row := range events {
				body, err := e.RedactEvent(store, row.Type, row.Body)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(body), *of.FirstName) {
					n++
				}
			}
			return n
		}
		look := func() {
			if err := beside.Watch(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		look()
		broken := errors.New("broken")
		err := s.InTx(w.ctx, func(ctx context.Context) error {
			return errors.Join(w.engine.Begin(ctx, ada.ID, false), broken)
		})
		if !errors.Is(err, broken) || shows(w.engine, w.store, ada, adas) != 3 {
			t.Errorf("%v, and a rolled-back redaction has an effect", err)
		}
		w.redact(ada)
		look()
		for name, e := range map[string]*erase.Engine{"the process": w.engine, "another": beside} {
			if n := shows(e, w.store, ada, adas); n != 0 {
				t.Errorf("%s sends %d events that show the person", name, n)
			}
			if n := shows(e, w.store, ben, bens); n != 1 {
				t.Errorf("%s sends %d events that show the other", name, n)
			}
			if n := shows(e, xid.New(), ada, adas); n != 3 {
				t.Errorf("%s redacts events of another store", name)
			}
		}
		// Events read before are redacted even after the redaction is done.
		w.round()
		w.over(ada)
		look()
		if n := shows(w.engine, w.store, ada, adas) + shows(beside, w.store, ada, adas); n != 0 {
			t.Errorf("%d events show the person in the end", n)
		}
	})
}

// A new process reads all unfinished redactions before it sends anything.
func TestWatchFromTheStart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada := w.person("Ada")
		w.redact(ada)
		w.past(ada)
		e := erase.New(erase.Config{Store: s})
		if err := e.Watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		row := s.DB(w.ctx).Event.Query().Where(dbevent.ResourceID(ada.ID)).OnlyX(w.ctx)
		if body, err := e.RedactEvent(w.store, row.Type, row.Body); err != nil || strings.Contains(string(body),
			"Ada") {
			t.Errorf("%s, %v", body, err)
		}
	})
}
