package erase_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// noted writes a note of an author on an order.
func (s *shop) noted(order xid.ID, by viewer.Kind, name string) xid.ID {
	s.t.Helper()
	id := xid.New()
	s.tx(func(ctx context.Context, c *db.Client) error {
		return c.Note.Create().SetID(id).SetOrderID(order).SetBody("Call me").SetVisibility(state.NoteInternal).
			SetAuthorType(by).SetAuthorID(xid.Nil).SetAuthorName(name).Exec(ctx)
	})
	return id
}

// body returns the text of a note.
func (s *shop) body(id xid.ID) string {
	s.t.Helper()
	return s.s.DB(s.ctx).Note.Query().Where(note.ID(id)).OnlyX(s.ctx).Body
}

// TestSweep redacts the checkout notes on all orders of customers whom an earlier release redacted,
// and no other notes, and does so once.
func TestSweep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada, ben := w.person("Ada"), w.person("Ben")
		var theirs []xid.ID
		for _, order := range w.orders(ada, 91) {
			theirs = append(theirs, w.noted(order, viewer.System, viewer.ShopperName))
		}
		staff := w.noted(w.orders(ada, 1)[0], viewer.Staff, "Cem")
		others := w.noted(w.orders(ben, 1)[0], viewer.System, viewer.ShopperName)
		w.tx(func(ctx context.Context, c *db.Client) error {
			return c.Customer.Update().Where(customer.ID(ada.ID)).SetStatus(state.CustomerRedacted).Exec(ctx)
		})
		for _, want := range []int{len(theirs), 0} {
			if n, err := w.engine.Sweep(t.Context()); err != nil || n != want {
				t.Errorf("%d notes, want %d, %v", n, want, err)
			}
		}
		for _, id := range theirs {
			if w.body(id) != "Redacted" {
				t.Fatal("a note of the redacted customer is left")
			}
		}
		if w.body(staff) != "Call me" || w.body(others) != "Call me" {
			t.Error("another note is redacted")
		}
		again := w.noted(w.orders(ada, 1)[0], viewer.System, viewer.ShopperName)
		if n, err := w.engine.Sweep(t.Context()); err != nil || n != 0 || w.body(again) != "Call me" {
			t.Errorf("a swept store is swept again: %d notes, %v", n, err)
		}
	})
}

// A redaction also redacts the note on an order without other personal data.
func TestRedactNoteAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada := w.person("Ada")
		id := w.orders(ada, 1)[0]
		alone := w.noted(id, viewer.System, viewer.ShopperName)
		w.tx(func(ctx context.Context, c *db.Client) error {
			return c.Order.Update().ClearEmail().ClearShippingAddress().Exec(ctx)
		})
		w.redact(ada)
		w.round()
		if got := w.body(alone); got != "Redacted" {
			t.Errorf("the note is %q", got)
		}
	})
}
