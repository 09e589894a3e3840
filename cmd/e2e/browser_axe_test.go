//go:build !race

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"
)

// axe returns the faults whose impact is serious or worse, and those of landmarks, by the rules of the
// options. The exceptions are pairs of a rule and a selector.
const axe = `axe.run(document, {resultTypes: ['violations'], elementRef: true, %s}).then((r) => r.violations
	.filter((v) => v.impact === 'serious' || v.impact === 'critical' || v.id.startsWith('landmark'))
	.map((v) => ({...v, nodes: v.nodes.filter((n) =>
		!%s.some(([rule, part]) => rule === v.id && n.element.matches(part)))}))
	.filter((v) => v.nodes.length > 0)
	.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html).join('   ').slice(0, 400)))`

// dashboardPages are the pages of the dashboard that need no id.
var dashboardPages = []string{"", "/orders", "/products", "/products/new", "/customers", "/exports",
	"/imports", "/imports/new",
	"/themes",
	"/pages", "/pages/new", "/navigation", "/media", "/settings/storefront", "/collections", "/collections/new",
	"/marketplace", "/keys", "/apps", "/webhooks", "/events", "/requests", "/staff", "/audit", "/notifications",
	"/notifications/settings", "/settings/emails",
	"/settings", "/security", "/discounts", "/reports", "/settings/shipping", "/settings/tax",
	"/settings/payments", "/settings/domains", "/settings/invoices", "/settings/custom-fields",
	"/settings/locations",
	"/invoices", "/returns", "/orders/new",
	"/customers/new"}

// Every page on a desktop and a phone, in light and dark: axe finds no serious fault, and nothing
// is wider than the window. Dark changes only colors, which are slow to check: on the desktop in
// light, on the phone in dark.
func TestBrowserAccessible(t *testing.T) {
	t.Parallel()
	if os.Getenv(envNPM) == "" {
		t.Skip("axe is a package of npm: give a folder with it in " + envNPM)
	}
	mail := newPost(t)
	p := start(t, settings{Data: demoData(t), Args: append(mail.flags(), "--demo", "--rate-limit", "0")})
	b, f := p.browse(t), p.demo(t)
	id := p.ordered(t, f.Stores[0].StaffToken)
	consent := p.app(f, 0).AuthCodeURL("s", oauth2.S256ChallengeOption(oauth2.GenerateVerifier()))
	b.open("/sign-in")
	b.inspect("sign-in", `button[type="submit"]`)
	b.signIn("/dashboard", f.Stores[0].Owner)
	for _, path := range dashboardPages {
		b.open("/dashboard" + path)
		name := cmp.Or(strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "-"), "home")
		b.inspect(name, `main h1`)
		b.fits(name)
	}
	p.defineFields(t, f.Stores[0].StaffToken)
	b.open("/dashboard/orders/" + id)
	b.see(`form[data-test="custom-fields"]`)
	b.inspect("order", `main h1`)
	b.open("/dashboard/orders/print?ids=" + id)
	b.inspect("order-print", `[data-test="sheet"]`)
	b.open("/dashboard/orders/" + id + "/edit")
	b.inspect("order-edit", `[data-test="submit"]`)
	b.open("/dashboard/orders/" + id + "/items")
	b.inspect("order-items", `[data-test="submit"]`)
	b.open("/dashboard/orders/" + id)
	b.click(`[data-test="order-fulfill"]`)
	b.inspect("dialog", `dialog [data-test="submit"]`)
	b.inspectReturnDialogs(p, f.Stores[0].StaffToken)
	b.open("/dashboard/orders?q=ada")
	b.click(`[data-test="find"]`)
	b.fill(`[data-test="palette-input"]`, "a")
	b.see(`[aria-label="Orders"] [data-test="found"]`)
	b.inspect("palette", `[data-test="palette-input"]`)
	b.open("/dashboard/products/" + p.pictured(t, f.Stores[0].StaffToken))
	b.see(`[data-test="photo"]`)
	b.click(`.photo-variants summary`)
	b.inspect("product", `main h1`)
	b.click(`[data-test="sale-edit"]`)
	b.inspect("product-sale", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="keep"]`)
	b.click(`[data-test="photo-remove"]`)
	b.inspect("photo-remove", `dialog [data-test="submit"]`)
	b.open("/dashboard/settings/payments")
	b.click(`[data-test="stripe-keys"]`)
	b.inspect("stripe-keys", `dialog [data-test="submit"]`)
	b.fits("product")
	b.inspectWebhooks(p, f.Stores[0].StaffToken)
	b.inspectExports()
	b.inspectThemes()
	b.open("/docs/guides")
	b.inspect("guides", `main h1`)
	b.open("/docs/guides/oauth")
	b.inspect("guide", `main h1`)
	b.open("/nothing")
	b.inspect("missing", `main h1`)
	b.open(consent)
	b.inspect("consent", `button[value="allow"]`)
	p.decorate(t, f.Stores[0].StaffToken)
	front := p.front(t, f.Stores[0].StaffToken)
	p.storefrontUpdate(t, f.Stores[0].StaffToken,
		`returns: { requests: true, withdrawal: true, days: 14, countries: [], excludedTags: ["x"], instructions: "Post" }`)
	b.inspectShop(front)
	b.inspectAccount(front, mail)
	b.inspectReturns(front)
	p.storefrontUpdate(t, f.Stores[0].StaffToken, `password: "green tea"`)
	b.visit(front, "the password page", `document.querySelector('#password')`)
	b.inspect("shop-password", `#password`)
	b.visit(front+"/pages/imprint", "the imprint without the password", `document.querySelector('main > p')`)
	b.inspect("shop-imprint", `main h1`)
}

// defineFields defines a custom field of each type for products and orders.
func (p *program) defineFields(t testing.TB, token string) {
	t.Helper()
	for _, kind := range []string{"TEXT", "NUMBER", "BOOLEAN", "DATE", "MONEY", "URL", "JSON", "LIST"} {
		for _, owner := range []string{"PRODUCT", "ORDER"} {
			p.graphql(t, token, fmt.Sprintf(`mutation { customFieldCreate(input: {owner: %s, name: "a.%s", label: "A field",
				type: %s}) { userErrors { message } } }`, owner, strings.ToLower(kind), kind), nil, &struct{}{})
		}
	}
}

// storefrontUpdate changes members of how a shop looks.
func (p *program) storefrontUpdate(t testing.TB, token, members string) {
	t.Helper()
	var s struct{ Store struct{ Version int64 } }
	p.graphql(t, token, `{ store { version } }`, nil, &s)
	p.graphql(t, token, fmt.Sprintf(`mutation { storefrontUpdate(input: {expectedVersion: %d, %s}) { store { id } } }`,
		s.Store.Version, members), nil, &struct{}{})
}

// decorate gives a shop an announcement and a home page of sections.
func (p *program) decorate(t testing.TB, token string) {
	t.Helper()
	p.storefrontUpdate(t, token, `announcement: {text: "Free shipping", link: "/products", enabled: true}`)
	var found struct {
		Products struct{ Nodes []struct{ ID string } }
		Themes   struct{ Nodes []struct{ ID, Status string } }
	}
	p.graphql(t, token, `{ products(first: 3, filter: {status: ACTIVE}) { nodes { id } }
		themes(first: 100) { nodes { id status } } }`, nil, &found)
	sections := `[{"kind":"text","title":"Made by hand","text":"One by one.","link":"/pages/about"},` +
		`{"kind":"products","title":"Chosen","products":[`
	for i, one := range found.Products.Nodes {
		sections += strings.Repeat(",", min(i, 1)) + strconv.Quote(one.ID)
	}
	for _, th := range found.Themes.Nodes {
		if th.Status == "ACTIVE" {
			p.graphql(t, token, `mutation($id: ID!, $value: String!) { themeSettingsSave(id: $id, publish: true,
				values: [{name: "home_sections", value: $value}]) { theme { id } } }`,
				map[string]any{"id": th.ID, "value": sections + "]}]"}, &struct{}{})
		}
	}
}

// exception is a fault inside a third-party part, which this repository cannot fix.
type exception struct{ page, rule, selector, reason string }

// exceptions are the known faults of third-party parts. Never changed.
var exceptions = []exception{
	{page: "explorer", rule: "label", selector: ".CodeMirror > div > textarea",
		reason: "GraphiQL does not name the input of its editor."},
	{page: "explorer", rule: "scrollable-region-focusable", selector: ".CodeMirror-scroll",
		reason: "The input of the editor scrolls it."},
	{page: "reference", rule: "button-name", selector: "button.scalar-code-copy",
		reason: "Scalar's copy buttons have no name."},
	{page: "reference", rule: "label-content-name-mismatch", selector: "button.show-more",
		reason: "Scalar names it by another text than it shows."},
	{page: "reference", rule: "scrollable-region-focusable", selector: "code.hljs",
		reason: "Scalar's samples scroll by the pointer alone."},
	{page: "reference", rule: "landmark-no-duplicate-banner", selector: "header.top",
		reason: "Scalar adds a second banner on narrow screens."},
	{page: "reference", rule: "landmark-unique", selector: "header.top",
		reason: "Scalar adds a second banner on narrow screens."},
}

// excused returns the exceptions of a page as a JavaScript array for [axe].
func excused(page string) string {
	var list []string
	for _, e := range exceptions {
		if e.page == page {
			list = append(list, "["+quote(e.rule)+", "+quote(e.selector)+"]")
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// TestBrowserAccessibleParts inspects third-party viewers and the preview of a theme. The preview is
// opened in a page of its own, because its sandboxed frame runs no scripts.
func TestBrowserAccessibleParts(t *testing.T) {
	t.Parallel()
	if os.Getenv(envNPM) == "" {
		t.Skip("axe is a package of npm: give a folder with it in " + envNPM)
	}
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/themes", f.Stores[0].Owner)
	b.click(`[data-test="theme-name"]`)
	b.click(`[data-test="theme-settings"]`)
	b.see(`[data-test="live"]`)
	b.open(evaluate[string](b, `document.querySelector('[data-test="live"]').src`))
	b.inspect("theme-preview", `main h1`)
	b.open("/graphql/explorer")
	b.seeText("Mutations change the store ")
	b.click(`button.graphiql-execute-button`)
	b.await("the answer", `document.querySelector('.result-window')?.innerText.includes('totalMinor')`)
	b.click(`[aria-label="Show Documentation Explorer"]`)
	b.inspect("explorer", `.graphiql-doc-explorer`)
	b.open("/docs#tag/identity/GET/me")
	b.inspect("reference", `.show-api-client-button`)
}

// inspectShop inspects a list of products and all pages from the cart to the order.
func (b *browser) inspectShop(front string) {
	b.t.Helper()
	b.visit(front, "its sections", `document.querySelector('.block .grid')`)
	b.inspect("shop-home", `.storefront-announcement a`)
	b.open(front + "products")
	b.inspect("shop-products", `main h1`)
	b.pick(front)
	b.click(`.buy button`)
	b.await("the colours of the theme", `document.querySelector('link[href*="accent="]')`)
	b.inspect("shop-cart", `button[name="checkout"]`)
	b.click(`button[name="checkout"]`)
	b.inspect("shop-details", `#email`)
	b.fill(`#email`, "nobody")
	b.click(`#billing`)
	b.click(`main .primary`)
	b.inspect("shop-fault", `#email[aria-describedby="email-error"]`)
	b.fill(`#email`, "ada@example.com")
	b.click(`#billing`)
	b.set(`#country`, "DE")
	b.fill(`#line1`, "Weg 1")
	b.fill(`#name`, "Ada Lovelace")
	b.fill(`#postal_code`, "10115")
	b.fill(`#city`, "Berlin")
	b.click(`main .primary`)
	b.inspect("shop-delivery", `#rate-0`)
	b.click(`#rate-0`)
	b.click(`#payment-2`) // the test payment, which is last
	b.click(`main .primary`)
	b.inspect("shop-review", `form[action="/checkout/place"]`)
	b.click(`main .primary`)
	b.inspect("shop-pay", `button[value="decline"]`)
	b.click(`button[value="pay"]`)
	b.inspect("shop-order", `.mark`)
	b.click(`a[href$="/cancel"]`)
	b.inspect("shop-cancel", `form[action$="/cancel"]`)
}

// inspectAccount inspects the account of the shopper who ordered.
func (b *browser) inspectAccount(front string, mail *post) {
	b.t.Helper()
	b.open(front + "account")
	b.inspect("account-sign-in", `#email`)
	b.fill(`#email`, "ada@example.com")
	b.click(`main .primary`)
	b.inspect("account-code", `#code`)
	b.fill(`#code`, mail.code(b.t, "ada@example.com"))
	b.click(`main .primary`)
	b.inspect("account-orders", `.items a`)
	b.open(front + "account/address")
	b.inspect("account-address", `#line1`)
	b.set(`#country`, "DE")
	b.fill(`#name`, "Ada Lovelace")
	b.fill(`#line1`, "Weg 1")
	b.fill(`#postal_code`, "10115")
	b.fill(`#city`, "Berlin")
	b.click(`main .primary`)
	b.inspect("account-addresses", `button[name="remove"]`)
	b.open(front + "account/settings")
	b.authenticator()
	b.click(`form[action="/account/passkeys"] button`)
	b.inspect("account-settings", `button[name="remove"]`)
	b.open(front + "account")
	b.click(`form[action="/account/sign-out"] button`)
	b.click(`form[action="/account/passkey"] button`)
	b.inspect("account-passkey", `.items a`)
	b.open(front + "account/delete")
	b.inspect("account-delete", `form[action="/account/delete"]`)
}

// inspectReturns inspects the pages on which the shopper of the order on the page withdraws.
func (b *browser) inspectReturns(front string) {
	b.t.Helper()
	b.open(front + "account")
	b.click(`.items a`)
	b.click(`a[href$="/withdraw"]`)
	b.inspect("shop-withdraw", `main .primary`)
	b.click(`main .primary`)
	b.inspect("shop-withdraw-confirm", `[name="confirm"]`)
	b.click(`[name="confirm"]`)
	b.inspect("shop-withdrawn", `.good`)
	b.open(front + "orders/find")
	b.inspect("shop-find", `#number`)
}

// inspectReturnDialogs inspects the dialogs for a return of an item.
func (b *browser) inspectReturnDialogs(p *program, token string) {
	b.t.Helper()
	var found struct {
		Orders struct {
			Nodes []struct {
				ID        string
				LineItems []struct{ ID string }
			}
		}
	}
	p.graphql(b.t, token, `{ orders(first: 1, filter: {financialStatus: PAID, status: OPEN}) { nodes { id lineItems { id } } } }`, nil,
		&found)
	of := found.Orders.Nodes[0]
	p.graphql(b.t, token, `mutation($id: ID!, $line: ID!) { orderReturnCreate(id: $id,
		input: {lines: [{lineItemId: $line, quantity: 1}]}) { return { id } } }`,
		map[string]any{"id": of.ID, "line": of.LineItems[0].ID}, &struct{}{})
	b.open("/dashboard/orders/" + of.ID)
	b.click(`[data-test="return-approve"]`)
	b.inspect("return-approve", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="submit"]`)
	b.click(`[data-test="return-exchange"]`)
	b.click(`dialog [data-test="picker-add"]`)
	b.see(`dialog [data-test="difference"]`)
	b.inspect("return-exchange", `dialog [data-test="submit"]`)
}

// inspectWebhooks inspects the pages of an endpoint with deliveries.
func (b *browser) inspectWebhooks(p *program, token string) {
	b.t.Helper()
	id := p.registered(b.t, token, receive(b.t).URL, payload, "product.created", "order.paid")
	p.drafted(b.t, token, payload)
	sent := p.until(b.t, token, id, "a delivery", `deliveries(first: 1, state: DELIVERED) { nodes { id } }`)
	b.open("/dashboard/webhooks")
	b.inspect("webhooks", `[data-test="spark"]`)
	b.click(`[data-test="webhook-new"]`)
	b.click(`dialog [data-test="add-filters"]`)
	b.click(`dialog [data-test="add-headers"]`)
	b.inspect("webhook-new", `dialog [data-test="events"] input`)
	b.open("/dashboard/webhooks/" + id)
	b.click(`[data-test="webhook-resend"]`)
	b.inspect("webhook-resend", `dialog [data-test="submit"]`)
	b.click(`dialog .icon-button`)
	b.click(`[data-test="webhook-pause"]`)
	b.inspect("webhook-pause", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.see(`[data-test="activity"] canvas`)
	b.inspect("webhook", `[data-test="deliveries"] tbody tr`)
	b.fits("webhook")
	b.open("/dashboard/webhooks/" + id + "/deliveries/" + sent)
	b.click(`[data-test="sent"] summary`)
	b.inspect("delivery", `[data-test="payload"]`)
	b.open("/dashboard/events?type=product.created")
	b.click(`[data-test="event"]`)
	b.inspect("event", `[data-test="payload"]`)
	b.click(`[data-test="event-again"]`)
	b.inspect("event-again", `dialog [data-test="submit"]`)
}

// inspectExports inspects the pages of a finished export.
func (b *browser) inspectExports() {
	b.t.Helper()
	b.open("/dashboard/exports")
	b.click(`[data-test="export-new"]`)
	b.inspect("export-new", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="submit"]`)
	b.inspect("exports-one", `[data-test="export-download"]`)
	b.fits("exports-one")
	b.click(`[data-test="export"]`)
	b.inspect("export", `[data-test="export-file"]`)
	b.open("/dashboard/reports")
	b.click(`form[data-test="report"] [data-test="submit"]`)
	b.inspect("report", `[data-test="report-sums"]`)
	b.click(`[data-test="by-taxes"]`)
	b.see(`[data-test="by-taxes"][aria-current]`)
	b.see(`[data-test="report-table"] .table tbody tr`)
	b.fits("report")
}

// inspectThemes inspects a theme, its menu, and the form of a submission.
func (b *browser) inspectThemes() {
	b.t.Helper()
	b.open("/dashboard/themes")
	b.drop("theme.rar", 1)
	b.see(`[data-test="import-problems"]`)
	b.click(`[data-test="theme-more"]`)
	b.inspect("themes-menu", `[data-test="theme-duplicate"]`)
	b.click(`[data-test="theme-name"]`)
	b.inspect("theme", `[data-test="theme-assets"] tbody tr`)
	b.fits("theme")
	b.click(`[data-test="theme-settings"]`)
	b.click(`[data-test="section-add-image"]`)
	b.click(`[data-test="section-add-products"]`)
	b.inspect("theme-settings", `[data-test="section"] [data-test="choice-search"]`)
	b.open("/dashboard/marketplace")
	b.see(`[data-test="offers"]`)
	b.gone(`.waiting-rows`) // content that appears above moves the button
	b.click(`[data-test="submit-theme"]`)
	b.inspect("submit-theme", `dialog [data-test="submit"]`)
}

// checker returns the script of axe.
var checker = sync.OnceValues(func() ([]byte, error) {
	return os.ReadFile(filepath.Join(os.Getenv(envNPM), "node_modules", "axe-core", "axe.min.js"))
})

// tooWide returns what can be scrolled sideways: tables, rows of tabs and boxes of the page.
const tooWide = `[...document.querySelectorAll('main, main *')].filter((e) => e.scrollWidth > e.clientWidth + 1 &&
	['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map((e) => e.outerHTML.slice(0, 200))`

// atRest resolves once the page has adapted to a new width.
const atRest = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`

// fits checks each scrolling part of a page at the widths of tablets and desktops: no table is cut
// off.
func (b *browser) fits(name string) {
	b.t.Helper()
	for _, width := range []int64{768, 1024, 1280, 1440} {
		b.dress("light", width)
		for _, wide := range evaluate[[]string](b, atRest+".then(() => "+tooWide+")") {
			b.t.Errorf("%s, %d px: wider than its place: %s", name, width, wide)
		}
	}
	b.dress("light", 1280)
}

// accessible inspects a page where the checker is at hand, of a test that does more than that.
func (b *browser) accessible(name string, ready css) {
	b.t.Helper()
	if os.Getenv(envNPM) != "" {
		b.inspect(name, ready)
	}
}

// inspect inspects a page once it has settled.
func (b *browser) inspect(name string, ready css) {
	b.t.Helper()
	b.see(ready)
	b.gone(`.waiting-rows`)
	// The protocol injects the checker, because the pages' policy allows no foreign scripts. It
	// goes only into the page itself: its sandboxed frame refuses all scripts.
	if !evaluate[bool](b, "Boolean(window.axe)") {
		source, err := checker()
		if err != nil {
			b.t.Fatal(err)
		}
		evaluate[any](b, string(source)+";null")
	}
	for _, look := range []struct {
		scheme string
		width  int64
		rules  string
	}{
		{"light", 1280, ""},
		{"light", 360, "rules: {'color-contrast': {enabled: false}}"},
		{"dark", 360, "runOnly: ['color-contrast', 'link-in-text-block']"},
	} {
		b.dress(look.scheme, look.width)
		script := fmt.Sprintf(axe, look.rules, excused(name))
		for _, fault := range evaluate[[]string](b, atRest+".then(() => "+script+")") {
			b.t.Errorf("%s, %s, %d px: %s", name, look.scheme, look.width, fault)
		}
		if wide := evaluate[int](b, "document.documentElement.scrollWidth"); int64(wide) > look.width {
			b.t.Errorf("%s, %s: %d px wide in a window of %d", name, look.scheme, wide, look.width)
		}
		if look.scheme == "light" == (look.width > 360) { // one screenshot of each, between them
			b.shot(name + "-" + look.scheme)
		}
	}
	b.dress("light", 1280)
}
