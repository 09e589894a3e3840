package rest_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// anyOrder is the id of a new order in the paths of requests: 10 units of 1000, of which half is
// paid.
const anyOrder = "{order}"

// order creates an order as [anyOrder] says, and returns its id and that of its line.
func (m *shop) order(t testing.TB) (id, line string) {
	t.Helper()
	r := graphtest.NewCore(t, m.store)
	o := graphtest.NewOrder(t, m.ctx, r, graphtest.CustomLine("Bowl", 10, 1000))
	o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderRecordPayment(m.ctx, o.PublicID(), o.Version,
		model.PaymentInput{AmountMinor: 5000})).Order
	return o.PublicID(), xid.OrderLine.Format(o.Lines[0].ID)
}

// giveBack creates a return of one unit of an order.
func (m *shop) giveBack(t testing.TB) *model.Return {
	t.Helper()
	id, line := m.order(t)
	in := model.ReturnInput{Lines: []*model.ReturnLineInput{{LineItemID: line, Quantity: 1, Reason: state.ReasonMind}}}
	return graphtest.Must[*model.ReturnPayload](t)(
		graphtest.NewCore(t, m.store).Mutation().OrderReturnCreate(m.ctx, id, in)).Return
}

// aReturn is the body of a return of an item of the furnished order.
var aReturn = `{"lines":[{"line_item_id":"` + xid.OrderLine.Format(fixed(10)) + `","quantity":1,"reason":"damaged"}]}`

// Ids of new rows in the paths of requests, beside [anyOrder]: a shipment and a return of such an
// order, the return as requested and as approved, a product in each state, a variant of a product, a
// customer, a discount, a custom field and an event.
const (
	anyShipment = "{shipment}"
	anyReturn   = "{return}"
	anyApproved = "{approved}"
	anyDraft    = "{draft}"
	anyActive   = "{active}"
	anyVariant  = "{variant}"
	anyCustomer = "{customer}"
	anyDiscount = "{discount}"
	anyField    = "{field}"
	anyLocation = "{location}"
	homeID      = "{home}"
	openPlaces  = "{open locations}" // their ids, with "," between them
	anyEvent    = "{event}"
)

// at replaces such an id in a path.
func (m *shop) at(t testing.TB, path string) string {
	t.Helper()
	r := graphtest.NewCore(t, m.store)
	for name, made := range map[string]func() string{
		anyOrder: func() string { id, _ := m.order(t); return id },
		anyShipment: func() string {
			id, _ := m.order(t)
			done := graphtest.Must[*model.OrderPayload](t)(
				r.Mutation().OrderFulfill(m.ctx, id, 2, model.FulfillInput{}))
			rows := graphtest.Must[[]*db.Fulfillment](t)(m.store.DB(m.ctx).Fulfillment.Query().Load(m.ctx))
			i := slices.IndexFunc(rows, func(f *db.Fulfillment) bool { return f.OrderID == done.Order.ID })
			return id + "/fulfillments/" + rows[i].PublicID()
		},
		anyReturn: func() string { return m.giveBack(t).PublicID() },
		anyApproved: func() string {
			id := m.giveBack(t).PublicID()
			graphtest.Must[*model.ReturnPayload](t)(
				r.Mutation().OrderReturnApprove(m.ctx, id, 1, model.ReturnApproveInput{}))
			return id
		},
		anyDraft: func() string { return m.product(t).PublicID() },
		anyVariant: func() string {
			p := m.product(t)
			return p.PublicID() + "/variants/" + xid.Variant.Format(p.ID)
		},
		anyActive: func() string {
			p := m.product(t)
			graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductPublish(m.ctx, p.PublicID(), 1))
			return p.PublicID()
		},
		anyCustomer: func() string {
			in := model.CustomerCreateInput{Status: state.CustomerActive, EmailMarketing: state.EmailNotSubscribed}
			return graphtest.NewCustomer(t, m.ctx, r, in).PublicID()
		},
		anyDiscount: func() string {
			in := model.DiscountInput{Code: rand.Text(), Kind: state.DiscountFreeShipping, Active: true}
			done := graphtest.Must[*model.DiscountPayload](t)(r.Mutation().DiscountCreate(m.ctx, in))
			return done.Discount.PublicID()
		},
		anyField: func() string {
			return m.field(t, state.FieldsOfProducts, strings.ToLower("a."+rand.Text())).PublicID()
		},
		homeID: func() string { return xid.Location.Format(viewer.From(m.ctx).Store) },
		anyLocation: func() string {
			return graphtest.Must[*model.LocationPayload](t)(r.Mutation().LocationCreate(m.ctx,
				model.LocationCreateInput{Name: "Shop", SellsOnline: true})).Location.PublicID()
		},
		openPlaces: func() string {
			list := graphtest.Must[*model.LocationConnection](t)(r.Query().Locations(m.ctx, new(100), nil)).Nodes
			list = slices.DeleteFunc(list, func(l *model.Location) bool { return l.ClosedAt != nil })
			return strings.Join(core.Map(list, func(l *model.Location) string { return l.PublicID() }), `","`)
		},
		anyEvent: func() string {
			id := xid.New()
			m.tx(func(ctx context.Context, c *db.Client) error {
				return c.Event.Create().SetID(id).SetType(event.WebhookEndpointFailing).
					SetResourceType("webhook_endpoint").SetResourceID(id).SetSequence(1).
					SetBody([]byte(loggedEvent(id))).Exec(ctx)
			})
			return xid.Event.Format(id)
		},
	} {
		if before, after, found := strings.Cut(path, name); found {
			path = before + made() + after
		}
	}
	return path
}

// loggedEvent is the body of an event without data.
func loggedEvent(id xid.ID) string {
	return fmt.Sprintf(`{"event_id":%q,"type":"webhook_endpoint.failing","api_version":"v1","occurred_at":%q,`+
		`"store_id":%q,"resource":{"type":"webhook_endpoint","id":%q,"version":1},"sequence":1,"changed_fields":null,`+
		`"data":null,"payload_omitted":true}`, xid.Event.Format(id), id.Time().String(), xid.Store.Format(id),
		xid.WebhookEndpoint.Format(id))
}

// field defines a text.
func (m *shop) field(t testing.TB, owner state.CustomFieldOwner, name string) *db.CustomField {
	t.Helper()
	in := model.CustomFieldCreateInput{Owner: owner, Name: name, Label: name, Type: state.FieldText,
		Filterable: owner != state.FieldsOfVariants}
	return graphtest.Must[*model.CustomFieldPayload](t)(
		graphtest.NewCore(t, m.store).Mutation().CustomFieldCreate(m.ctx, in)).CustomField
}

// defineFields defines the custom fields of the document's examples, once.
func (m *shop) defineFields(t testing.TB) {
	t.Helper()
	if n := graphtest.Must[int](t)(m.store.DB(m.ctx).CustomField.Query().Count(m.ctx)); n == 0 {
		m.field(t, state.FieldsOfProducts, "details.material")
		m.field(t, state.FieldsOfVariants, "details.finish")
		m.field(t, state.FieldsOfOrders, "details.pickup")
		m.field(t, state.FieldsOfCustomers, "details.segment")
	}
}

// product creates a draft with a stock of 10.
func (m *shop) product(t testing.TB) *db.Product {
	t.Helper()
	in := model.ProductCreateInput{Title: rand.Text(), PriceMinor: 100, Currency: "EUR",
		InventoryQuantity: new(int64(10))}
	return graphtest.NewProduct(t, m.ctx, graphtest.NewCore(t, m.store), in)
}

type changedOrder struct {
	Status            string `json:"status"`
	FinancialStatus   string `json:"financial_status"`
	FulfillmentStatus string `json:"fulfillment_status"`
	Version           int64  `json:"version"`
	Lines             []struct {
		Fulfilled int64 `json:"fulfilled_quantity"`
		Refunded  int64 `json:"refunded_quantity"`
	} `json:"line_items"`
}

// Programs ship, take payments, refund and cancel; what an order does not allow is refused, and a
// replay changes nothing.
func TestOrderChanges(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		id, line := m.order(t)
		ids := strings.NewReplacer("LINE", line)
		n := 0
		send := func(path, body string, status int, code string) (o changedOrder) {
			t.Helper()
			n++
			a := s.post(t, m.all, fmt.Sprint("change-", n), "/orders/"+id+path, ids.Replace(body)).want(status, code)
			if status < http.StatusBadRequest {
				if err := json.Unmarshal(a.Body, &o); err != nil {
					t.Fatal(err)
				}
			}
			return o
		}
		show := func(o changedOrder, want string) {
			t.Helper()
			got := fmt.Sprintf("%s %s %s %d %d", o.Status, o.FinancialStatus, o.FulfillmentStatus, o.Lines[0].Fulfilled,
				o.Lines[0].Refunded)
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		show(send("/fulfillments", `{"lines":[{"line_item_id":"LINE","quantity":4}],"tracking":{"number":"1"},
			"notify":false}`, 201, ""), "open partially_paid partially_fulfilled 4 0")
		show(send("/payments", `{}`, 201, ""), "open paid partially_fulfilled 4 0")
		show(send("/refunds", `{"lines":[{"line_item_id":"LINE","quantity":1}],"restock":true}`, 201, ""),
			"open partially_refunded partially_fulfilled 4 1")
		last := send("/fulfillments", `{"expected_version":5}`, 201, "")
		show(last, "open partially_refunded fulfilled 9 1")
		n--
		if again := send("/fulfillments", `{"expected_version":5}`, 201, ""); again.Version != last.Version {
			t.Errorf("version %d after a replay, %d before", again.Version, last.Version)
		}
		send("/fulfillments", `{}`, 409, "invalid_transition")
		send("/refunds", `{"expected_version":5,"amount_minor":1}`, 409, "version_mismatch")
		send("/refunds", `{}`, 422, "validation_failed")
		send("/refunds", `{"amount_minor":9001}`, 409, "amount_exceeds_balance")
		send("/cancel", `{}`, 409, "invalid_transition")
		a := s.post(t, m.all, "url", "/orders/"+id+"/fulfillments", `{"tracking":{"url":"http://x"}}`)
		if p := a.want(422, "validation_failed").problem().places(); len(p) != 1 ||
			p[0] != "#/tracking/url invalid_format" {
			t.Errorf("places %v", p)
		}

		id, _ = m.order(t)
		seller := m.keyOf(scope.SalesWrite)
		s.post(t, seller, "refunding", "/orders/"+id+"/cancel", `{"refund":true}`).
			want(http.StatusForbidden, "insufficient_scope")
		show(send("/cancel", `{"refund":true,"reason":"Sold out"}`, 200, ""), "cancelled refunded unfulfilled 0 0")
	})
}

// Of many payments at once without a version, each one is recorded.
func TestOrderChangesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		id, _ := m.order(t)
		done := make(chan *answer, 5)
		for i := range cap(done) {
			go func() {
				done <- s.post(t, m.all, fmt.Sprint("part-", i), "/orders/"+id+"/payments", `{"amount_minor":1000}`)
			}()
		}
		for range cap(done) {
			(<-done).want(http.StatusCreated, "")
		}
		s.post(t, m.all, "more", "/orders/"+id+"/payments", `{"amount_minor":1}`).
			want(http.StatusConflict, "invalid_transition")
	})
}

// The list of shipments has the ids by which their tracking is changed.
func TestShipmentsOfOrder(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		id, line := m.order(t)
		list := "/orders/" + id + "/fulfillments"
		read := func() (n int, tracked, place string) {
			var page struct {
				Fulfillments []struct {
					ID       string
					OrderID  string `json:"order_id"`
					Lines    []struct{ Quantity int }
					Tracking struct{ Number string }
				}
			}
			s.do(t, request{As: m.all, Path: list}).want(http.StatusOK, "").decode(&page)
			if len(page.Fulfillments) == 0 {
				return 0, "", ""
			}
			last := page.Fulfillments[len(page.Fulfillments)-1]
			if last.OrderID != id {
				t.Errorf("a shipment of %s", last.OrderID)
			}
			return len(page.Fulfillments), last.Tracking.Number, list + "/" + last.ID
		}
		if n, _, _ := read(); n != 0 {
			t.Errorf("a new order has %d shipments", n)
		}
		for i := range 2 {
			s.send(t, m.all, http.MethodPost, list, fmt.Sprintf(
				`{"lines":[{"line_item_id":%q,"quantity":1}],"tracking":{"number":"%d"}}`, line, i)).
				want(http.StatusCreated, "")
		}
		n, tracked, place := read()
		if n != 2 || tracked != "1" {
			t.Errorf("%d shipments, the last one with number %q", n, tracked)
		}
		s.send(t, m.all, http.MethodPatch, place, `{"tracking":{"number":"2"}}`).want(http.StatusOK, "")
		if _, tracked, _ = read(); tracked != "2" {
			t.Errorf("changed to %q", tracked)
		}
		stranger := newShop(t, s.store, shopRow{})
		s.do(t, request{As: stranger.all, Path: list}).want(http.StatusNotFound, "not_found")
	})
}
