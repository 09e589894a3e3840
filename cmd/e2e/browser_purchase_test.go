//go:build !race

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// Somebody buys on a phone whose browser runs no scripts: from the shop's first page to the
// page of the order. The page of the product is light in every theme.
func TestBrowserPurchase(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.dress("light", 360)
	front := p.front(t, f.Stores[0].StaffToken)
	b.open(front)
	b.narrow("home")
	b.pick(front)
	b.narrow("product")
	b.fill(`.buy [name="quantity"]`, "2")
	b.click(`.buy button`)
	b.see(`form[action="/cart/line"]`)
	b.narrow("cart")
	b.click(`a[href="/checkout"]`)
	b.see(`#email`)
	b.fill(`#email`, "nobody")
	b.click(`main .primary`)
	b.see(`#email[aria-describedby="email-error"]`)
	b.narrow("contact")
	b.fill(`#email`, "ada@example.com")
	b.click(`main .primary`)
	b.see(`#country`)
	b.set(`#country`, "DE")
	for _, field := range [][2]string{{"#name", "Ada Lovelace"}, {"#line1", "Weg 1"}, {"#postal_code", "10115"},
		{"#city", "Berlin"}} {
		b.fill(css(field[0]), field[1])
	}
	b.narrow("address")
	b.click(`main .primary`)
	b.click(`#rate-0`)
	b.narrow("shipping")
	b.click(`main .primary`)
	b.click(`#payment-0`)
	b.narrow("payment")
	b.click(`main .primary`)
	b.see(`form[action="/checkout/place"]`)
	b.narrow("review")
	b.click(`main .primary`)
	b.see(`.mark`)
	b.narrow("order")
	b.weigh(p, f.Stores[0].StaffToken, front)
}

// pick opens the page of a product that can be bought.
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

// narrow holds that a page is no wider than a phone, and keeps a picture of it.
func (b *browser) narrow(name string) {
	b.t.Helper()
	b.shot("purchase-" + name)
	if wide := evaluate[int](b, "document.documentElement.scrollWidth"); wide > 360 {
		b.t.Errorf("%s is %d px wide", name, wide)
	}
}
