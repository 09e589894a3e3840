package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// TestStatements counts the statements of requests whose credential is cached. A page of many rows
// costs as many as a page of one.
func TestStatements(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		m.furnishMarket()
		m.moreOrders(60)
		m.stock(crowd(60)...)
		s.do(t, request{As: m.all, Path: "/products?limit=1"}) // the credential is looked up here
		for _, tc := range []struct {
			path string
			want uint64
		}{
			{"/products?limit=1", 1}, {"/products?limit=100", 1}, {"/products?status=draft&limit=100", 1},
			{"/products?updated_from=2026-01-01T00:00:00Z", 1},
			{"/products/" + productID, 1}, {"/products/" + unknownID, 1},
			{"/orders?limit=1", 2}, {"/orders?limit=100", 2},
			{"/orders?status=open&limit=100", 2}, {"/orders/" + orderID, 2},
			{"/customers?limit=1", 1}, {"/customers?limit=100", 1},
			// the endpoints and their queues; apps would be a third
			{"/webhooks?limit=1", 2}, {"/webhooks?limit=100", 2},
			{"/exports?limit=1", 1}, {"/exports?limit=100", 1}, {"/exports/" + exportID, 1},
			// the themes, and the store for which one is active
			{"/themes?limit=1", 2}, {"/themes?limit=100", 2}, {"/themes/" + themeID, 2},
			// whether the theme exists; its assets and the store's handle are read once
			{"/themes/" + themeID + "/assets?limit=1", 3}, {"/themes/" + themeID + "/assets?limit=100", 1},
			// the published themes, and the store's installations
			{"/marketplace/themes?limit=1", 2}, {"/marketplace/themes?limit=100", 2},
			{"/products/x", 0}, {"/orders/x", 0}, {"/products?limit=0", 0}, {"/nothing", 0},
		} {
			before := s.store.Statements()
			a := s.do(t, request{As: m.all, Path: tc.path})
			if got := s.store.Statements() - before; got != tc.want {
				t.Errorf("%s (%d): %d statements, want %d", tc.path, a.Status, got, tc.want)
			}
		}
		// A malformed credential is refused without a statement.
		before := s.store.Statements()
		for _, as := range []string{"", "x", "sfk_x", m.all[:len(m.all)-1] + "~"} {
			s.do(t, request{As: as, Path: "/products"})
		}
		if got := s.store.Statements() - before; got != 0 {
			t.Errorf("bad credentials cost %d statements", got)
		}
	})
}

// TestStatementsOfAWrite limits the statements of a write and of its replay.
func TestStatementsOfAWrite(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		s.post(t, m.all, "first", "/products", draft("Plate")) // the credential, and the store's limits
		for _, tc := range []struct {
			name string
			body string
			most uint64
		}{
			// claim, savepoint, product, pending search text, audit, event, release, answer
			{"write", draft("Cup"), 8},
			// the claim fails, then the answer is read
			{"replay", draft("Cup"), 2},
		} {
			before := s.store.Statements()
			s.post(t, m.all, "k", "/products", tc.body).want(http.StatusCreated, "")
			if got := s.store.Statements() - before; got > tc.most {
				t.Errorf("%s: %d statements, want at most %d", tc.name, got, tc.most)
			}
		}
	})
}

// moreOrders adds orders with two lines each. Every other order's row holds them too.
func (m *shop) moreOrders(n int) {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		for i := range n {
			id := fixed(100 + i)
			row, lines := newOrder(c, id, int64(2000+i)), make([]*db.OrderLine, 2)
			for at := range lines {
				lines[at] = &db.OrderLine{ID: fixed(1000 + 2*i + at), Position: at, Title: "Cup", Quantity: 1,
					UnitPriceMinor: 100, TotalMinor: 100}
			}
			if i%2 == 0 {
				row.SetLineSet(lineset.Pack(id, lines)).SetLineSetVersion(1)
			}
			if _, err := row.Save(ctx); err != nil {
				return err
			}
			for _, l := range lines {
				_, err := c.OrderLine.Create().SetID(l.ID).SetOrderID(id).SetPosition(l.Position).SetTitle(l.Title).
					SetQuantity(l.Quantity).SetUnitPriceMinor(l.UnitPriceMinor).SetDiscountMinor(0).
					SetTaxMinor(0).SetTotalMinor(l.TotalMinor).Save(ctx)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func newOrder(c *db.Client, id xid.ID, number int64) *db.OrderCreate {
	return c.Order.Create().SetID(id).SetNumber(number).SetStatus(state.OrderOpen).
		SetFinancialStatus(state.FinancialPending).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
		SetCurrency("EUR").SetSubtotalMinor(200).SetDiscountMinor(0).SetShippingMinor(0).
		SetTaxMinor(0).SetTotalMinor(200).SetPaidMinor(0).SetRefundedMinor(0).
		SetTags(document.NewTags(nil)).SetSource("import").SetCustomerID(fixed(1)).SetPlacedAt(epoch).
		SetUpdatedAt(epoch)
}

// TestOrdersKeepTheirLines: a page of many orders gives each its own lines in order, whether its
// row holds them or not. Damaged lines fail the request.
func TestOrdersKeepTheirLines(t *testing.T) {
	s, m := sqlite(t)
	m.furnish()
	m.moreOrders(60)
	var page struct {
		Data []struct {
			ID        string
			LineItems []struct{ ID, Title string } `json:"line_items"`
		}
	}
	s.do(t, request{As: m.all, Path: "/orders?limit=100"}).want(http.StatusOK, "").decode(&page)
	if len(page.Data) != 62 {
		t.Fatalf("%d orders, want 62", len(page.Data))
	}
	seen := map[string]bool{}
	for _, o := range page.Data {
		want := "[Cup Cup]"
		switch o.ID {
		case orderID:
			want = "[Blue mug Saucer]"
		case xid.Order.Format(fixed(2)):
			want = "[]"
		}
		titles := []string{}
		for _, l := range o.LineItems {
			titles = append(titles, l.Title)
			if seen[l.ID] {
				t.Errorf("line %s belongs to two orders", l.ID)
			}
			seen[l.ID] = true
		}
		if got := fmt.Sprint(titles); got != want {
			t.Errorf("%s: lines %s, want %s", o.ID, got, want)
		}
	}
	broken := fixed(99)
	m.tx(func(ctx context.Context, c *db.Client) error {
		return newOrder(c, broken, 1999).SetLineSet([]byte{1, 2, 3}).SetLineSetVersion(1).Exec(ctx)
	})
	s.do(t, request{As: m.all, Path: "/orders?limit=100"}).want(http.StatusInternalServerError, "internal_error")
	s.do(t, request{As: m.all, Path: "/orders/" + xid.Order.Format(broken)}).
		want(http.StatusInternalServerError, "internal_error")
}
