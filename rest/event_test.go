package rest_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

// ids match the value of {id} in a path.
var ids = regexp.MustCompile(`(ord|ret|loc|whk|thm|prod|var|cus|dis|cfd|ful)_[0-9a-z]{26}`)

// deed is a write with the events that it creates.
type deed struct {
	name               string
	as, method, target string
	body               string
	status             int
	events             string
}

// TestEventsOfWrites sends each write of the routes three times with one key: the first creates the
// events of the GraphQL mutation, its replays and all refused writes create none.
func TestEventsOfWrites(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		other := newShop(t, s.store, shopRow{})
		read := m.keyOf(scope.ProductsRead, scope.OrdersRead, scope.WebhooksRead, scope.ExportsRead, scope.ThemesRead)
		made := s.post(t, m.all, "made", "/webhooks", hook("order.paid")).endpoint()
		notes := "/orders/" + orderID + "/notes"
		log := new(storetest.Log)
		written := map[string]bool{}
		for _, d := range []deed{
			{name: "a draft", as: m.all, method: "POST", target: "/products", body: draft("Cup"), status: 201,
				events: "product.created"},
			{name: "a draft by v0", as: m.all, method: "POST", target: legacy + "/products", body: draft("Cup"),
				status: 410},
			{name: "no price", as: m.all, method: "POST", target: "/products", body: `{"title":"Cup"}`, status: 422},
			{name: "a handle that is taken", as: m.all, method: "POST", target: "/products",
				body: with(map[string]any{"handle": "blue-mug"}), status: 422},
			{name: "no JSON", as: m.all, method: "POST", target: "/products", body: "{", status: 400},
			{name: "a draft without the scope", as: read, method: "POST", target: "/products", body: draft("Cup"),
				status: 403},

			{name: "a note", as: m.all, method: "POST", target: notes, body: `{"body":"x"}`, status: 201,
				events: "order.note_added"},
			{name: "a blank note", as: m.all, method: "POST", target: notes, body: `{"body":" "}`, status: 422},
			{name: "another store's order", as: other.all, method: "POST", target: notes, body: `{"body":"x"}`,
				status: 404},
			{name: "a note without the scope", as: read, method: "POST", target: notes, body: `{"body":"x"}`,
				status: 403},

			{name: "a shipment", as: m.all, method: "POST", target: m.at(t, "/orders/"+anyOrder+"/fulfillments"),
				body: "{}", status: 201, events: "order.fulfilled"},
			{name: "a payment", as: m.all, method: "POST", target: m.at(t, "/orders/"+anyOrder+"/payments"),
				body: "{}", status: 201, events: "order.paid"},
			{name: "a refund", as: m.all, method: "POST", target: m.at(t, "/orders/"+anyOrder+"/refunds"),
				body: `{"amount_minor":1}`, status: 201, events: "order.refunded"},
			{name: "a cancellation", as: m.all, method: "POST", target: m.at(t, "/orders/"+anyOrder+"/cancel"),
				body: "{}", status: 200, events: "order.cancelled"},
			{name: "a payment without the scope", as: read, method: "POST",
				target: "/orders/" + orderID + "/payments", body: "{}", status: 403},

			{name: "a return", as: m.all, method: "POST", target: "/orders/" + orderID + "/returns", body: aReturn,
				status: 201, events: "order.return_requested"},
			{name: "a return of nothing", as: m.all, method: "POST", target: "/orders/" + orderID + "/returns",
				body: "{}", status: 422},
			{name: "a return without the scope", as: read, method: "POST", target: "/orders/" + orderID + "/returns",
				body: aReturn, status: 403},
			{name: "a return of another store", as: other.all, method: "POST",
				target: m.at(t, "/returns/"+anyReturn+"/approve"), body: "{}", status: 404},
			{name: "an approval", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyReturn+"/approve"),
				body: `{"instructions":"By post","label_url":"https://post.example/1"}`, status: 200,
				events: "order.return_updated"},
			{name: "a new label", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyApproved+"/approve"),
				body: `{"label_url":"https://post.example/2"}`, status: 200, events: "order.return_updated"},
			{name: "no reason", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyReturn+"/decline"),
				body: "{}", status: 422},
			{name: "a declined return", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyReturn+"/decline"),
				body: `{"reason":"Used"}`, status: 200, events: "order.return_updated"},
			{name: "received items", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyApproved+"/receive"),
				body: `{"expected_version":2}`, status: 200, events: "order.return_updated"},
			{name: "items that nobody expects", as: m.all, method: "POST",
				target: m.at(t, "/returns/"+anyReturn+"/receive"), body: "{}", status: 409},
			{name: "a refund of a return", as: m.all, method: "POST",
				target: m.at(t, "/returns/"+anyApproved+"/refund"), body: "{}", status: 200,
				events: "order.refunded order.return_updated"},
			{name: "too much for a return", as: m.all, method: "POST",
				target: m.at(t, "/returns/"+anyApproved+"/refund"), body: `{"amount_minor":5001}`, status: 409},
			{name: "an exchange", as: m.all, method: "POST", target: m.at(t, "/returns/"+anyApproved+"/exchange"),
				body: anItem, status: 200, events: "order.created order.paid; order.refunded order.return_updated"},

			{name: "an order", as: m.all, method: "POST", target: "/orders", body: anItem, status: 201,
				events: "order.created"},
			{name: "an order with a payment", as: m.all, method: "POST", target: "/orders",
				body:   strings.TrimSuffix(anItem, "}") + `,"payments":[{"amount_minor":100}]}`,
				status: 201, events: "order.created order.paid"},
			{name: "an order with too much paid", as: m.all, method: "POST", target: "/orders",
				body: strings.TrimSuffix(anItem, "}") + `,"payments":[{"amount_minor":101}]}`, status: 409},
			{name: "another number", as: m.all, method: "PATCH", target: m.at(t, "/orders/"+anyOrder),
				body: `{"external_number":"1"}`, status: 200, events: "order.updated"},
			{name: "other tracking", as: m.all, method: "PATCH", target: m.at(t, "/orders/"+anyShipment),
				body: `{"tracking":{"number":"1"}}`, status: 200, events: "order.updated"},

			{name: "a price", as: m.all, method: "PATCH", target: m.at(t, "/products/"+anyDraft),
				body: `{"price_minor":5}`, status: 200, events: "product.updated"},
			{name: "a variant", as: m.all, method: "PATCH", target: m.at(t, "/products/"+anyVariant),
				body: `{"weight_grams":5}`, status: 200, events: "product.updated"},
			{name: "a stock", as: m.all, method: "PATCH", target: m.at(t, "/products/"+anyVariant),
				body: `{"inventory_quantity":5}`, status: 200},
			{name: "variants", as: m.all, method: "PATCH", target: m.at(t, "/products/"+anyDraft),
				body:   `{"options":[{"name":"Size","values":["S"]}],"variants":[{"options":["S"],"price_minor":1}]}`,
				status: 200, events: "product.updated"},
			{name: "a publication", as: m.all, method: "POST", target: m.at(t, "/products/"+anyDraft+"/publish"),
				body: "{}", status: 200, events: "product.published product.updated"},
			{name: "a withdrawal", as: m.all, method: "POST", target: m.at(t, "/products/"+anyActive+"/unpublish"),
				body: "{}", status: 200, events: "product.unpublished product.updated"},
			{name: "an archived product", as: m.all, method: "POST", target: m.at(t, "/products/"+anyActive+"/archive"),
				body: "{}", status: 200, events: "product.archived product.updated"},
			{name: "a reference", as: m.all, method: "PUT", target: "/products/by-reference/" + orderID,
				body: draft("Cup"), status: 201, events: "product.created"},
			{name: "a known reference", as: m.all, method: "PUT", target: "/products/by-reference/" + orderID,
				body: `{"title":"Jug"}`, status: 200, events: "product.updated"},
			{name: "a count", as: m.all, method: "POST", target: "/inventory/adjustments",
				body: `{"lines":[{"sku":"MUG-1","set":5}]}`, status: 200},
			{name: "a place", as: m.all, method: "POST", target: "/inventory/adjustments",
				body: `{"lines":[{"sku":"MUG-1","set":5,"location":"loc_1"}]}`, status: 422},

			{name: "a customer", as: m.all, method: "POST", target: "/customers", body: `{"email":"x@example.com"}`,
				status: 201, events: "customer.created"},
			{name: "a name", as: m.all, method: "PATCH", target: m.at(t, "/customers/"+anyCustomer),
				body: `{"first_name":"Ada"}`, status: 200, events: "customer.updated"},
			{name: "a discount", as: m.all, method: "POST", target: "/discounts",
				body: `{"code":"NEW","kind":"free_shipping"}`, status: 201},
			{name: "an ended discount", as: m.all, method: "PATCH", target: m.at(t, "/discounts/"+anyDiscount),
				body: `{"active":false}`, status: 200},
			{name: "a location", as: m.all, method: "POST", target: "/locations", body: `{"name":"Shop"}`, status: 201},
			{name: "a place's name", as: m.all, method: "PATCH", target: m.at(t, "/locations/"+anyLocation),
				body: `{"name":"x"}`, status: 200},
			{name: "a closed place", as: m.all, method: "POST", target: m.at(t, "/locations/"+anyLocation+"/close"),
				body: `{}`, status: 200},
			{name: "no default place", as: m.all, method: "POST", target: m.at(t, "/locations/"+homeID+"/close"),
				body: `{}`, status: 409},
			{name: "another order of places", as: m.all, method: "PUT", target: "/location-order",
				body: `{"ids":["` + openPlaces + `"]}`, status: 200},
			{name: "an unknown place first", as: m.all, method: "PUT", target: "/location-order",
				body: `{"ids":["loc_1"]}`, status: 422},
			{name: "a transfer to nowhere", as: m.all, method: "POST", target: "/inventory/transfers",
				body: `{"from":"loc_1","to":"loc_2","lines":[{"sku":"MUG-1","quantity":1}]}`, status: 422},
			{name: "a transfer", as: m.all, method: "POST", target: "/inventory/transfers",
				body: fmt.Sprintf(`{"from":%q,"to":%q,"lines":[{"variant_id":%q,"quantity":1}]}`, m.at(t, homeID),
					m.at(t, anyLocation), xid.Variant.Format(m.product(t).ID)), status: 200},
			{name: "a custom field", as: m.all, method: "POST", target: "/custom-fields",
				body: `{"owner":"product","name":"a.b","label":"B","type":"text"}`, status: 201},
			{name: "another label", as: m.all, method: "PATCH", target: m.at(t, "/custom-fields/"+anyField),
				body: `{"label":"x"}`, status: 200},
			{name: "no field", as: m.all, method: "DELETE", target: m.at(t, "/custom-fields/"+anyField), status: 204},
			{name: "no discount", as: m.all, method: "DELETE", target: m.at(t, "/discounts/"+anyDiscount), status: 204},

			{name: "an endpoint", as: m.all, method: "POST", target: "/webhooks", body: hook("order.paid"),
				status: 201},
			{name: "an endpoint with a bad address", as: m.all, method: "POST", target: "/webhooks",
				body: `{"url":"https://10.0.0.1/","events":["order.paid"]}`, status: 422},
			{name: "a deletion", as: m.all, method: "DELETE", target: "/webhooks/" + made.ID, status: 204},
			{name: "a second deletion", as: m.all, method: "DELETE", target: "/webhooks/" + made.ID, status: 404},

			{name: "an export", as: m.all, method: "POST", target: "/exports", body: `{"kind":"orders"}`, status: 202},
			{name: "an export of nothing known", as: m.all, method: "POST", target: "/exports",
				body: `{"kind":"people"}`, status: 422},
			{name: "an export without the scope", as: read, method: "POST", target: "/exports",
				body: `{"kind":"orders"}`, status: 403},
			{name: "an export without the kind's scope", as: m.keyOf(scope.ExportsWrite), method: "POST",
				target: "/exports", body: `{"kind":"orders"}`, status: 403},

			{name: "an import", as: m.all, method: "POST", target: "/imports", body: anImport, status: 202},
			{name: "an import of no file", as: m.all, method: "POST", target: "/imports",
				body: `{"kind":"products"}`, status: 422},

			{name: "the active theme", as: m.all, method: "POST", target: "/themes/" + themeID + "/activate",
				status: 200},
			{name: "another theme", as: m.all, method: "POST", target: "/themes/" + inactiveID + "/activate",
				status: 200, events: "theme.activated"},
			{name: "a theme that failed", as: m.all, method: "POST",
				target: "/themes/" + xid.Theme.Format(fixed(4)) + "/activate", status: 409},
			{name: "another store's theme", as: other.all, method: "POST", target: "/themes/" + themeID + "/activate",
				status: 404},
			{name: "a theme without the scope", as: read, method: "POST", target: "/themes/" + themeID + "/activate",
				status: 403},
		} {
			t.Run(d.name, func(t *testing.T) {
				body := m.at(t, d.body)
				log.Mark(t, s.store)
				for i := range 3 {
					r := request{As: d.as, Method: d.method, Path: d.target, Body: body, Free: true,
						Header: map[string]string{"Idempotency-Key": strings.ReplaceAll(d.name, " ", "-")}}
					if got := s.do(t, r).Status; got != d.status {
						t.Errorf("status %d, want %d", got, d.status)
					}
					want := d.events
					if i > 0 {
						want = "" // a replay
					}
					if got := log.Since(t, s.store); got != want {
						t.Errorf("request %d events %q, want %q", i+1, got, want)
					}
				}
			})
			if d.status < http.StatusBadRequest {
				written[d.method+" "+ids.ReplaceAllString(d.target, "{id}")] = true
			}
		}
		named := strings.NewReplacer("{fulfillment_id}", "{id}", "{variant_id}", "{id}", "{external_reference}", "{id}")
		for _, r := range rest.Routes() {
			if r.Method != http.MethodGet && !written[r.Method+" "+named.Replace(r.Path)] {
				t.Errorf("%s %s is not in the table", r.Method, r.Path)
			}
		}
		m.checkEvents(t)
	})
}

// Twenty concurrent requests with one key create one event.
func TestEventsOfTwins(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		log := new(storetest.Log)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { s.post(t, m.all, "k", "/products", draft("Cup")) })
		}
		wg.Wait()
		if got := log.Since(t, s.store); got != "product.created" {
			t.Errorf("events %q", got)
		}
	})
}

// A write whose answer cannot be stored leaves nothing behind: change, event and key are one
// transaction.
func TestNoEventWithoutItsAnswer(t *testing.T) {
	s, m := sqlite(t)
	log := new(storetest.Log)
	err := s.store.Admin(t.Context(), func(c *sql.Conn) error {
		_, err := c.ExecContext(t.Context(),
			"CREATE TRIGGER refuse BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'refused'); END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.post(t, m.all, "k", "/products", draft("Cup")).want(http.StatusInternalServerError, "internal_error")
	if got := log.Since(t, s.store); got != "" || s.products(t, m.all) != 0 {
		t.Errorf("events %q of a change that is not there", got)
	}
}
