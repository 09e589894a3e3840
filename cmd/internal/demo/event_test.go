package demo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// TestEventsFollowTheRows: the event log of a demo matches its rows, as if people had worked in it,
// and a later start adds nothing.
func TestEventsFollowTheRows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		c, log := config(t, s, 27), new(storetest.Log)
		f := prepare(t, c)
		about := map[xid.ID][]event.Type{}
		stores := map[xid.ID]int{}
		for _, e := range log.Next(t, s) {
			about[e.Resource] = append(about[e.Resource], e.Type)
			stores[e.Store]++
		}
		if len(stores) != 2 {
			t.Errorf("events of %d stores: %v", len(stores), stores)
		}
		rows := 0
		for _, of := range f.Stores {
			ctx := within(t, of)
			client, pictures := s.DB(ctx), 0
			for _, o := range orders(t, s, of) {
				checkOrder(t, o, about[o.ID])
				rows++
			}
			for _, p := range client.Product.Query().AllX(ctx) {
				shown := client.ProductImage.Query().Where(productimage.ProductID(p.ID)).AllX(ctx)
				if got, want := list(about[p.ID]), productEvents(p.Status, len(shown)); got != want {
					t.Errorf("the %s product %s emitted %q, want %q", p.Status, p.Title, got, want)
				}
				for _, img := range shown {
					if img.SizeBytes > 48<<10 { // with the file as it was uploaded
						t.Errorf("a picture of %s takes %d bytes", p.Title, img.SizeBytes)
					}
				}
				pictures += len(shown)
				rows++
			}
			if pictures != c.Orders {
				t.Errorf("%d pictures of a demo with %d orders", pictures, c.Orders)
			}
			for _, p := range client.Customer.Query().AllX(ctx) {
				if got, want := list(about[p.ID]), customerEvents[p.Status]; got != want {
					t.Errorf("the %s customer emitted %q, want %q", p.Status, got, want)
				}
				rows++
			}
		}
		if rows != len(about) {
			t.Errorf("%d resources have events, %d are there", len(about), rows)
		}
		prepare(t, c)
		if got := log.Since(t, s); got != "" {
			t.Errorf("a later start emitted %q", got)
		}
	})
}

// productEvents returns the events of a product up to a state, with a number of images.
func productEvents(to state.ProductStatus, pictures int) string {
	shown := strings.Repeat(" updated", pictures)
	switch to {
	case state.ProductActive:
		return "created published updated" + shown
	case state.ProductArchived:
		return "created published updated" + shown + " archived updated"
	}
	return "created" + shown
}

// Events of a customer up to a state.
var (
	customerEvents = map[state.CustomerStatus]string{
		state.CustomerGuest:    "created",
		state.CustomerActive:   "created",
		state.CustomerDisabled: "created updated",
		state.CustomerRedacted: "created redacted",
	}
)

// list returns the types without their resource.
func list(types []event.Type) string {
	var names []string
	for _, t := range types {
		_, name, _ := strings.Cut(string(t), ".")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// checkOrder checks that an order has exactly the events that its state implies.
func checkOrder(t *testing.T, o *db.Order, types []event.Type) {
	t.Helper()
	n := map[event.Type]int{}
	for _, e := range types {
		n[e]++
	}
	is := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	exact := map[event.Type]int{
		event.OrderCreated:   1,
		event.OrderPaid:      is(o.PaidAt != nil),
		event.OrderRefunded:  is(o.RefundedMinor > 0),
		event.OrderFulfilled: is(o.FulfillmentStatus == state.FulfillmentFulfilled),
		event.OrderCancelled: is(o.Status == state.OrderCancelled),
		event.OrderCompleted: is(o.Status == state.OrderCompleted),
		event.OrderNoteAdded: int(o.NotesCount),
	}
	name := fmt.Sprint(o.Number, " ", o.Status, " ", o.FinancialStatus, " ", o.FulfillmentStatus)
	if len(types) == 0 || types[0] != event.OrderCreated {
		t.Errorf("order %s begins with %v", name, types)
	}
	for e, want := range exact {
		if n[e] != want {
			t.Errorf("order %s emitted %s %d times, want %d: %v", name, e, n[e], want, types)
		}
		delete(n, e)
	}
	for e, must := range map[event.Type]bool{
		event.OrderPartiallyPaid:      o.PaidMinor > 0 && o.PaidAt == nil,
		event.OrderPartiallyFulfilled: o.FulfillmentStatus == state.FulfillmentPartiallyFulfilled,
	} {
		if must && n[e] == 0 {
			t.Errorf("order %s did not emit %s: %v", name, e, types)
		}
		delete(n, e)
	}
	// A redacted customer's orders lose their email and addresses.
	if n[event.OrderUpdated] > 1 || n[event.OrderUpdated] == 1 && o.Email != nil {
		t.Errorf("order %s was updated %d times", name, n[event.OrderUpdated])
	}
	delete(n, event.OrderUpdated)
	if len(n) > 0 {
		t.Errorf("order %s emitted %v", name, n)
	}
}
