package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// ada returns a customer with all data, before and after redaction.
func ada() (before, after *db.Customer) {
	home := &document.AddressFields{Line1: `"customer_id":"cus_x`, City: "London", Country: "GB"}
	c := db.Customer{ID: xid.New(), Email: new("ada@example.com"), Phone: new("+44"), FirstName: new("Ada"),
		LastName: new("Lovelace"), Locale: new("en-GB"), Note: new(`"resource":{"type":"customer","id":"x"`),
		Status: state.CustomerActive, EmailMarketing: state.EmailSubscribed, DefaultAddress: document.NewAddress(home),
		Addresses: document.NewAddresses([]document.AddressFields{*home}), Tags: document.NewTags([]string{"vip"}),
		OrdersCount: 3, TotalSpentMinor: 9_007_199_254_740_991, Version: 7, UpdatedAt: micros.Now()}
	gone := db.Customer{ID: c.ID, Status: state.CustomerRedacted, EmailMarketing: state.EmailNotSubscribed,
		Addresses: document.NewAddresses(nil), Tags: document.NewTags(nil), OrdersCount: c.OrdersCount,
		TotalSpentMinor: c.TotalSpentMinor, Version: c.Version, UpdatedAt: c.UpdatedAt}
	return &c, &gone
}

// enveloped returns an event about the customer or an order.
func enveloped(kind event.Type, resource xid.ID, object []byte) wire.Event {
	e, _ := event.Find(kind)
	return wire.Event{ID: xid.First(1), Type: kind, Occurred: 1, Store: xid.Nil, Kind: e.Resource, Resource: resource,
		Version: 7, Sequence: 2, Changed: []string{"email"}, Object: object}
}

// The redacted members of a stored event equal those of the redacted row.
func TestRedactEvent(t *testing.T) {
	before, after := ada()
	home := before.DefaultAddress
	order := db.Order{ID: xid.New(), CustomerID: &before.ID, Email: before.Email, BillingAddress: home,
		ShippingAddress: home, Tags: document.NewTags([]string{"gift"}), TotalMinor: 9_007_199_254_740_991}
	gone := order
	gone.Email, gone.BillingAddress, gone.ShippingAddress = nil, nil, nil
	line := func(int) *db.OrderLine { return &db.OrderLine{Title: `Mug "Ada" \ ü`} }
	note := wire.AppendNote(nil, &db.Note{OrderID: order.ID, Body: "Called Ada."}, "usr_x")
	for _, kind := range event.All() {
		resource, had, has := xid.New(), []byte(`{"email":"a"}`), []byte(`{"email":"a"}`)
		switch {
		case kind.Type == event.OrderNoteAdded, event.OfReturn(kind.Type):
			had, has = note, note
		case kind.Resource == xid.Customer:
			resource = before.ID
			had, has = wire.AppendCustomer(nil, before, "EUR"), wire.AppendCustomer(nil, after, "EUR")
		case kind.Resource == xid.Order:
			resource = order.ID
			had, has = wire.AppendOrder(nil, &order, 1, line), wire.AppendOrder(nil, &gone, 1, line)
		}
		body := wire.AppendEvent(nil, enveloped(kind.Type, resource, had))
		want := wire.AppendEvent(nil, enveloped(kind.Type, resource, has))
		for range 2 { // the second time changes nothing
			got, err := wire.RedactEvent(kind.Type, body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s: %s", kind.Type, diff)
			}
			body = got
		}
		person, ok := wire.PersonOf(kind.Type, body)
		if ok != !bytes.Equal(had, has) || ok && person != before.ID || ok != wire.Personal(kind.Type) {
			t.Errorf("%s has personal data of %v, %v", kind.Type, person, ok)
		}
	}
}

func TestRedactEventWithoutData(t *testing.T) {
	body := wire.AppendEvent(nil, enveloped(event.OrderPaid, xid.New(), nil))
	got, err := wire.RedactEvent(event.OrderPaid, body)
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("%s, %v", got, err)
	}
	if _, ok := wire.PersonOf(event.OrderPaid, body); ok {
		t.Error("it has personal data")
	}
	for _, broken := range []string{"", "[]", `{"data"`, `{"data":1}`, `{"data":{"object":[]}}`} {
		if got, err := wire.RedactEvent(event.OrderPaid, []byte(broken)); err == nil {
			t.Errorf("%q became %q", broken, got)
		}
	}
	if strings.Contains(string(body), "customer_id") {
		t.Error("the body names a customer")
	}
}
