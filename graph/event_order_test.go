package graph_test

import (
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// order makes an order of two units at 100, with stock and a customer of its own,
// and takes it some of the steps.
func (w *caller) order(way string) *model.Order {
	w.t.Helper()
	c := w.customer("")
	o := w.orderOf(c)
	for name := range strings.FieldsSeq(way) {
		o = graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps[name](w.Ctx, w.Mutation(), o)).Order
	}
	return o
}

// orderOf makes an order of a customer, with his e-mail.
func (w *caller) orderOf(c *model.Customer) *model.Order {
	w.t.Helper()
	return graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderCreate(w.Ctx, model.OrderCreateInput{
		Lines: []*model.OrderLineInput{graphtest.Of(graphtest.Ware(w.t, w.Ctx, w.Resolver, 100, 10), 2)}, Source: "test", CustomerID: new(c.PublicID())})).Order
}

// customer makes a customer who can be told from the others, and moves him on.
func (w *caller) customer(way string) *model.Customer {
	w.t.Helper()
	in := graphtest.Ada()
	in.Email = new(xid.New().String() + "@example.com")
	c := graphtest.NewCustomer(w.t, w.Ctx, w.Resolver, in)
	m := w.Mutation()
	for move := range strings.FieldsSeq(way) {
		next := m.CustomerDisable
		if move == "redact" {
			next = m.CustomerRedact
		}
		c = graphtest.Must[*model.CustomerPayload](w.t)(next(w.Ctx, c.PublicID(), c.Version)).Customer
	}
	return c
}

// onOrder are the arguments for an order that went a way; LINE in more stands for
// the id of its line.
func onOrder(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		o := w.order(way)
		return strings.ReplaceAll(at(o.PublicID(), o.Version, more...), "LINE", fmt.Sprintf("%q", o.Lines[0].PublicID()))
	}
}

// basket are the arguments for an order of a product with a stock of 3.
func basket(quantity int, price int64, more string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.Ware(w.t, w.Ctx, w.Resolver, price, 3)
		return fmt.Sprintf("input: {lines: [{productId: %q, quantity: %d}] %s}", p.PublicID(), quantity, more)
	}
}

// oneOfTwo picks one unit of the line.
const oneOfTwo = "lines: [{lineItemId: LINE, quantity: 1}]"

// orderEffects are the state machines of an order (contract, section 6).
var orderEffects = []effect{
	{"orderCreate", "to be paid", basket(2, 100, ""), "order.created", ""},
	{"orderCreate", "free", basket(2, 0, ""), "order.created order.paid", ""},
	{"orderCreate", "free by its discount", fixedArgs(`input: {lines: [{title: "a", quantity: 1, unitPriceMinor: 5, discountMinor: 5}]}`), "order.created order.paid", ""},
	{"orderCreate", "imported", basket(1, 100, `placedAt: "2020-01-02T03:04:05Z"`), "order.created", ""},
	{"orderCreate", "imported and free", basket(1, 0, `placedAt: "2020-01-02T03:04:05Z"`), "order.created order.paid", ""},
	{"orderCreate", "for a customer", func(w *caller) string {
		return basket(1, 100, fmt.Sprintf("customerId: %q", w.customer("").PublicID()))(w)
	}, "order.created", ""},
	{"orderCreate", "out of stock", basket(4, 100, ""), "", "out_of_stock"},
	{"orderCreate", "for nobody", basket(1, 100, `customerId: "cus_1"`), "", "unknown_value"},

	{"orderMarkPaid", "all of it", onOrder(""), "order.paid", ""},
	{"orderMarkPaid", "the rest", onOrder("pay_50 pay_50"), "order.paid", ""},
	{"orderMarkPaid", "a completed order", onOrder("ship complete"), "order.paid", ""},
	{"orderMarkPaid", "again", onOrder("mark_paid"), "", "invalid_transition"},
	{"orderMarkPaid", "after a refund", onOrder("pay_50 refund_50"), "", "invalid_transition"},
	{"orderMarkPaid", "a stale version", func(w *caller) string { return at(w.order("tag").PublicID(), 1) }, "", "version_mismatch"},

	{"orderRecordPayment", "a part", onOrder("", "input: {amountMinor: 50}"), "order.partially_paid", ""},
	{"orderRecordPayment", "another part", onOrder("pay_50", "input: {amountMinor: 50}"), "order.partially_paid", ""},
	{"orderRecordPayment", "the rest", onOrder("pay_50", "input: {amountMinor: 150}"), "order.paid", ""},
	{"orderRecordPayment", "all of it", onOrder("", "input: {amountMinor: 200}"), "order.paid", ""},
	{"orderRecordPayment", "too much", onOrder("", "input: {amountMinor: 201}"), "", "amount_exceeds_balance"},
	{"orderRecordPayment", "a cancelled order", onOrder("cancel", "input: {amountMinor: 50}"), "", "invalid_transition"},

	{"orderRefund", "a part", onOrder("mark_paid", "input: {amountMinor: 50}"), "order.refunded", ""},
	{"orderRefund", "another part", onOrder("mark_paid refund_50", "input: {amountMinor: 50}"), "order.refunded", ""},
	{"orderRefund", "the rest", onOrder("mark_paid refund_50", "input: {amountMinor: 150}"), "order.refunded", ""},
	{"orderRefund", "all of a part", onOrder("pay_50", "input: {amountMinor: 50}"), "order.refunded", ""},
	{"orderRefund", "with its stock", onOrder("mark_paid", "input: {amountMinor: 50, restock: true, "+oneOfTwo+"}"), "order.refunded", ""},
	{"orderRefund", "what was left to ship", onOrder("mark_paid ship_1", "input: {amountMinor: 50, "+oneOfTwo+"}"), "order.refunded order.fulfilled", ""},
	{"orderRefund", "a cancelled order", onOrder("mark_paid cancel", "input: {amountMinor: 200}"), "order.refunded", ""},
	{"orderRefund", "too much", onOrder("mark_paid", "input: {amountMinor: 201}"), "", "amount_exceeds_balance"},
	{"orderRefund", "nothing taken", onOrder("", "input: {amountMinor: 1}"), "", "invalid_transition"},

	{"orderFulfill", "a part", onOrder("", "input: {"+oneOfTwo+"}"), "order.partially_fulfilled", ""},
	{"orderFulfill", "another part", threeUnits, "order.partially_fulfilled", ""},
	{"orderFulfill", "the rest", onOrder("ship_1", "input: {"+oneOfTwo+"}"), "order.fulfilled", ""},
	{"orderFulfill", "all of it", onOrder("mark_paid", "input: {}"), "order.fulfilled", ""},
	{"orderFulfill", "all but what was refunded", onOrder("mark_paid return_1", "input: {}"), "order.fulfilled", ""},
	{"orderFulfill", "nothing left", onOrder("ship", "input: {}"), "", "invalid_transition"},
	{"orderFulfill", "a cancelled order", onOrder("cancel", "input: {}"), "", "invalid_transition"},

	{"orderCancel", "unpaid", onOrder(""), "order.cancelled", ""},
	{"orderCancel", "paid, the money stays", onOrder("mark_paid"), "order.cancelled", ""},
	{"orderCancel", "paid, with refund", onOrder("mark_paid", "refund: true"), "order.cancelled order.refunded", ""},
	{"orderCancel", "partly paid, with refund", onOrder("pay_50", "refund: true"), "order.cancelled order.refunded", ""},
	{"orderCancel", "nothing to refund", onOrder("", "refund: true"), "order.cancelled", ""},
	{"orderCancel", "refunded before", onOrder("mark_paid refund_200", "refund: true"), "order.cancelled", ""},
	{"orderCancel", "with a reason", onOrder("", `reason: "Sold out"`), "order.cancelled order.note_added", ""},
	{"orderCancel", "with all of it", onOrder("mark_paid", `refund: true, reason: "Sold out"`), "order.cancelled order.refunded order.note_added", ""},
	{"orderCancel", "shipped", onOrder("ship_1"), "", "invalid_transition"},
	{"orderCancel", "again", onOrder("cancel"), "", "invalid_transition"},

	{"orderComplete", "fulfilled", onOrder("ship"), "order.completed", ""},
	{"orderComplete", "not fulfilled", onOrder("mark_paid"), "", "invalid_transition"},

	{"orderUpdate", "its tags", onOrder("", `input: {tags: ["vip"]}`), "order.updated", ""},
	{"orderUpdate", "all of it", onOrder("", `input: {email: "b@example.com", tags: ["vip"], billingAddress: {line1: "1", city: "Ulm", country: "DE"}, shippingAddress: {line1: "1", city: "Ulm", country: "DE"}}`), "order.updated", ""},
	{"orderUpdate", "a cancelled order", onOrder("cancel", `input: {tags: ["vip"]}`), "order.updated", ""},
	{"orderUpdate", "nothing", onOrder("tag", `input: {tags: ["vip"]}`), "", ""},
	{"orderUpdate", "no member", onOrder("", `input: {}`), "", ""},

	{"orderNoteAppend", "a note", noteOn("", `body: "hello"`), "order.note_added", ""},
	{"orderNoteAppend", "for the customer", noteOn("cancel", `body: "hello", visibility: CUSTOMER`), "order.note_added", ""},
	{"orderNoteAppend", "blank", noteOn("", `body: " "`), "", "too_short"},
	{"orderNoteAppend", "for no order", fixedArgs(`orderId: "ord_1", input: {body: "hello"}`), "", "not_found"},
}

// noteOn are the arguments of a note on an order that went a way.
func noteOn(way, input string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("orderId: %q, input: {%s}", w.order(way).PublicID(), input)
	}
}

// threeUnits ships the second of three units.
func threeUnits(w *caller) string {
	o := graphtest.Sale(w.t, w.Ctx, w.Resolver, graphtest.Item("a", 3, 100))
	o = graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["ship_1"](w.Ctx, w.Mutation(), o)).Order
	return at(o.PublicID(), o.Version, fmt.Sprintf("input: {lines: [{lineItemId: %q, quantity: 1}]}", o.Lines[0].PublicID()))
}
