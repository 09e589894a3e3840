package rest_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// mailing gives a server a notifier, so that shoppers can sign in.
func mailing(t *testing.T) func(*rest.Config) {
	return func(c *rest.Config) {
		c.Core.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New(apiHost))
		c.Core.Use(c.Core.Engines)
	}
}

// mails returns the emails that are not sent yet, oldest first.
func (m *shop) mails() []*db.Mail {
	m.t.Helper()
	rows := graphtest.Must[[]*db.Mail](m.t)(m.store.DB(m.ctx).Mail.Query().Load(m.ctx))
	slices.SortFunc(rows, func(a, b *db.Mail) int { return a.ID.Compare(b.ID) })
	return rows
}

// code returns the last code that was emailed to an address.
func (m *shop) code(to string) (code string) {
	m.t.Helper()
	for _, row := range m.mails() {
		if row.Recipient == to {
			code = regexp.MustCompile(`\b[0-9]{8}\b`).FindString(row.Body)
		}
	}
	return code
}

// enter signs in with a code.
func (b *shopper) enter(m *shop, email string) *shopper {
	b.t.Helper()
	b.get("/account").want(http.StatusOK, "/account/sign-in")
	b.fill("/account/sign-in", "email", email).want(http.StatusOK, "/account/code", email)
	return b.fill("/account/code", "code", m.code(email)).want(http.StatusOK, "/account", email)
}

// A shopper signs in with a code, saves an address, finds it in the checkout, and sees the order.
// The session is worth nothing at another store, nor after it has ended.
func TestShopperAccount(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store), mailing(t))
	m := newShop(t, store, shopRow{Handle: "first"})
	newShop(t, store, shopRow{Handle: "second"})
	mug := selling(t, m, state.English, 5)
	browser := func(host string, jar map[string]*http.Cookie) *shopper {
		return &shopper{t: t, s: s, host: host + ".shops.test:8080", jar: jar}
	}
	b := browser("first", map[string]*http.Cookie{})
	b.enter(m, "ada@example.com").want(http.StatusOK, "/account", "There are no orders")
	c := b.jar["__Host-account"]
	if c == nil || !c.Secure || !c.HttpOnly ||
		c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %v", c)
	}
	if b.header.Get("Cache-Control") != "no-store" ||
		strings.Contains(b.header.Get("Content-Security-Policy"), "script") {
		t.Errorf("headers %v", b.header)
	}
	b.get("/account/address")
	b.fill("/account/address", "country", "DE", "line1", "", "name", "Ada <b>").want(
		http.StatusUnprocessableEntity, "/account/address", "This field is required.", "Ada &lt;b&gt;")
	b.fill("/account/address", "country", "DE", "line1", "Weg 1", "postal_code", "10115", "city", "Berlin",
		"phone", "030 1").want(http.StatusOK, "/account/addresses", "Default address", "Ada &lt;b&gt;")
	b.get("/account/settings").fill("/account/settings", "language", "ar").want(http.StatusOK, "/account/settings",
		`dir="rtl"`)
	b.get("/account/settings").fill("/account/settings", "language", "en")
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1"))
	b.get("/checkout").want(http.StatusOK, "/checkout/details", `value="ada@example.com"`, `value="030 1"`,
		`value="Weg 1"`, `value="10115"`)
	b.fill("/checkout/details", "country", "DE")
	b.fill("/checkout/delivery")
	b.fill("/checkout/place").want(http.StatusOK, "/orders/", "Thank you for your order")
	b.get("/account").want(http.StatusOK, "/account", "Order 1001", "Waiting for payment")
	link := regexp.MustCompile(`/orders/[^"]+`).FindString(b.body)
	b.get(link).want(http.StatusOK, link, "Mug &lt;blue&gt;")
	b.fill(link+"/again").want(http.StatusOK, "/cart", "Mug &lt;blue&gt;", `value="1"`)
	b.get(link).fill(link+"/again").want(http.StatusOK, "/cart", `value="2"`)
	placed := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().Load(m.ctx))[0]
	graphtest.Must[*model.OrderPayload](t)(graphtest.NewCore(t, store).Mutation().OrderFulfill(m.ctx, placed.PublicID(),
		placed.Version, model.FulfillInput{}))
	b.get(link).want(http.StatusOK, link, "Shipped on", "1 × Mug &lt;blue&gt;")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetStatus(state.ProductArchived).Exec(ctx)
	})
	b.get(link).fill(link+"/again").want(http.StatusOK, "/cart", "Some items could not be added")
	browser("first", map[string]*http.Cookie{}).get(link).fill(link+"/again").want(http.StatusConflict,
		link+"/again", "no longer sold")
	for name, other := range map[string]*shopper{
		"another store": browser("second", b.jar), "nobody": browser("first", map[string]*http.Cookie{}),
	} {
		for _, path := range []string{"/account", "/account/addresses", "/account/settings", "/account/address",
			"/account?before=" + "ord_0"} {
			if other.get(path).want(http.StatusOK, "/account/sign-in"); strings.Contains(other.body, "ada@") {
				t.Errorf("%s sees %s", name, other.body)
			}
		}
		for _, path := range []string{"/account/sign-out", "/account/addresses", "/account/settings",
			"/account/sessions", "/account/address"} {
			other.ask(http.MethodPost, path, "all=1").want(http.StatusOK, "/account/sign-in")
		}
	}
	b.ask(http.MethodPost, "/account/sessions", "all=1", "Sec-Fetch-Site", "cross-site").want(
		http.StatusForbidden, "/account/sessions")
	stolen := browser("first", map[string]*http.Cookie{"__Host-account": c})
	stolen.get("/account").want(http.StatusOK, "/account", "ada@example.com")
	b.get("/account").fill("/account/sign-out").want(http.StatusOK, "/account/sign-in")
	stolen.get("/account").want(http.StatusOK, "/account/sign-in")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
	})
	b.s = newServer(t, store, underTest(t, store), mailing(t))
	b.get("/account").want(http.StatusNotFound, "/account")
	b.ask(http.MethodPost, "/account/sign-in", "email=ada@example.com").want(http.StatusNotFound,
		"/account/sign-in")
}

// passkey returns the argument for the browser in the form of a page.
func (b *shopper) passkey(action string) []byte {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(b.body))
	if err != nil {
		b.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "form" && attr(n, "action") == action && attr(n, "data-passkey") != "" {
			return []byte(attr(n, "data-passkey"))
		}
	}
	b.t.Fatalf("%s has no form with a passkey to %s", b.path, action)
	return nil
}

// A shopper adds a passkey, signs in with it, and removes it. Only pages with passkeys run scripts.
func TestShopperPasskey(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store), mailing(t))
	m := newShop(t, store, shopRow{Handle: "first"})
	b := &shopper{t: t, s: s, host: "first.shops.test:8080", jar: map[string]*http.Cookie{}}
	b.enter(m, "ada@example.com")
	policy := b.header.Get("Content-Security-Policy")
	if strings.Contains(policy, "script-src") || !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the orders have the policy %s", policy)
	}
	key := factortest.New(t, "https://first.shops.test:8080")
	b.get("/account/settings")
	if got := b.header.Get("Content-Security-Policy"); got != policy+"; script-src 'self'" {
		t.Errorf("the settings have the policy %s", got)
	}
	b.fill("/account/passkeys", "response", "{}").want(http.StatusForbidden, "/account/passkeys", "not accepted")
	b.get("/account/settings")
	b.fill("/account/passkeys", "response", string(key.Create(b.passkey("/account/passkeys")))).want(
		http.StatusOK, "/account/settings", "first.shops.test", "Saved")
	b.get("/account").fill("/account/sign-out").want(http.StatusOK, "/account/sign-in")
	b.fill("/account/passkey", "response", "{}").want(http.StatusForbidden, "/account/passkey", "Use a code")
	answer := string(key.Get(b.passkey("/account/passkey")))
	b.ask(http.MethodPost, "/account/passkey", url.Values{"response": {answer}}.Encode(), "Sec-Fetch-Site",
		"cross-site").want(http.StatusForbidden, "/account/passkey")
	b.get("/account/sign-in").fill("/account/passkey", "response", answer).want(http.StatusOK, "/account",
		"ada@example.com")
	b.get("/account/settings")
	id := regexp.MustCompile(`name="remove" value="([^"]+)"`).FindStringSubmatch(b.body)[1]
	b.ask(http.MethodPost, "/account/passkeys", "remove="+id).want(http.StatusOK, "/account/settings", "Saved")
	if strings.Contains(b.body, `name="remove"`) {
		t.Error("the passkey is still there")
	}
	b.get("/_checkout/passkey.js").want(http.StatusOK, "/_checkout/passkey.js", "navigator.credentials.get")
}

// The answers about known and unknown addresses have the same bytes; wrong codes are refused until
// the code is over.
func TestShopperEnumeration(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store), mailing(t))
	m := newShop(t, store, shopRow{Handle: "first"})
	selling(t, m, state.English, 5)
	open := func() *shopper {
		return &shopper{t: t, s: s, host: "first.shops.test:8080", jar: map[string]*http.Cookie{}}
	}
	open().enter(m, "known@example.com")
	answer := func(email string) string {
		b := open()
		b.get("/account/sign-in").fill("/account/sign-in", "email", email).want(http.StatusOK, "/account/code")
		return strings.ReplaceAll(b.body, email, "?")
	}
	if answer("known@example.com") != answer("other@example.com") {
		t.Error("the answers differ")
	}
	b := open()
	b.get("/account/sign-in").fill("/account/sign-in", "email", "x").want(http.StatusUnprocessableEntity,
		"/account/sign-in", "not a valid email", `value="x"`)
	b.fill("/account/sign-in", "email", "eve@example.com")
	for range 4 {
		b.fill("/account/code", "code", "x").want(http.StatusUnprocessableEntity, "/account/code", "code is wrong")
	}
	b.fill("/account/code", "code", "x").want(http.StatusForbidden, "/account/code", "no longer valid")
	for range 4 {
		b.get("/account/sign-in").fill("/account/sign-in", "email", "eve@example.com")
	}
	b.get("/account/sign-in").fill("/account/sign-in", "email", "eve@example.com").want(http.StatusTooManyRequests,
		"/account/sign-in", "Too many codes")
	silent := newServer(t, store, underTest(t, store))
	b.s = silent
	b.get("/account").want(http.StatusNotFound, "/account", "cannot sign in")
	if b.get("/cart"); strings.Contains(b.body, `href="/account"`) {
		t.Error("the account is linked without a mail server")
	}
}

// A shopper downloads their data and deletes the account, confirmed with a code.
func TestShopperLeaves(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store), mailing(t))
	m := newShop(t, store, shopRow{Handle: "first"})
	selling(t, m, state.English, 5)
	b := &shopper{t: t, s: s, host: "first.shops.test:8080", jar: map[string]*http.Cookie{}}
	for _, path := range []string{"/account/data", "/account/delete", "/account/delete/code"} {
		b.get(path).want(http.StatusOK, "/account/sign-in")
	}
	b.enter(m, "ada@example.com")
	b.get("/account/data").want(http.StatusOK, "/account/data", `"email":"ada@example.com"`)
	if b.header.Get("Content-Type") != "application/json" || b.header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(b.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("headers %v", b.header)
	}
	b.get("/account/settings").want(http.StatusOK, "/account/settings", `href="/account/delete"`)
	b.get("/account/delete/code").want(http.StatusOK, "/account/delete", "cannot be undone")
	b.fill("/account/delete").want(http.StatusOK, "/account/delete/code", "ada@example.com")
	b.fill("/account/delete/code", "code", "x").want(http.StatusUnprocessableEntity, "/account/delete/code",
		"code is wrong")
	b.fill("/account/delete/code", "code", m.code("ada@example.com")).want(http.StatusOK, "/account/delete/code",
		"has been deleted")
	if len(b.jar) != 0 {
		t.Errorf("cookies %v", b.jar)
	}
	b.get("/account").want(http.StatusOK, "/account/sign-in")
}
