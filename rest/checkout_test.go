package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// shopper is a browser without scripts at the host of a store.
type shopper struct {
	t      *testing.T
	s      *server
	host   string
	client string // the address in X-Forwarded-For; "" sends none
	cookie *http.Cookie
	jar    map[string]*http.Cookie // replaces cookie if there are several
	path   string                  // of the current page
	status int
	header http.Header
	body   string
}

// ask sends a request and follows redirects.
func (b *shopper) ask(method, path, body string, header ...string) *shopper {
	b.t.Helper()
	for range 5 {
		r, err := http.NewRequestWithContext(b.t.Context(), method, b.s.url+path, strings.NewReader(body))
		if err != nil {
			b.t.Fatal(err)
		}
		r.Host = b.host
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		if b.client != "" {
			r.Header.Set("X-Forwarded-For", b.client)
		}
		for _, c := range b.jar {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
		if b.cookie != nil && b.jar == nil {
			r.AddCookie(&http.Cookie{Name: b.cookie.Name, Value: b.cookie.Value})
		}
		a, err := b.s.free.Transport.RoundTrip(r)
		if err != nil {
			b.t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil {
			b.t.Fatal(err)
		}
		for _, c := range a.Cookies() {
			if b.cookie = c; b.jar != nil {
				b.jar[c.Name] = c
			}
			if c.MaxAge < 0 {
				delete(b.jar, c.Name)
			}
		}
		b.path, b.status, b.header, b.body = path, a.StatusCode, a.Header, string(text)
		if a.StatusCode != http.StatusSeeOther {
			return b
		}
		method, path, body, header = http.MethodGet, a.Header.Get("Location"), "", nil
		if !strings.HasPrefix(path, "/") { // to another host
			b.path = path
			return b
		}
	}
	b.t.Fatalf("too many redirects, the last one to %s", path)
	return b
}

func (b *shopper) get(path string) *shopper { b.t.Helper(); return b.ask(http.MethodGet, path, "") }

// fill submits the form of the page for an address, with some fields changed, as its first button
// does.
func (b *shopper) fill(action string, pairs ...string) *shopper {
	b.t.Helper()
	return b.press(action, "", pairs...)
}

// press is fill with another button of the form, "name=value".
func (b *shopper) press(action, button string, pairs ...string) *shopper {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(b.body))
	if err != nil {
		b.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "form" || attr(n, "action") != action || attr(n, "method") != "post" {
			continue
		}
		form := values(n)
		if len(pairs) > 0 && !form.Has(pairs[0]) {
			continue // another form for the same address
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if !form.Has(pairs[i]) {
				b.t.Fatalf("the form to %s has no field %s: %v", action, pairs[i], form)
			}
			form.Set(pairs[i], pairs[i+1])
		}
		return b.ask(http.MethodPost, action, form.Encode()+"&"+button)
	}
	b.t.Fatalf("%s has no form to %s:\n%s", b.path, action, b.body)
	return b
}

// values returns what a form would submit.
func values(form *html.Node) url.Values {
	list := url.Values{}
	for n := range form.Descendants() {
		name := attr(n, "name")
		switch {
		case name == "" || n.Data == "button":
		case attr(n, "type") == "checkbox":
			if list.Set(name, ""); attr(n, "checked") == "yes" {
				list.Set(name, attr(n, "value"))
			}
		case n.Data == "select", n.Data == "textarea":
			list.Set(name, "")
		case attr(n, "type") == "radio":
			if !list.Has(name) || attr(n, "checked") == "yes" {
				list.Set(name, attr(n, "value"))
			}
		default:
			list.Set(name, attr(n, "value"))
		}
	}
	return list
}

// attr returns an attribute, or "yes" for one without a value.
func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Val == "" && name == "checked" {
			return "yes"
		}
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// want fails unless the page has a status, a path and texts.
func (b *shopper) want(status int, path string, texts ...string) *shopper {
	b.t.Helper()
	at, _, _ := strings.Cut(b.path, "?")
	if b.status != status || at != path && (!strings.HasSuffix(path, "/") || !strings.HasPrefix(at, path)) {
		b.t.Fatalf("%d at %s, want %d at %s:\n%s", b.status, b.path, status, path, b.body)
	}
	for _, text := range texts {
		if !strings.Contains(b.body, text) {
			b.t.Errorf("%s does not say %q:\n%s", b.path, text, b.body)
		}
	}
	return b
}

// selling prepares a store in which a mug can be bought, and returns its id.
func selling(t *testing.T, m *shop, language state.Language, stock int64) xid.ID {
	t.Helper()
	mug := xid.New()
	m.tx(func(ctx context.Context, c *db.Client) error {
		if err := c.Store.Update().SetLanguage(language).Exec(ctx); err != nil {
			return err
		}
		return c.Product.Create().SetID(mug).SetTitle("Mug <blue>").SetHandle("mug").SetStatus(state.ProductActive).
			SetPriceMinor(1990).SetCurrency("EUR").SetTags(document.NewTags(nil)).SetInventoryQuantity(stock).
			SetUpdatedAt(mug.Time()).Exec(ctx)
	})
	r := graphtest.NewCore(t, m.store).Mutation()
	graphtest.Must[*model.ShippingZonePayload](t)(r.ShippingZoneCreate(m.ctx, model.ShippingZoneInput{Name: "Home",
		Countries: []string{"DE", "AT"}, Rates: []*model.ShippingRateInput{
			{Name: "Post", Kind: "delivery", PriceMinor: 490}, {Name: "Shop", Kind: "pickup"}}}))
	graphtest.Must[*model.PaymentSettingsPayload](t)(r.PaymentSettingsUpdate(m.ctx, 0, model.PaymentSettingsInput{
		Methods: []*model.PaymentMethodInput{{Kind: state.PaymentTransfer, Name: "Transfer", Active: true,
			Instructions: "IBAN DE00"}}}))
	return mug
}

// review goes to the review of an order of mugs.
func (b *shopper) review(mug xid.ID, quantity string) *shopper {
	b.t.Helper()
	b.ask(http.MethodPost, "/cart/add", adding(mug, quantity))
	b.want(http.StatusOK, "/cart", "Mug &lt;blue&gt;")
	b.get("/checkout").want(http.StatusOK, "/checkout/details")
	b.fill("/checkout/details", "email", "ada@example.com", "country", "DE", "name", "Ada Lovelace", "line1", "Weg 1",
		"postal_code", "10115", "city", "Berlin").want(http.StatusOK, "/checkout/delivery", "Transfer")
	return b.fill("/checkout/delivery").want(http.StatusOK, "/checkout/review", "ada@example.com", "Lovelace")
}

// TestPurchase: a shopper buys with plain forms, goes back, and there is one order.
func TestPurchase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		mug := selling(t, m, state.German, 5)
		b := &shopper{t: t, s: s, host: "first.shops.test:8080"}
		r := graphtest.NewCore(t, store).Mutation()
		graphtest.Must[*model.TaxSettingsPayload](t)(r.TaxSettingsUpdate(m.ctx, 0, model.TaxSettingsInput{
			PricesIncludeTax: true, Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", Rate: new("19")}}}))
		graphtest.Must[*model.InvoiceSettingsPayload](t)(r.InvoiceSettingsUpdate(m.ctx, 0, model.InvoiceSettingsInput{
			Issue: state.InvoicePlaced, Name: "Mugs Ltd", InvoicePrefix: "R-", CreditPrefix: "G-",
			Address: &model.AddressInput{Line1: "Weg 2", City: "Berlin", Country: "DE"}}))
		for title, kind := range map[string]*state.PageKind{"About shipping": new(state.PageShipping),
			"Our rules": new(state.PageTerms), "Terms": nil} {
			p := graphtest.Must[*model.PagePayload](t)(r.PageCreate(m.ctx,
				model.PageCreateInput{Title: title, Body: "x", Kind: kind})).Page
			graphtest.Must[*model.PagePayload](t)(r.PagePublish(m.ctx, p.PublicID(), p.Version))
		}
		b.get("/cart").want(http.StatusOK, "/cart", "Ihr Warenkorb ist leer.", `<html lang="de" dir="ltr">`)
		b.get("/checkout/payment").want(http.StatusOK, "/cart")
		b.review(mug, "2")
		legal, rules := `<a href="/pages/terms">Terms</a>`, `<a href="/pages/our-rules">Our rules</a>`
		b.want(http.StatusOK, "/checkout/review", legal, rules)
		(&shopper{t: t, s: s, host: b.host, cookie: b.cookie}).get("/cart").want(http.StatusOK, "/cart", legal, rules,
			`<a href="/pages/about-shipping">Preise inkl. MwSt., zzgl. Versand.</a>`)
		c := b.cookie
		if c.Name != "__Host-cart" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
			c.MaxAge != 30*24*60*60 || c.Domain != "" {
			t.Errorf("the cookie is %v", c)
		}
		b.want(http.StatusOK, "/checkout/review", "44,70\u00a0€", "Weg 1", "10115 Berlin", "Deutschland", "Post")
		review := b.body
		b.fill("/checkout/place").want(http.StatusOK, "/orders/", "Vielen Dank für Ihre Bestellung", "IBAN DE00",
			"Zahlung ausstehend", "44,70\u00a0€")
		order := b.path
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
			if got := b.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if policy := b.header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self'") ||
			strings.Contains(policy, "script") {
			t.Errorf("the policy is %s", policy)
		}
		bill := regexp.MustCompile(`/orders/[^"]+/invoices/[^"]+`).FindString(b.body)
		(&shopper{t: t, s: s, host: b.host}).get(bill).want(http.StatusOK, bill, "Rechnung R-1", "Mugs Ltd",
			"44,70\u00a0€")
		for _, wrong := range []string{bill[:len(bill)-1], strings.Replace(bill, "/orders/", "/orders/x", 1)} {
			(&shopper{t: t, s: s, host: b.host}).get(wrong).want(http.StatusNotFound, wrong)
		}
		b.body = review // back, and submitted again
		b.fill("/checkout/place").want(http.StatusOK, order)
		b.get("/checkout").want(http.StatusOK, order)
		b.get("/cart").want(http.StatusOK, "/cart", "Ihr Warenkorb ist leer.")
		stranger := &shopper{t: t, s: s, host: b.host}
		stranger.get(order).want(http.StatusOK, order, "Bestellung ")
		stranger.get(order[:len(order)-1]).want(http.StatusNotFound, order[:len(order)-1])
		newShop(t, store, shopRow{Handle: "second"})
		(&shopper{t: t, s: s, host: "second.shops.test:8080"}).get(order).want(http.StatusNotFound, order)
		m.tx(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
		})
		late := &shopper{t: t, s: newServer(t, store, underTest(t, store)), host: b.host}
		late.get("/cart").want(http.StatusNotFound, "/cart")
		late.get(order).want(http.StatusOK, order, "Bestellung ")
	})
}

// TestDigitalPurchase: the buyer of a download enters neither an address nor a shipping method, but
// the country if it decides the tax.
func TestDigitalPurchase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		song := selling(t, m, state.English, 5)
		m.tx(func(ctx context.Context, c *db.Client) error {
			return c.Product.Update().SetRequiresShipping(false).Exec(ctx)
		})
		b := &shopper{t: t, s: s, host: "first.shops.test:8080"}
		b.ask(http.MethodPost, "/cart/add", adding(song, "1"))
		b.get("/checkout").want(http.StatusOK, "/checkout/details")
		for _, none := range []string{`name="country"`, `name="line1"`, `name="gift"`} {
			if strings.Contains(b.body, none) {
				t.Errorf("the details have %s", none)
			}
		}
		b.fill("/checkout/details", "email", "ada@example.com").want(http.StatusOK, "/checkout/delivery", "Transfer",
			`href="/checkout/details"`)
		r := graphtest.NewCore(t, m.store).Mutation()
		graphtest.Must[*model.TaxSettingsPayload](t)(r.TaxSettingsUpdate(m.ctx, 0,
			model.TaxSettingsInput{Rates: []*model.TaxRateInput{{Country: "AT", Name: "USt.", Rate: new("20")}}}))
		b.get("/checkout/address").want(http.StatusOK, "/checkout/details", `autocomplete="country"`)
		b.fill("/checkout/details", "country", "").want(http.StatusUnprocessableEntity, "/checkout/details",
			`href="#country"`)
		b.fill("/checkout/details", "country", "AT").want(http.StatusOK, "/checkout/delivery")
		if strings.Contains(b.body, `name="rate"`) {
			t.Errorf("the delivery asks for a rate of what is not shipped:\n%s", b.body)
		}
		b.fill("/checkout/delivery").want(http.StatusOK, "/checkout/review", "Austria", "€23.88")
		b.fill("/checkout/place").want(http.StatusOK, "/orders/", "€23.88")
		if strings.Contains(b.body, "Shipping") {
			t.Errorf("the order speaks of shipping:\n%s", b.body)
		}
	})
}

// TestPayment: an online payment may be declined and tried again, and is made once however often
// the form is sent.
func TestPayment(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		mug := selling(t, m, state.German, 5)
		graphtest.Must[*model.PaymentSettingsPayload](t)(graphtest.NewCore(t, m.store).Mutation().PaymentSettingsUpdate(
			m.ctx, 1, model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
				{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
				{Kind: state.PaymentTest, Name: "Karte", Active: true}}}))
		b := &shopper{t: t, s: s, host: "first.shops.test:8080"}
		b.review(mug, "2").get("/checkout/delivery").want(http.StatusOK, "/checkout/delivery", "Karte")
		b.fill("/checkout/delivery", "payment", "test").want(http.StatusOK, "/checkout/review", "Karte")
		b.fill("/checkout/place").want(http.StatusOK, "/orders/", "44,70\u00a0€")
		pay := b.path
		order, ok := strings.CutSuffix(pay, "/pay")
		if !ok {
			t.Fatalf("the order leads to %s", pay)
		}
		b.ask(http.MethodPost, pay, "outcome=decline").want(http.StatusPaymentRequired, pay, `role="alert"`,
			"Andere Zahlungsart wählen")
		first := order
		b.ask(http.MethodPost, "/checkout/reopen", "to=payment").want(http.StatusOK, "/checkout/delivery", "Karte")
		b.get(first).want(http.StatusOK, first, "Storniert")
		b.get("/cart").want(http.StatusOK, "/cart", `value="2"`)
		b.get("/checkout").want(http.StatusOK, "/checkout/review", "ada@example.com", "Weg 1", "Karte")
		b.fill("/checkout/place").want(http.StatusOK, "/orders/")
		pay = b.path
		order = strings.TrimSuffix(pay, "/pay")
		b.get("/cart").want(http.StatusOK, order, "Zurück zum Warenkorb", "Zahlung ausstehend")
		if strings.Contains(b.body, "Vielen Dank") {
			t.Error("an order that waits for its payment is thanked for")
		}
		b.get(order).want(http.StatusOK, order, "Zahlung ausstehend", `href="`+pay+`"`)
		b.ask(http.MethodPost, pay, "outcome=pay", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden, pay)
		for range 2 {
			b.ask(http.MethodPost, pay, "outcome=pay").want(http.StatusOK, order, "Bezahlt")
		}
		b.get(pay).want(http.StatusOK, order, "Bezahlt")
		b.get(pay[:len(order)-1]+"/pay").want(http.StatusNotFound, pay[:len(order)-1]+"/pay")
		if strings.Contains(b.body, "44,70") {
			t.Error("a wrong address shows the order")
		}
		b.ask(http.MethodPost, "/checkout/reopen", "to=payment").want(http.StatusOK, order, "Bezahlt", "Vielen Dank")
		b.get("/cart").want(http.StatusOK, "/cart", "Ihr Warenkorb ist leer.")
	})
}
