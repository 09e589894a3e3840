//go:build !race

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ordered creates an order of two items at 50.00 each and returns its id.
func (p *program) ordered(t *testing.T, token string) string {
	t.Helper()
	var made struct {
		OrderCreate struct{ Order struct{ ID string } }
	}
	p.graphql(t, token,
		`mutation { orderCreate(input: {email: "ada@example.com",
			lines: [{title: "Tune-up", quantity: 2, unitPriceMinor: 5000}]}) {
		order { id } userErrors { code message } } }`, nil, &made)
	return made.OrderCreate.Order.ID
}

// tagged adds a tag to the two newest orders from the list, which is kept as a view.
func (p *program) tagged(t *testing.T, b *browser, key string) {
	t.Helper()
	b.open("/dashboard/orders?payment=PENDING")
	b.click(`[data-test="view-save"]`)
	b.fill(`dialog input[name="view"]`, "Not paid")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="view"]`)
	b.keepsView()
	b.open("/dashboard/orders")
	b.await("the view that the browser kept", `document.querySelectorAll('[data-test="view"]').length === 2 &&
		!Object.entries(localStorage).some(([k, v]) => k.startsWith('views ') && v.includes('Kept'))`)
	b.click(`[data-test="view"]`)
	b.await("the view", `location.search === '?payment=PENDING'`)
	b.click(`[data-test="view-delete"]`)
	b.await("the other view", `document.querySelectorAll('[data-test="view"]').length === 1`)
	b.click(`[data-test="view-delete"]`)
	b.gone(`[data-test="view"]`)
	b.open("/dashboard/orders")
	b.see(`[data-test="orders"] tbody tr`)
	b.click(`tbody tr:nth-child(1) [data-test="pick"]`)
	b.click(`tbody tr:nth-child(2) [data-test="pick"]`)
	b.shot("orders-chosen")
	b.click(`[data-test="bulk-tags"]`)
	b.fill(`dialog input[name="tags"]`, "checked, twice")
	b.click(`dialog [data-test="submit"]`)
	b.click(`[data-test="bulk-done"]`)
	b.gone(`[data-test="bulk"]`)
	b.run(chromedp.EmulateViewport(1366, 768))
	evaluate[any](b, "scrollTo(0, 0)")
	rows := evaluate[int](b, `[...document.querySelectorAll('[data-test="orders"] tbody tr')].filter((r) =>
		r.getBoundingClientRect().bottom <= 768 && r.getBoundingClientRect().height < 40).length`)
	if rows < 12 {
		t.Errorf("%d orders are visible on a laptop, want 12 of one line each", rows)
	}
	b.shot("orders-laptop")
	b.dress("light", 1280)
	var list struct{ Data []struct{ Tags []string } }
	p.send(t, request{As: key, Path: base + "/orders?limit=3"}).want(t, http.StatusOK, "").decode(t, &list)
	for i, o := range list.Data {
		if got := slices.Contains(o.Tags, "checked") && slices.Contains(o.Tags, "twice"); got != (i < 2) {
			t.Errorf("order %d has the tags %v", i, o.Tags)
		}
	}
}

// keepsView stores a view of orders in the browser, as earlier versions of the dashboard did.
func (b *browser) keepsView() {
	b.t.Helper()
	evaluate[any](b, `void (Storage.prototype.getItem = ((real) => function (k) {
		globalThis.viewsKey = k.endsWith(' /orders') ? k : globalThis.viewsKey;
		return real.call(this, k);
	})(Storage.prototype.getItem))`)
	b.click(`a[href="/dashboard/products"]`)
	b.click(`a[href="/dashboard/orders"]`)
	b.await("the key of the views", `Boolean(globalThis.viewsKey)`)
	evaluate[any](b, `localStorage.setItem(globalThis.viewsKey, '[{"name":"Kept","query":"status=OPEN"}]')`)
}

// packs fulfills two open orders with a pasted list and the keyboard. A wrong line stops it, and what
// was typed stays.
func (b *browser) packs() {
	b.t.Helper()
	key := func(keys ...string) {
		for _, k := range keys {
			b.run(chromedp.KeyEvent(k))
		}
	}
	b.open("/dashboard/orders?shipping=UNFULFILLED&status=OPEN")
	b.see(`[data-test="orders"] tbody tr:nth-child(5)`)
	numbers := evaluate[[]string](b, `[...document.querySelectorAll('tbody .row-link')].slice(1, 3).map((a) =>
		a.textContent)`)
	b.click(`[data-test="tracking"]`)
	b.fill(`dialog textarea[name="list"]`, numbers[0]+"; Post; P-1\n#999999999; Post; P-2\n"+numbers[1]+"; Post")
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Line 2: There is no order #999999999.")
	b.seeText("Line 3: Enter an order number")
	b.shot("orders-tracking")
	b.fill(`dialog textarea[name="list"]`, numbers[0]+"; Post; P-1\n"+numbers[1]+";;P-2")
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Fulfilled: P-2")
	b.click(`[data-test="bulk-done"]`)
	b.await("other orders", `document.querySelectorAll('tbody .row-link')[1]?.textContent !== `+quote(numbers[0]))
	b.gone(`[data-test="orders"] .stale`)

	key("j", "x", "j", "x", "f")
	b.see(`dialog [data-test="submit"]`)
	key(kb.Escape)
	b.await("the focus in the list", `document.activeElement.matches('tbody tr:nth-child(2) .row-link')`)
	key("k", "\r")
	b.see(`[data-test="order-next"]`)
	first := b.at()
	key("j")
	b.await("the next order", `location.href !== `+quote(first))
	b.see(`[data-test="order-back"]`)
	b.see(`[data-test="order-fulfill"]`)
	key("f")
	b.see(`dialog input[name="trackingNumber"]`)
	b.fill(`dialog input[name="trackingNumber"]`, "juf?")
	key(kb.Escape)
	b.click(`[data-test="leave"]`)
	b.gone(`dialog`)
	key("?")
	b.click(`[data-test="keys-on"]`)
	b.click(`[data-test="keys-close"]`)
	b.gone(`dialog`)
	key("u", "f")
	b.see(`[data-test="order-lines"]`)
	b.gone(`dialog`)
	b.click(`[data-test="keys"]`)
	b.click(`[data-test="keys-on"]`)
	b.click(`[data-test="keys-close"]`)
	key("u")
	b.see(`[data-test="orders"] tbody tr`)
	b.open("/dashboard/orders")
	b.see(`[data-test="orders"] tbody tr:nth-child(25)`)
}

// returns opens an order by its row and goes back to the place in the list, then on to the older
// orders, which start at the top.
func (b *browser) returns() {
	b.t.Helper()
	evaluate[any](b, "scrollTo(0, 250)")
	list := b.at()
	b.click(`tbody tr:nth-child(12) td:nth-child(5)`)
	b.see(`[data-test="order-lines"]`)
	evaluate[any](b, "history.back()")
	b.see(`[data-test="older"]`)
	b.await("the place in the list", "Math.abs(scrollY - 250) < 150")
	if b.at() != list {
		b.t.Errorf("back at %s, want %s", b.at(), list)
	}
	b.click(`[data-test="older"]`)
	b.see(`[data-test="newest"]`)
	if y := evaluate[int](b, "scrollY"); y != 0 {
		b.t.Errorf("the older orders begin at %d px", y)
	}
	b.open("/dashboard/orders")
}

// find opens an order with the keyboard alone, from a search of the list. Its number is the last
// one.
func (b *browser) find(id string) {
	b.t.Helper()
	b.fill(`input[name="q"]`, "nobody@example.com")
	b.run(chromedp.KeyEvent("\r"))
	b.seeText("No orders match these filters.")
	b.fill(`input[name="q"]`, "ADA@exa")
	b.run(chromedp.KeyEvent("\r"))
	b.see(css(fmt.Sprintf(`[data-test="orders"] a[href$=%q]`, id)))
	b.see(`[data-test="tab-open"] .tab-count`)
	b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.see(`dialog [data-test="palette-input"]:focus`)
	b.see(`dialog [data-test="found"][aria-selected="true"]`)
	b.run(chromedp.KeyEvent("\x1b"))
	b.await("no palette", `!document.querySelector('dialog')`)
	b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.fill(`dialog [data-test="palette-input"]`, "new pro")
	b.await("an action", `document.querySelector('[aria-selected="true"]')?.innerText.includes('New product')`)
	b.fill(`dialog [data-test="palette-input"]`, "ada@example")
	b.await("the order", `document.querySelector('[aria-selected="true"]')?.innerText.includes('#')`)
	b.shot("palette")
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent("\r"))
	b.gone(`dialog`)
	b.arrive("/dashboard/orders/" + id)
}

// An order is paid, fulfilled and refunded.
func TestBrowserOrder(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	id := p.ordered(t, f.Stores[0].StaffToken)
	b.signIn("/dashboard/orders", f.Stores[0].Owner)
	b.see(`[data-test="orders"] tbody tr`)
	b.shot("orders")
	p.tagged(t, b, f.Stores[0].Keys["all"])
	b.packs()
	b.returns()
	b.find(id)
	do := func(action string) {
		t.Helper()
		b.click(css(`[data-test="order-` + action + `"]`))
		b.see(`dialog [data-test="submit"]`)
	}
	do("mark-paid")
	b.fill(`dialog input[name="method"]`, "cash")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="order-mark-paid"]`)
	do("fulfill")
	b.fill(`dialog input[name="carrier"]`, "Post")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="order-fulfill"]`)
	b.takesBack(p.location(t, f.Stores[0], true))
	do("refund")
	b.click(`dialog input[name="choose"]`)
	b.fill(`dialog fieldset input[type="number"]`, "1")
	b.await("the amount of the units", `document.querySelector('dialog input[name="amountMinor"]').value !== ''`)
	b.fill(`dialog input[name="amountMinor"]`, "60.00")
	b.fill(`dialog input[name="reason"]`, "Came back")
	b.shot("order-refund")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="order-refund"]`)
	b.fill(`textarea[name="body"]`, "Refunded at the counter.")
	b.click(`form[data-test="note"] [data-test="submit"]`)
	b.seeText("Refunded at the counter.")
	if by := b.text(`[data-test="act"]`); !strings.HasPrefix(by, "By") || !strings.Contains(by, "(staff)") {
		t.Errorf("the order was placed %q", by)
	}
	b.shot("order")
	var order struct {
		FinancialStatus   string `json:"financial_status"`
		FulfillmentStatus string `json:"fulfillment_status"`
		RefundedMinor     int    `json:"refunded_minor"`
		NotesCount        int    `json:"notes_count"`
	}
	p.send(t, request{As: f.Stores[0].Keys["all"], Path: base + "/orders/" + id}).want(t, http.StatusOK, "").
		decode(t, &order)
	if order.FinancialStatus != "refunded" || order.FulfillmentStatus != "fulfilled" || order.RefundedMinor != 10000 ||
		order.NotesCount != 1 {
		t.Errorf("%+v", order)
	}
}

// takesBack returns one of two units of the order on the page to a location, and refunds less than its value.
func (b *browser) takesBack(place string) {
	b.click(`[data-test="return-new"]`)
	b.fill(`dialog input[name^="quantity."]`, "3")
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Choose a number from 0 to 2.")
	b.fill(`dialog input[name^="quantity."]`, "1")
	b.choose(`dialog select[name^="reason."]`, "DAMAGED")
	b.shot("return-new")
	b.click(`dialog [data-test="submit"]`)
	b.click(`[data-test="return-approve"]`)
	b.fill(`dialog textarea[name="instructions"]`, "By post")
	b.click(`dialog [data-test="submit"]`)
	b.click(`[data-test="return-receive"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="return-receive"]`)
	b.click(`[data-test="return-refund"]`)
	b.await("the value", `document.querySelector('dialog input[name="amountMinor"]')?.value === '50.00'`)
	b.fill(`dialog input[name="amountMinor"]`, "40.00")
	b.choose(`dialog select[name="location"]`, place)
	b.shot("return-refund")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="return-refund"]`)
	b.seeText("Return approved")
}

// Staff create an order with a product and a custom item for a new customer, and see the server's
// totals before. Then it is on the home page, and is printed.
func TestBrowserOrderNew(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/orders/new", f.Stores[0].Owner)
	b.click(`[data-test="submit"]`)
	b.seeText("Add at least one item.")
	b.click(`[data-test="picker-add"]`)
	b.click(`[data-test="item-custom"]`)
	b.fill(`input[name="lines.1.title"]`, "Engraving")
	b.fill(`input[name="lines.1.unitPriceMinor"]`, "10.00")
	b.fill(`input[name="lines.1.quantity"]`, "3")
	b.choose(`select[name="amounts"]`, "own")
	b.fill(`input[name="lines.1.discountMinor"]`, "5")
	b.await("the sums of what is typed", `[...document.querySelectorAll('[data-test="items"] .row-box')].at(-1)
		?.textContent.includes('25.00')`)
	b.choose(`select[name="amounts"]`, "store")
	b.fill(`input[name="email"]`, "desk@example.com")
	b.click(`h1`)
	b.see(`select[name="newCustomer"]`)
	b.fill(`input[name="firstName"]`, "Ines")
	b.fill(`input[name="shippingAddress.line1"]`, "Lange Gasse 1")
	b.fill(`input[name="shippingAddress.city"]`, "Ulm")
	b.await("the countries", `document.querySelector('select[name="shippingAddress.country"]').length > 200`)
	b.choose(`select[name="shippingAddress.country"]`, "DE")
	b.await("the rates of the address", `document.querySelector('select[name="pricing.shippingRateId"]').length > 1`)
	b.choose(`select[name="pricing.shippingRateId"]`, evaluate[string](b,
		`document.querySelector('select[name="pricing.shippingRateId"]').options[1].value`))
	b.fill(`input[name="pricing.discountMinor"]`, "5")
	b.await("the sums of the store", `document.querySelector('[data-test="sums"]')?.textContent.includes('5.00') &&
		/MwSt. 19%/.test(document.querySelector('[data-test="sums"]').textContent)`)
	b.shot("order-new")
	b.click(`form[data-test="order-new"] [data-test="submit"]`)
	b.see(`[data-test="order-lines"]`)
	for _, text := range []string{"Engraving", "Ines", "Lange Gasse 1"} {
		b.seeText(text)
	}
	b.click(`[data-test="order-items"]`)
	b.click(`[data-test="picker-add"]`)
	b.fill(`form[data-test="order-items"] .field input[inputmode="numeric"]`, "2")
	b.see(`[data-test="difference"]`)
	b.shot("order-items")
	b.click(`form[data-test="order-items"] [data-test="submit"]`)
	b.seeText("Items changed.")
	b.click(`[data-test="order-request"]`)
	b.await("the methods", `document.querySelector('dialog select[name="method"]')?.options.length > 0`)
	b.shot("order-request")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="pay-url"]`)
	b.click(`[data-test="order-mark-paid"]`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="order-refund"]`)
	b.click(`[data-test="order-items"]`)
	b.fill(`form[data-test="order-items"] .field input[inputmode="numeric"]`, "1")
	b.click(`[data-test="difference"] input[name="refund"]`)
	b.shot("order-items-below")
	b.click(`form[data-test="order-items"] [data-test="submit"]`)
	b.seeText("Payment returned")
	b.click(`[data-test="order-slip"]`)
	b.see(`[data-test="sheet"] tbody tr`)
	b.shot("order-slip")
	b.printed(1)
	b.click(`[data-test="print-as"]`)
	b.await("the prices", `document.querySelector('[data-test="sheet"] .sums')`)
	b.printed(1)
	b.open("/dashboard/orders")
	b.see(`[data-test="orders"] tbody tr:nth-child(25)`)
	// A sheet with only a title, whose table begins on the next sheet, has a tenth of the size.
	if first, second := len(b.paper("1")), len(b.paper("2")); first < second/2 {
		t.Errorf("the first sheet of a list has %d bytes, the second %d", first, second)
	}
	b.open("/dashboard")
	unpaid := b.text(`[data-test="work"] a[href*="payment=PENDING"] .strong`)
	b.click(`[data-test="work"] a[href*="payment=PENDING"]`)
	b.see(`[data-test="orders"] tbody tr`)
	b.gone(`[data-test="orders"] .stale`)
	if n := evaluate[string](b, `String(document.querySelectorAll('[data-test="orders"] tbody tr').length)`); n != unpaid {
		t.Errorf("%s unpaid orders are listed, %s are counted", n, unpaid)
	}
}
