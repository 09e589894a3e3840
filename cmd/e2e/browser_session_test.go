//go:build !race

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// tab opens another tab of the same browser.
func (b *browser) tab() *browser {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	tab := &browser{t: b.t, ctx: ctx, api: b.api}
	if err := chromedp.Listen(ctx, tab.listen); err != nil { // it begins the tab, which outlives a single step
		b.t.Fatalf("open a tab: %v", err)
	}
	return tab
}

// A form outlives the session: it opens the sign-in over the page and is then submitted once, and
// only for the person who filled it in, also if another person has signed in with the same browser
// since.
func TestBrowserSession(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, shop := p.browse(t), p.demo(t).Stores[0]
	other := p.staff(t, shop.StaffToken, "ADMIN")
	b.signIn("/dashboard/customers/new", shop.Owner)
	tab := b.tab()
	b.fill(`[name="firstName"]`, "Kept")
	tab.leaves()
	b.click(`form[data-test="customer"] [data-test="submit"]`)
	b.see(`[data-test="sign-in-again"] [data-test="sign-in-open"]`)
	b.shot("sign-in-again")
	tab.signIn("/dashboard", other)
	b.see(`[data-test="sign-in-again"] [data-test="sign-in-out"]`)
	b.click(`[data-test="sign-in-later"]`)
	b.gone(`dialog`)
	b.seeText("Nothing was sent")
	b.click(`form[data-test="customer"] [data-test="submit"]`)
	b.see(`[data-test="sign-in-again"] [data-test="sign-in-out"]`)
	if n := p.countCustomers(t, shop, "Kept"); n != 0 {
		t.Errorf("%d customers were created for another person", n)
	}
	tab.leaves()
	tab.signIn(evaluate[string](b, `'/sign-in?return_to=' + encodeURIComponent('/dashboard/signed-in')`), shop.Owner)
	tab.seeText("You are signed in")
	b.seeText("Customer created.")
	if n := p.countCustomers(t, shop, "Kept"); n != 1 {
		t.Errorf("%d customers were created", n)
	}
}

// leaves signs out.
func (b *browser) leaves() {
	b.t.Helper()
	b.open("/dashboard")
	b.click(`[data-test="sign-out"]`)
	b.await("the sign-in page", "location.pathname === '/sign-in' && document.readyState === 'complete'")
}

// countCustomers counts the newest customers of a first name.
func (p *program) countCustomers(t *testing.T, shop demo.Store, name string) (n int) {
	t.Helper()
	var found struct {
		Customers struct{ Nodes []struct{ FirstName string } }
	}
	p.graphql(t, shop.StaffToken, `{ customers(first: 5) { nodes { firstName } } }`, nil, &found)
	for _, c := range found.Customers.Nodes {
		if c.FirstName == name {
			n++
		}
	}
	return n
}
