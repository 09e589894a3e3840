package cart_test

import (
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// session begins a session with lines of a product, and a part of an address if there is one.
func (m *market) session(w cart.ProductRef, quantity int64, to ...document.AddressFields) string {
	m.t.Helper()
	token := digest.NewToken()
	wish := cart.Wish{Lines: []cart.Amount{{ProductRef: w, Quantity: quantity}},
		Buyer: &cart.SessionBuyer{FirstName: "Ada", Email: "ada@example.com"}}
	for _, a := range to {
		wish.Destinations, wish.Chosen = append(wish.Destinations, document.Destination{ID: "a", Address: a}), new("a")
	}
	if err := m.BeginSession(m.ctx, xid.New(), token, wish); err != nil {
		m.t.Fatal(err)
	}
	return token
}

// TestSessionAddress: a part of an address yields the rates, and the order needs the rest.
func TestSessionAddress(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 1490, 5)
		token := m.session(bell, 1, document.AddressFields{Country: "DE"})
		v := m.view(token)
		if len(v.Rates) == 0 || v.Next() != cart.StepDetails {
			t.Fatalf("with a country alone, the rates are %v and the next step is %s", v.Rates, v.Next())
		}
		if err := m.SetDelivery(m.ctx, token, &v.Rates[0].ID, &v.Methods[0].Kind); err != nil {
			t.Fatal(err)
		}
		shown := cart.Shown{TotalMinor: m.view(token).Sums.TotalMinor}
		if _, err := m.Place(m.ctx, token, shown); !fault.IsState(err, fault.InvalidTransition) {
			t.Errorf("an order without an address: %v", err)
		}
		whole := document.AddressFields{Country: "DE", Line1: "Weg 1", City: "Berlin", PostalCode: new("10115")}
		if err := m.ChangeSession(m.ctx, token, cart.Wish{Chosen: new("a"),
			Destinations: []document.Destination{{ID: "a", Address: whole}}}); err != nil {
			t.Fatal(err)
		}
		placed, err := m.Place(m.ctx, token, shown)
		if err != nil {
			t.Fatal(err)
		}
		if m.stock(bell) != 4 {
			t.Errorf("the stock is %d", m.stock(bell))
		}
		row := graphtest.Must[[]*db.Cart](t)(m.Store.DB(m.ctx).Cart.Query().Load(m.ctx))[0]
		s := graphtest.Must[*document.SessionFields](t)(row.Session.Fields())
		if row.OrderID == nil || *row.OrderID != placed.Order || s.Email != "" || s.Destinations != nil {
			t.Errorf("the order keeps %+v in its session", s)
		}
	})
}

// TestSessionEnds: nothing changes or orders a session that was canceled or handed over, and the pages
// order one that was handed over.
func TestSessionEnds(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 1490, 5)
		address := document.AddressFields{Country: "DE", Line1: "Weg 1", City: "Berlin", PostalCode: new("10115")}
		more := cart.Wish{Lines: []cart.Amount{{ProductRef: bell, Quantity: 2}}}
		canceled, handed := m.session(bell, 1, address), m.session(bell, 1, address)
		if err := m.CancelSession(m.ctx, canceled); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if ok, err := m.HandOver(m.ctx, handed); err != nil || !ok {
				t.Fatalf("handing over: %t %v", ok, err)
			}
		}
		if ok, err := m.HandOver(m.ctx, canceled); err != nil || ok {
			t.Errorf("a canceled session is handed over: %t %v", ok, err)
		}
		for _, token := range []string{canceled, handed} {
			for _, err := range []error{m.ChangeSession(m.ctx, token, more), m.CancelSession(m.ctx, token)} {
				if !fault.IsState(err, fault.InvalidTransition) {
					t.Errorf("a change is answered by %v", err)
				}
			}
			v := m.view(token)
			if err := m.SetDelivery(m.ctx, token, &v.Rates[0].ID, &v.Methods[0].Kind); err != nil {
				t.Fatal(err)
			}
			_, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: m.view(token).Sums.TotalMinor})
			if (err == nil) != (token == handed) {
				t.Errorf("an order of the session handed over (%t): %v", token == handed, err)
			}
		}
		browser := m.add("", bell, 1)
		if ok, err := m.HandOver(m.ctx, browser); err != nil || ok {
			t.Errorf("the cart of a browser is handed over: %t %v", ok, err)
		}
		if err := m.ChangeSession(m.ctx, browser, more); !missing(err) {
			t.Errorf("a change of the cart of a browser: %v", err)
		}
	})
}

func missing(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.NotFound
}

// TestSessionLines: a session holds exactly the lines that the program names last, or none of a change
// that is refused.
func TestSessionLines(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell, lamp, none := m.sell("Bell", 1490, 5), m.sell("Lamp", 990, 3), m.sell("None", 10, 0)
		token := m.session(bell, 1)
		for _, c := range []struct {
			Name  string
			Lines []cart.Amount
			Code  string
			Count int64
		}{
			{Name: "other line", Lines: []cart.Amount{{lamp, 3}}, Count: 3},
			{Name: "both, one twice", Lines: []cart.Amount{{lamp, 1}, {bell, 2}, {lamp, 1}}, Count: 4},
			{Name: "too many by two", Lines: []cart.Amount{{lamp, 2}, {lamp, 2}}, Code: fault.OutOfStock, Count: 4},
			{Name: "sold out", Lines: []cart.Amount{{bell, 1}, {none, 1}}, Code: fault.OutOfStock, Count: 4},
			{Name: "no lines", Lines: []cart.Amount{}, Count: 0},
		} {
			err := m.ChangeSession(m.ctx, token, cart.Wish{Lines: c.Lines})
			if c.Code == "" && err != nil || c.Code != "" && !fault.IsState(err, c.Code) {
				t.Errorf("%s: %v", c.Name, err)
			}
			row := graphtest.Must[[]*db.Cart](t)(m.Store.DB(m.ctx).Cart.Query().Load(m.ctx))[0]
			if v := m.view(token); v.Count != c.Count || len(v.Lines) != row.LinesCount {
				t.Errorf("%s: %d pieces in %d lines, counted as %d", c.Name, v.Count, len(v.Lines), row.LinesCount)
			}
		}
	})
}

// TestSessionNeedsFormat: the previous release would order an incomplete address.
func TestSessionNeedsFormat(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		storetest.LimitFormats(t, store)
		ctx := viewer.Shopper(t.Context(), xid.New())
		err := graphtest.NewCore(t, store).Carts().BeginSession(ctx, xid.New(), digest.NewToken(), cart.Wish{})
		if !fault.IsState(err, fault.InvalidTransition) {
			t.Errorf("before finalize: %v", err)
		}
	})
}
