//go:build !race

package e2e

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// payload is a text that must stay text.
const payload = `"><img src=x onerror=pwned=1><script>pwned=1</script>{{7}}`

// Whatever a merchant, a customer or an app writes is shown as text on every page. The browser's
// test also fails on refused scripts and on dialogs.
func TestBrowserScripts(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	quoted, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	text := string(quoted)
	// Texts may also be long and without spaces.
	long := strings.TrimSuffix(text, `"`) + strings.Repeat("Donaudampfschifffahrt", 6) + `"`
	made := func(mutation, path string) string {
		t.Helper()
		var data map[string]any
		p.graphql(t, token, "mutation { "+strings.NewReplacer("$X", text, "$L", long).Replace(mutation)+" }", nil,
			&data)
		var at any = data
		for step := range strings.SplitSeq(path, ".") {
			m, ok := at.(map[string]any)
			if !ok || m[step] == nil {
				t.Fatalf("%s: %v", mutation, data)
			}
			at = m[step]
		}
		return at.(string)
	}
	product := made(
		`productCreate(input: {title: $L, description: $L, vendor: $L, productType: $L, tags: [$X],
			priceMinor: 1, currency: "EUR", options: [{name: $X, values: [$X]}],
			variants: [{options: [$X], priceMinor: 1, sku: $X}]}) {
		product { id } userErrors { message } }`, "productCreate.product.id")
	customer := made(`customerCreate(input: {email: "x@example.com", firstName: $L, lastName: $L, note: $L, tags: [$X],
		defaultAddress: {name: $L, line1: $L, city: $L, country: "AT"},
		addresses: [{name: $X, line1: $X, city: $X, country: "AT"}]}) { customer { id } userErrors { message } }`,
		"customerCreate.customer.id")
	order := made(`orderCreate(input: {customerId: "`+customer+
		`", tags: [$X], source: "web", lines: [{title: $L, sku: $L, quantity: 1, unitPriceMinor: 5}],
		shippingAddress: {name: $L, company: $L, line1: $L, city: $L, country: "AT"}}) {
		order { id } userErrors { message } }`, "orderCreate.order.id")
	made(`orderNoteAppend(orderId: "`+order+`", input: {body: $L}) { note { id } userErrors { message } }`,
		"orderNoteAppend.note.id")
	made(`apiKeyCreate(input: {name: $X, scopes: ["orders.read"]}) { apiKey { id } userErrors { message } }`,
		"apiKeyCreate.apiKey.id")
	p.person(t).accept(made(`staffInvite(input: {email: "eve@example.com", role: SUPPORT}) {
		link userErrors { message } }`, "staffInvite.link"), "eve@example.com", payload)
	client := made(
		`appCreate(input: {name: $X, developer: $X, redirectUris: ["http://127.0.0.1/callback"],
			scopes: ["orders.read"]}) {
		app { clientId } userErrors { message } }`, "appCreate.app.clientId")
	c := p.app(f, oauth2.AuthStyleInParams)
	c.ClientID = client
	verifier := oauth2.GenerateVerifier()
	b.signIn(c.AuthCodeURL(payload, oauth2.S256ChallengeOption(verifier)), f.Stores[0].Owner)
	b.see(`button[value="allow"]`)
	b.unharmed("consent")
	// The grant lists the app among those with access, and a reused code creates a notification
	// about it.
	back := p.person(t).allow(c.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), f.Stores[0].Owner)
	for range 2 {
		c.Exchange(p.context(t), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	}
	p.person(t).allow(c.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), f.Stores[0].Owner)
	b.dress("light", 390)
	for _, path := range append(dashboardPages, "/products/"+product, "/customers/"+customer, "/orders/"+order,
		"/customers/"+customer+"/edit", "/orders/"+order+"/edit", "/orders/"+order+"/items",
		"/orders/print?ids="+order) {
		b.open("/dashboard" + path)
		b.see(`main h1`)
		b.gone(`.waiting-rows`)
		b.unharmed(path)
		b.slim(path)
	}
	b.open("/dashboard/notifications")
	b.seeText("was revoked")
	handle := made(`productPublish(id: "`+product+`", expectedVersion: 1) { product { handle } userErrors { message } }`,
		"productPublish.product.handle")
	front := p.front(t, token)
	for _, th := range p.everyTheme(t, token) {
		preview, err := url.Parse(*th.PreviewURL)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"?", "products?", "products/" + handle + "?", "search?q=donau&"} {
			b.look(front + path + preview.RawQuery)
			b.unharmed(th.Name + path)
			b.slim(th.Name + "'s /" + path)
		}
	}
	b.dress("light", 360)
	b.look(front)
	b.buys("scripts", front, strings.Repeat("donau", 12)+"@"+strings.Repeat("fahrt", 12)+".example", payload+
		strings.Repeat("Donaudampfschifffahrt", 6))
	b.unharmed("the order")
	other := p.browse(t)
	other.dress("light", 360)
	other.open("/sign-in")
	other.fill(`input[name="email"]`, strings.Repeat("donau", 12)+"@"+strings.Repeat("fahrt", 12)+".example")
	other.fill(`input[name="password"]`, payload)
	other.click(`form button[type="submit"]`)
	other.see(`[role="alert"]`)
	other.narrow("sign-in-refused")
}

// unharmed fails if a text became markup or script.
func (b *browser) unharmed(page string) {
	b.t.Helper()
	if evaluate[bool](b, `window.pwned === 1 || document.querySelector('img[src="x"]') !== null`) {
		b.t.Errorf("%s runs a script from a text", page)
	}
	if evaluate[bool](b, `[...document.querySelectorAll('a')].some((a) => a.protocol === 'javascript:')`) {
		b.t.Errorf("%s has a link that is a script", page)
	}
}

// slim fails if a page is wider than a phone's window.
func (b *browser) slim(page string) {
	b.t.Helper()
	if wide := evaluate[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		b.t.Errorf("%s is %d px wide on a phone", page, wide)
		b.shot("wide" + strings.NewReplacer("/", "-", "?", "-").Replace(page))
	}
}
