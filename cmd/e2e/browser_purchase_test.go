//go:build !race

package e2e

import (
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// A shopper buys on a phone without scripts, from the shop's first page to the order's page. The
// product page is light in every theme.
func TestBrowserPurchase(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.dress("light", 360)
	front := p.front(t, f.Stores[0].StaffToken)
	b.open(front)
	b.narrow("purchase-home")
	b.filters(front)
	b.buys("purchase", front, "ada@example.com", "Ada Lovelace")
	b.weigh(p, f.Stores[0].StaffToken, front)
}

// filters narrows the list of all products by an option and by prices.
func (b *browser) filters(front string) {
	b.t.Helper()
	const cards = `document.querySelectorAll('main .grid > li').length`
	b.look(front + "products")
	b.narrow("purchase-list")
	all := evaluate[int](b, cards)
	b.click(`nav.picks a[href*="option="]`)
	b.await("the option that was chosen", `location.search.includes('option=') &&
		document.querySelector('nav.picks a[aria-current][href]')`)
	b.narrow("purchase-list-option")
	if n := evaluate[int](b, cards); n == 0 || n >= all {
		b.t.Errorf("an option leaves %d of %d products", n, all)
	}
	b.click(`form.picks a`) // show all
	b.await("all products", "!location.search && "+cards+" === "+strconv.Itoa(all))
	b.fill(`form.picks [name="min"]`, "20")
	b.fill(`form.picks [name="max"]`, "60")
	b.click(`form.picks button`)
	b.await("the prices that were asked for", `location.search.includes('min=20') &&
		document.querySelector('form.picks [name="max"]')?.value === '60'`)
	b.narrow("purchase-list-price")
	prices := evaluate[[]float64](b, `[...document.querySelectorAll('main .grid > li .price')].map((p) =>
		Number(/[\d.]+/.exec(p.innerText)[0]))`)
	if len(prices) == 0 || slices.Min(prices) < 20 || slices.Max(prices) > 60 {
		b.t.Errorf("between 20 and 60 are %v", prices)
	}
}

// buys buys two of a shop's product, from its page to that of the order, none of which is wider
// than a phone. words are the address fields.
func (b *browser) buys(name, front, email, words string) {
	b.t.Helper()
	narrow := func(page string) { b.t.Helper(); b.narrow(name + "-" + page) }
	b.pick(front)
	narrow("product")
	b.fill(`.buy [name="quantity"]`, "2")
	b.click(`.buy button`)
	b.see(`form[action="/cart"]`)
	narrow("cart")
	b.click(`button[name="checkout"]`)
	b.see(`#email`)
	b.fill(`#email`, "nobody")
	b.click(`main .primary`)
	b.see(`#email[aria-describedby="email-error"]`)
	narrow("fault")
	b.fill(`#email`, email)
	b.set(`#country`, "DE")
	for _, field := range [][2]string{{"#name", words}, {"#line1", words}, {"#postal_code", "10115"},
		{"#city", words}} {
		b.fill(css(field[0]), field[1])
	}
	narrow("details")
	b.click(`main .primary`)
	b.click(`#rate-0`)
	b.click(`#payment-0`)
	narrow("delivery")
	b.click(`main .primary`)
	b.see(`form[action="/checkout/place"]`)
	narrow("review")
	b.click(`main .primary`)
	b.see(`.mark`)
	narrow("order")
}

// pick opens the page of a product in stock.
func (b *browser) pick(front string) {
	b.t.Helper()
	for _, address := range evaluate[[]string](b, `[...document.querySelectorAll('main a[href^="/products/"]')]
		.map((a) => a.href)`) {
		b.open(address)
		b.see(`.buy button`)
		if evaluate[bool](b, `Boolean(document.querySelector('.buy button:enabled'))`) {
			return
		}
	}
	b.t.Fatalf("nothing can be bought at %s", front)
}

// narrow checks that a page is no wider than a phone, and takes a screenshot.
func (b *browser) narrow(name string) {
	b.t.Helper()
	b.await("the styles of the page", `document.readyState === 'complete'`)
	b.shot(name)
	if wide := evaluate[int](b, "document.documentElement.scrollWidth"); wide > 360 {
		b.t.Errorf("%s is %d px wide", name, wide)
	}
}
