package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
)

// send sends a write and returns the answer.
func (s *server) send(t *testing.T, as, method, path, body string) *answer {
	t.Helper()
	return s.do(t, request{As: as, Method: method, Path: path, Body: body})
}

// shown returns the members of an object as JSON.
func (a *answer) shown(t *testing.T, names ...string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &all); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range names {
		list = append(list, string(all[name]))
	}
	return strings.Join(list, " ")
}

// A merge patch changes the given members, clears those that are null and keeps the others, of
// nested objects too (RFC 7396).
func TestMergePatches(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		order, _ := m.order(t)
		customer := strings.TrimPrefix(m.at(t, "/customers/"+anyCustomer), "/customers/")
		for _, tc := range []struct {
			path, body string
			members    []string
			want       string
		}{
			{path: "/products/" + productID, members: []string{"title", "sku", "tags", "vendor", "version"},
				body: `{"title":"Mug","sku":null,"tags":["a"],"maker":{"name":"Kiln","email":"a@example.com"}}`,
				want: `"Mug" null ["a"] "Kiln & Co" 4`},
			{path: "/products/" + productID, body: `{"maker":{"email":null}}`, members: []string{"maker", "title"},
				want: `{"name":"Kiln","address":null,"email":null,"url":null,"safety":null} "Mug"`},
			{path: "/products/" + productID, body: `{"maker":null,"tags":null}`, members: []string{"maker", "tags"},
				want: `null []`},
			{path: "/customers/" + customer, members: []string{"first_name", "email_marketing"},
				body: `{"first_name":"Ada","email_marketing":"subscribed","default_address":
					{"line1":"1","city":"Wien","country":"AT"}}`, want: `"Ada" "subscribed"`},
			{path: "/customers/" + customer, body: `{"first_name":null,"default_address":{"city":"Ulm"}}`,
				members: []string{"first_name", "email_marketing"}, want: `null "subscribed"`},
			{path: "/orders/" + order, body: `{"external_number":"A-1","tags":["x"]}`,
				members: []string{"external_number", "tags", "paid_minor"}, want: `"A-1" ["x"] 5000`},
			{path: "/orders/" + order, body: `{"external_number":null}`, members: []string{"external_number", "tags"},
				want: `null ["x"]`},
		} {
			a := s.send(t, m.all, http.MethodPatch, tc.path, tc.body).want(http.StatusOK, "")
			if got := a.shown(t, tc.members...); got != tc.want {
				t.Errorf("%s %s: got %s, want %s", tc.path, tc.body, got, tc.want)
			}
		}
		a := s.do(t, request{As: m.all, Path: "/customers/" + customer}).want(http.StatusOK, "")
		if got := a.shown(t, "default_address"); !strings.Contains(got, `"city":"Ulm"`) ||
			!strings.Contains(got, `"country":"AT"`) {
			t.Errorf("the address is %s", got)
		}
		for path, body := range map[string]string{"/products/" + productID: `{"title":null}`,
			"/customers/" + customer: `{"default_address":{"city":null}}`, "/orders/" + order: `{"email":"x"}`} {
			s.send(t, m.all, http.MethodPatch, path, body).want(http.StatusUnprocessableEntity, "validation_failed")
			s.send(t, m.all, http.MethodPatch, path, `{"expected_version":99,"tags":["y"]}`).
				want(http.StatusConflict, "version_mismatch")
		}
	})
}

// A marketplace brings orders with their number and payments, all or nothing.
func TestOrdersFromElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		body := fmt.Sprintf(`{"lines":[{"product_id":%q,"quantity":2,"unit_price_minor":500}],"external_number":"M-1",
			"placed_at":"2026-02-01T10:00:00Z","source":"market","customer_id":%q,
			"payments":[{"amount_minor":400,"reference":"T-1"},{"amount_minor":%%d}]}`, productID, customerID)
		seller := m.keyOf(scope.SalesWrite)
		s.send(t, seller, http.MethodPost, "/orders", fmt.Sprintf(body, 601)).
			want(http.StatusConflict, "amount_exceeds_balance")
		a := s.send(t, seller, http.MethodPost, "/orders", fmt.Sprintf(body, 600)).want(http.StatusCreated, "")
		want := `"paid" 1000 1000 "M-1" "market" "2026-02-01T10:00:00.000000Z"`
		if got := a.shown(t, "financial_status", "total_minor", "paid_minor", "external_number", "source",
			"placed_at"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		found := s.do(t, request{As: m.all, Path: "/orders?external_number=M-1"}).want(http.StatusOK, "")
		if n := strings.Count(string(found.Body), `"external_number":"M-1"`); n != 1 {
			t.Errorf("%d orders have the number", n)
		}
		a = s.send(t, seller, http.MethodPost, "/orders", `{"lines":[{"title":"x"}],"payments":[{}]}`)
		if diff := cmp.Diff([]string{"#/lines/0/unit_price_minor required", "#/lines/0/quantity out_of_range"},
			a.want(http.StatusUnprocessableEntity, "validation_failed").problem().places()); diff != "" {
			t.Error(diff)
		}
	})
}

// The log shows a program the events whose scope it has, complete from a time on.
func TestEventLog(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		log := func(as, query string) (types, ids []string) {
			t.Helper()
			var page struct {
				Data []struct {
					Type string `json:"type"`
					ID   string `json:"event_id"`
				}
			}
			s.do(t, request{As: as, Path: "/events" + query}).want(http.StatusOK, "").decode(&page)
			for _, e := range page.Data {
				types, ids = append(types, e.Type), append(ids, e.ID)
			}
			return types, ids
		}
		order, _ := m.order(t)
		product := m.product(t)
		m.at(t, anyEvent)
		all, ids := log(m.all, "")
		want := []string{"webhook_endpoint.failing", "product.created", "order.partially_paid", "order.created"}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		products := m.keyOf(scope.WebhooksRead, scope.ProductsRead)
		if got, _ := log(products, ""); len(got) != 2 || got[1] != "product.created" {
			t.Errorf("a key for products sees %v", got)
		}
		if got, _ := log(m.keyOf(scope.WebhooksRead), "?limit=1"); len(got) != 1 || got[0] != want[0] {
			t.Errorf("a key for webhooks sees %v", got)
		}
		from := "?occurred_from=" + product.ID.Time().String()
		if got, _ := log(m.all, "?occurred_from=2000-01-01T00:00:00Z"); len(got) > 0 && got[0] != "order.created" {
			t.Errorf("from the start: %v", got)
		}
		if got, _ := log(m.all, from); len(got) > 0 && strings.HasPrefix(got[0], "order.") {
			t.Errorf("from the product on: %v", got)
		}
		s.do(t, request{As: products, Path: "/events/" + ids[1]}).want(http.StatusOK, "")
		s.do(t, request{As: products, Path: "/events/" + ids[2]}).want(http.StatusNotFound, "not_found")
		other := newShop(t, s.store, shopRow{})
		s.do(t, request{As: other.all, Path: "/events/" + ids[1]}).want(http.StatusNotFound, "not_found")
		if got, _ := log(other.all, ""); len(got) > 0 {
			t.Errorf("another store sees %v of %s", got, order)
		}
	})
}
