package erase_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/redaction"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// shop is a store with customers.
type shop struct {
	t      testing.TB
	s      *ent.Store
	ctx    context.Context // of the store's operator
	store  xid.ID
	engine *erase.Engine
	number int64
}

func open(t testing.TB, s *ent.Store) *shop {
	t.Helper()
	ctx, store := storetest.Merchant(t, s)
	return &shop{t: t, s: s, ctx: ctx, store: store.ID, engine: erase.New(erase.Config{Store: s}), number: 1000}
}

// eachEngine runs f on every engine, with databases whose statements f can observe.
func eachEngine(t *testing.T, f func(t *testing.T, opened func(see func(ent.Statement)) *ent.Store)) {
	t.Helper()
	run := func(address func(testing.TB) string) func(*testing.T) {
		return func(t *testing.T) {
			f(t, func(see func(ent.Statement)) *ent.Store {
				s, err := ent.Open(t.Context(), ent.Config{Database: address(t), Inspect: func(q ent.Statement) error {
					see(q)
					return storetest.Lint(q)
				}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				return s
			})
		}
	}
	t.Run("sqlite", run(storetest.SQLite))
	if storetest.HaveMySQL(t) {
		t.Run("mysql", run(storetest.MySQL))
	}
}

func (s *shop) tx(f func(ctx context.Context, c *db.Client) error) {
	s.t.Helper()
	err := s.s.InTx(s.ctx, func(ctx context.Context) error { return f(ctx, s.s.DB(ctx)) })
	if err != nil {
		s.t.Fatal(err)
	}
}

// person creates a customer with an event.
func (s *shop) person(name string) *db.Customer {
	s.t.Helper()
	var row *db.Customer
	s.tx(func(ctx context.Context, c *db.Client) (err error) {
		id := xid.New()
		row, err = c.Customer.Create().SetID(id).SetEmail(name + "@example.com").SetFirstName(name).
			SetStatus(state.CustomerActive).SetEmailMarketing(state.EmailSubscribed).
			SetAddresses(document.NewAddresses(nil)).SetTags(document.NewTags([]string{name})).
			SetEventSequence(1).SetUpdatedAt(id.Time()).Save(ctx)
		if err != nil {
			return err
		}
		return outbox.Append(ctx, c, outbox.Resource{Store: s.store, ID: id, Version: 1, Sequence: 1, At: id.Time()},
			outbox.Entry{Type: event.CustomerCreated, Object: wire.AppendCustomer(nil, row, "EUR")})
	})
	return row
}

// orders creates n orders of a customer, each with two events and one for a note.
func (s *shop) orders(of *db.Customer, n int) (ids []xid.ID) {
	s.t.Helper()
	for range n {
		s.number++
		id := xid.New()
		ids = append(ids, id)
		s.tx(func(ctx context.Context, c *db.Client) error {
			home := document.NewAddress(&document.AddressFields{Line1: *of.FirstName + " Street 1", Country: "GB"})
			row, err := c.Order.Create().SetID(id).SetNumber(s.number).SetStatus(state.OrderOpen).
				SetFinancialStatus(state.FinancialPending).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
				SetCurrency("EUR").SetSubtotalMinor(1).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).
				SetTotalMinor(1).SetPaidMinor(0).SetRefundedMinor(0).SetTags(document.NewTags(nil)).SetSource("test").
				SetCustomerID(of.ID).SetEmail(*of.Email).SetShippingAddress(home).SetEventSequence(3).
				SetPlacedAt(id.Time()).SetUpdatedAt(id.Time()).Save(ctx)
			if err != nil {
				return err
			}
			whole := wire.AppendOrder(nil, row, 0, nil)
			note := wire.AppendNote(nil, &db.Note{OrderID: id, Body: "Called twice."}, "usr_x")
			return outbox.Append(ctx, c,
				outbox.Resource{Store: s.store, ID: id, Version: 1, Sequence: 3, At: id.Time()},
				outbox.Entry{Type: event.OrderCreated, Object: whole},
				outbox.Entry{Type: event.OrderPaid, Object: whole},
				outbox.Entry{Type: event.OrderNoteAdded, Object: note})
		})
	}
	return ids
}

// redact does what the mutation does, except for the orders.
func (s *shop) redact(of *db.Customer) {
	s.t.Helper()
	s.tx(func(ctx context.Context, c *db.Client) error {
		_, err := c.Customer.Update().Where(customer.ID(of.ID)).SetStatus(state.CustomerRedacted).ClearEmail().
			ClearFirstName().Save(ctx)
		if err != nil {
			return err
		}
		return s.engine.Begin(ctx, of.ID, false)
	})
}

// due sets when a redaction is due.
func (s *shop) due(of *db.Customer, at micros.Time) {
	s.t.Helper()
	s.tx(func(ctx context.Context, c *db.Client) error {
		return c.Redaction.Update().Where(redaction.ID(of.ID)).SetDueAt(at).Exec(ctx)
	})
}

// round works on the due redactions.
func (s *shop) round() {
	s.t.Helper()
	if err := s.engine.Round(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// row returns the row of a redaction.
func (s *shop) row(of *db.Customer) *db.Redaction {
	s.t.Helper()
	row, err := s.s.DB(s.ctx).Redaction.Query().Where(redaction.ID(of.ID)).Only(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return row
}

// shown counts the stored events and the orders that show a person.
func (s *shop) shown(of *db.Customer) (events, orders int) {
	s.t.Helper()
	for _, e := range s.s.DB(s.ctx).Event.Query().AllX(s.ctx) {
		if strings.Contains(string(e.Body), *of.FirstName) {
			events++
		}
	}
	orders = s.s.DB(s.ctx).Order.Query().Where(order.Email(*of.Email), order.ShippingAddressNotNil()).CountX(s.ctx)
	return events, orders
}

// log returns the event log without the bodies.
func (s *shop) log(of []xid.ID) (list []db.Event) {
	s.t.Helper()
	rows := s.s.DB(s.ctx).Event.Query().Where(dbevent.ResourceIDIn(of...)).Order(dbevent.ByID()).AllX(s.ctx)
	for _, e := range rows {
		list = append(list, db.Event{ID: e.ID, Type: e.Type, ResourceID: e.ResourceID, Sequence: e.Sequence})
	}
	return list
}

// long is longer than anything takes.
const long = time.Hour
