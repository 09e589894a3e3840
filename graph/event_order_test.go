package graph_test

import (
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// order creates an order of two units at 100, with stock and its own customer, and applies the
// steps of way.
func (w *caller) order(way string) *model.Order {
	w.t.Helper()
	c := w.customer("")
	o := w.orderOf(c)
	for name := range strings.FieldsSeq(way) {
		o = graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps[name](w.Ctx, w.Mutation(), o)).Order
	}
	return o
}

// orderOf creates an order of a customer with their email address.
func (w *caller) orderOf(c *model.Customer) *model.Order {
	w.t.Helper()
	return graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderCreate(w.Ctx, model.OrderCreateInput{
		Lines: []*model.OrderLineInput{graphtest.ProductLine(graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 100,
			10), 2)},
		Source: "test", CustomerID: new(c.PublicID())})).Order
}

// customer creates a customer with unique data and applies the steps of way.
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

// onOrder returns arguments for an order after the steps of way; LINE in more stands for the id of
// its line.
func onOrder(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		o := w.order(way)
		return strings.ReplaceAll(at(o.PublicID(), o.Version, more...), "LINE",
			fmt.Sprintf("%q", o.Lines[0].PublicID()))
	}
}

// pricedOrder returns arguments that change the quantity of an order of 3 units at 50, which the store
// computes, after the steps of way.
func pricedOrder(way string, quantity int, more ...string) func(*caller) string {
	return func(w *caller) string {
		o := graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderCreate(w.Ctx, model.OrderCreateInput{
			Lines: []*model.OrderLineInput{graphtest.CustomLine("Cup", 3, 50)}, Source: "test",
			Pricing: &model.OrderPricingInput{}})).Order
		for step := range strings.FieldsSeq(way) {
			o = graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps[step](w.Ctx, w.Mutation(), o)).Order
		}
		return at(o.PublicID(), o.Version, fmt.Sprintf("input: {lines: [{lineItemId: %q, quantity: %d}] %s}",
			o.Lines[0].PublicID(), quantity, strings.Join(more, " ")))
	}
}

// basket returns arguments for an order of a product with a stock of 3.
func basket(quantity int, price int64, more string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, price, 3)
		return fmt.Sprintf("input: {lines: [{productId: %q, quantity: %d}] %s}", p.PublicID(), quantity, more)
	}
}

// oneOfTwo selects one unit of the line.
const oneOfTwo = "lines: [{lineItemId: LINE, quantity: 1}]"

// orderEffects covers the state machines of an order (contract, section 6).
var orderEffects = []effect{
	{field: "orderCreate", name: "to be paid", args: basket(2, 100, ""), events: "order.created"},
	{field: "orderCreate", name: "free", args: basket(2, 0, ""), events: "order.created order.paid"},
	{field: "orderCreate", name: "free by its discount",
		args:   fixedArgs(`input: {lines: [{title: "a", quantity: 1, unitPriceMinor: 5, discountMinor: 5}]}`),
		events: "order.created order.paid"},
	{field: "orderCreate", name: "imported", args: basket(1, 100, `placedAt: "2020-01-02T03:04:05Z"`),
		events: "order.created"},
	{field: "orderCreate", name: "imported and free", args: basket(1, 0, `placedAt: "2020-01-02T03:04:05Z"`),
		events: "order.created order.paid"},
	{field: "orderCreate", name: "for a customer", args: func(w *caller) string {
		return basket(1, 100, fmt.Sprintf("customerId: %q", w.customer("").PublicID()))(w)
	}, events: "order.created"},
	{field: "orderCreate", name: "out of stock", args: basket(4, 100, ""), refused: "out_of_stock"},
	{field: "orderCreate", name: "for nobody", args: basket(1, 100, `customerId: "cus_1"`), refused: "unknown_value"},

	{field: "orderMarkPaid", name: "all of it", args: onOrder(""), events: "order.paid"},
	{field: "orderMarkPaid", name: "the rest", args: onOrder("pay_50 pay_50"), events: "order.paid"},
	{field: "orderMarkPaid", name: "a completed order", args: onOrder("ship complete"), events: "order.paid"},
	{field: "orderMarkPaid", name: "again", args: onOrder("mark_paid"), refused: "invalid_transition"},
	{field: "orderMarkPaid", name: "after a refund", args: onOrder("pay_50 refund_50"), events: "order.paid"},
	{field: "orderMarkPaid", name: "a stale version",
		args: func(w *caller) string { return at(w.order("tag").PublicID(), 1) }, refused: "version_mismatch"},

	{field: "orderRecordPayment", name: "a part", args: onOrder("", "input: {amountMinor: 50}"),
		events: "order.partially_paid"},
	{field: "orderRecordPayment", name: "another part", args: onOrder("pay_50", "input: {amountMinor: 50}"),
		events: "order.partially_paid"},
	{field: "orderRecordPayment", name: "the rest", args: onOrder("pay_50", "input: {amountMinor: 150}"),
		events: "order.paid"},
	{field: "orderRecordPayment", name: "all of it", args: onOrder("", "input: {amountMinor: 200}"),
		events: "order.paid"},
	{field: "orderRecordPayment", name: "too much", args: onOrder("", "input: {amountMinor: 201}"),
		refused: "amount_exceeds_balance"},
	{field: "orderRecordPayment", name: "a cancelled order", args: onOrder("cancel", "input: {amountMinor: 50}"),
		refused: "invalid_transition"},

	{field: "orderRefund", name: "a part", args: onOrder("mark_paid", "input: {amountMinor: 50}"),
		events: "order.refunded"},
	{field: "orderRefund", name: "another part", args: onOrder("mark_paid refund_50", "input: {amountMinor: 50}"),
		events: "order.refunded"},
	{field: "orderRefund", name: "the rest", args: onOrder("mark_paid refund_50", "input: {amountMinor: 150}"),
		events: "order.refunded"},
	{field: "orderRefund", name: "all of a part", args: onOrder("pay_50", "input: {amountMinor: 50}"),
		events: "order.refunded"},
	{field: "orderRefund", name: "with its stock",
		args: onOrder("mark_paid", "input: {amountMinor: 50, restock: true, "+oneOfTwo+"}"), events: "order.refunded"},
	{field: "orderRefund", name: "what was left to ship",
		args:   onOrder("mark_paid ship_1", "input: {amountMinor: 50, "+oneOfTwo+"}"),
		events: "order.refunded order.fulfilled"},
	{field: "orderRefund", name: "a cancelled order", args: onOrder("mark_paid cancel", "input: {amountMinor: 200}"),
		events: "order.refunded"},
	{field: "orderRefund", name: "too much", args: onOrder("mark_paid", "input: {amountMinor: 201}"),
		refused: "amount_exceeds_balance"},
	{field: "orderRefund", name: "nothing taken", args: onOrder("", "input: {amountMinor: 1}"),
		refused: "invalid_transition"},

	{field: "orderReturnCreate", name: "one unit", args: unversioned("mark_paid ship", "input: {"+oneOfTwo+"}"),
		events: "order.return_requested"},
	{field: "orderReturnCreate", name: "of a cancelled order", args: unversioned("cancel", "input: {"+oneOfTwo+"}"),
		refused: "invalid_transition"},
	{field: "orderReturnApprove", name: "a request", args: onReturn(1, "input: {}"), events: "order.return_updated"},
	{field: "orderReturnReceive", name: "an approved one", args: onReturn(2), events: "order.return_updated"},
	{field: "orderReturnReceive", name: "a request", args: onReturn(1), refused: "invalid_transition"},
	{field: "orderReturnDecline", name: "a request", args: onReturn(1, `reason: "Used"`),
		events: "order.return_updated"},
	{field: "orderReturnRefund", name: "an approved one", args: onReturn(2, "input: {amountMinor: 50}"),
		events: "order.refunded order.return_updated"},
	{field: "orderReturnRefund", name: "too much", args: onReturn(2, "input: {amountMinor: 201}"),
		refused: "amount_exceeds_balance"},

	{field: "orderReturnExchange", name: "an approved one", args: onReturn(2, exchanged),
		events: "order.created order.paid; order.refunded order.return_updated"},
	{field: "orderReturnExchange", name: "a dearer one", args: onReturn(2, strings.Replace(exchanged, "50", "900", 1)),
		events: "order.created order.partially_paid; order.refunded order.return_updated"},
	{field: "orderReturnExchange", name: "a request", args: onReturn(1, exchanged), refused: "invalid_transition"},

	{field: "orderFulfill", name: "a part", args: onOrder("", "input: {"+oneOfTwo+"}"),
		events: "order.partially_fulfilled"},
	{field: "orderFulfill", name: "another part", args: threeUnits, events: "order.partially_fulfilled"},
	{field: "orderFulfill", name: "the rest", args: onOrder("ship_1", "input: {"+oneOfTwo+"}"),
		events: "order.fulfilled"},
	{field: "orderFulfill", name: "all of it", args: onOrder("mark_paid", "input: {}"), events: "order.fulfilled"},
	{field: "orderFulfill", name: "all but what was refunded", args: onOrder("mark_paid return_1", "input: {}"),
		events: "order.fulfilled"},
	{field: "orderFulfill", name: "nothing left", args: onOrder("ship", "input: {}"), refused: "invalid_transition"},
	{field: "orderFulfill", name: "a cancelled order", args: onOrder("cancel", "input: {}"),
		refused: "invalid_transition"},

	{field: "orderFulfillmentUpdate", name: "another number", args: onShipment(`{trackingNumber: "2"}`),
		events: "order.updated"},
	{field: "orderFulfillmentUpdate", name: "nothing", args: onShipment("{}")},
	{field: "orderFulfillmentUpdate", name: "of another order", args: onOrder("ship",
		fmt.Sprintf("fulfillmentId: %q", xid.Fulfillment.Format(xid.New())), "input: {}"), refused: "not_found"},

	{field: "orderCancel", name: "unpaid", args: onOrder(""), events: "order.cancelled"},
	{field: "orderCancel", name: "paid, the money stays", args: onOrder("mark_paid"), events: "order.cancelled"},
	{field: "orderCancel", name: "paid, with refund", args: onOrder("mark_paid", "refund: true"),
		events: "order.cancelled order.refunded"},
	{field: "orderCancel", name: "partly paid, with refund", args: onOrder("pay_50", "refund: true"),
		events: "order.cancelled order.refunded"},
	{field: "orderCancel", name: "nothing to refund", args: onOrder("", "refund: true"), events: "order.cancelled"},
	{field: "orderCancel", name: "refunded before", args: onOrder("mark_paid refund_200", "refund: true"),
		events: "order.cancelled"},
	{field: "orderCancel", name: "with a reason", args: onOrder("", `reason: "Sold out"`),
		events: "order.cancelled order.note_added"},
	{field: "orderCancel", name: "with all of it", args: onOrder("mark_paid", `refund: true, reason: "Sold out"`),
		events: "order.cancelled order.refunded order.note_added"},
	{field: "orderCancel", name: "shipped", args: onOrder("ship_1"), refused: "invalid_transition"},
	{field: "orderCancel", name: "again", args: onOrder("cancel"), refused: "invalid_transition"},

	{field: "orderComplete", name: "fulfilled", args: onOrder("ship"), events: "order.completed"},
	{field: "orderComplete", name: "not fulfilled", args: onOrder("mark_paid"), refused: "invalid_transition"},

	{field: "orderUpdate", name: "its tags", args: onOrder("", `input: {tags: ["vip"]}`), events: "order.updated"},
	{field: "orderUpdate", name: "all of it",
		args: onOrder("",
			`input: {email: "b@example.com", tags: ["vip"], billingAddress: {line1: "1", city: "Ulm", country: "DE"},`+
				` shippingAddress: {line1: "1", city: "Ulm", country: "DE"}}`), events: "order.updated"},
	{field: "orderUpdate", name: "a cancelled order", args: onOrder("cancel", `input: {tags: ["vip"]}`),
		events: "order.updated"},
	{field: "orderUpdate", name: "nothing", args: onOrder("tag", `input: {tags: ["vip"]}`)},
	{field: "orderUpdate", name: "no member", args: onOrder("", `input: {}`)},

	{field: "orderEditLines", name: "another quantity", args: pricedOrder("", 2), events: "order.updated"},
	{field: "orderEditLines", name: "down to what was paid", args: pricedOrder("pay_50", 1),
		events: "order.updated order.paid"},
	{field: "orderEditLines", name: "below what was paid", args: pricedOrder("mark_paid", 1, "refund: true"),
		events: "order.updated"},
	{field: "orderEditLines", name: "below a part payment", args: pricedOrder("pay_100", 1, "refund: true"),
		events: "order.updated order.paid"},
	{field: "orderEditLines", name: "below what was paid, unasked", args: pricedOrder("mark_paid", 1),
		refused: "amount_exceeds_balance"},
	{field: "orderEditLines", name: "own amounts", args: onOrder("", "input: {"+oneOfTwo+"}"),
		refused: "invalid_transition"},

	{field: "orderNoteAppend", name: "a note", args: noteOn("", `body: "hello"`), events: "order.note_added"},
	{field: "orderNoteAppend", name: "for the customer", args: noteOn("cancel", `body: "hello", visibility: CUSTOMER`),
		events: "order.note_added"},
	{field: "orderNoteAppend", name: "blank", args: noteOn("", `body: " "`), refused: "too_short"},
	{field: "orderNoteAppend", name: "for no order", args: fixedArgs(`orderId: "ord_1", input: {body: "hello"}`),
		refused: "not_found"},
}

// noteOn returns arguments for a note on an order after the steps of way.
func noteOn(way, input string) func(*caller) string {
	return func(w *caller) string {
		return fmt.Sprintf("orderId: %q, input: {%s}", w.order(way).PublicID(), input)
	}
}

// unversioned is [onOrder] without the version.
func unversioned(way string, more string) func(*caller) string {
	return func(w *caller) string {
		o := w.order(way)
		return fmt.Sprintf("id: %q, ", o.PublicID()) + strings.ReplaceAll(more, "LINE",
			fmt.Sprintf("%q", o.Lines[0].PublicID()))
	}
}

// exchanged is the input of an exchange.
const exchanged = `input: {lines: [{title: "Cup", quantity: 1, unitPriceMinor: 50}]}`

// onReturn returns arguments for a return of a paid order, which version 1 requests and 2 approves.
func onReturn(version int64, more ...string) func(*caller) string {
	return func(w *caller) string {
		o, m := w.order("mark_paid ship"), w.Mutation()
		of := graphtest.Must[*model.ReturnPayload](w.t)(m.OrderReturnCreate(w.Ctx, o.PublicID(), model.ReturnInput{
			Lines: []*model.ReturnLineInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1,
				Reason: state.ReasonMind}}})).Return
		if version == 2 {
			of = graphtest.Must[*model.ReturnPayload](w.t)(m.OrderReturnApprove(w.Ctx, of.PublicID(), 1,
				model.ReturnApproveInput{})).Return
		}
		return at(of.PublicID(), of.Version, more...)
	}
}

// onShipment returns arguments for the first shipment of an order.
func onShipment(input string) func(*caller) string {
	return func(w *caller) string {
		o := w.order("ship")
		of := graphtest.Must[[]*db.Fulfillment](w.t)(w.Client(w.Ctx).Fulfillment.Query().
			Where(fulfillment.OrderID(o.ID)).Load(w.Ctx))
		return at(o.PublicID(), o.Version, fmt.Sprintf("fulfillmentId: %q", of[0].PublicID()), "input: "+input)
	}
}

// threeUnits returns arguments to ship the second of three units.
func threeUnits(w *caller) string {
	o := graphtest.NewOrder(w.t, w.Ctx, w.Resolver, graphtest.CustomLine("a", 3, 100))
	o = graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["ship_1"](w.Ctx, w.Mutation(), o)).Order
	return at(o.PublicID(), o.Version,
		fmt.Sprintf("input: {lines: [{lineItemId: %q, quantity: 1}]}", o.Lines[0].PublicID()))
}
