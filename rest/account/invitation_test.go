package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

const here = "http://127.0.0.1:8080"

// mails gives the site a mail server.
func (w *site) mails() {
	w.t.Helper()
	n, err := notify.New(w.host)
	if err != nil {
		w.t.Fatal(err)
	}
	w.core.Notifier = n
	w.core.Use(w.core.Engines)
}

// letter returns the path of the newest link emailed to an address.
func (w *site) letter(to, path string) string {
	w.t.Helper()
	list := graphtest.EmailBodies(w.t, w.core.Store, to)
	if len(list) == 0 {
		w.t.Fatalf("no mail to %s", to)
	}
	return path + graphtest.LinkToken(w.t, list[len(list)-1], w.host+path)
}

// invite invites an address to a store and returns the path of the link.
func (w *site) invite(s *model.Store, email string, role viewer.Role) string {
	w.t.Helper()
	p, err := w.core.Mutation().StaffInvite(viewer.Operator(w.t.Context(), s.ID),
		model.StaffInviteInput{Email: email, Role: role})
	if err != nil {
		w.t.Fatal(err)
	}
	if p.Link == nil {
		return w.letter(email, access.InvitationPath)
	}
	return strings.TrimPrefix(*p.Link, w.host)
}

// A new person creates an account on the invitation's page and joins the store.
func TestInvitationPage(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		path := w.invite(shop, "tom@example.com", viewer.Support)
		a := w.send(http.MethodGet, path, "")
		for _, want := range []string{"Shop of ada@example.com", "as Support", "tom@example.com", "Create account"} {
			if a.status != 200 || !strings.Contains(a.body, want) {
				t.Errorf("%d, without %q:\n%s", a.status, want, a.body)
			}
		}
		form := url.Values{"answer": {"join"}, "name": {"Tom"}, "password": {"password12"}}
		if a := w.post(path, form); a.status != 422 || !strings.Contains(a.body, `value="Tom"`) ||
			strings.Contains(a.body, "password12") || !strings.Contains(a.body, "wrong") {
			t.Errorf("a common password: %d %s", a.status, a.body)
		}
		form.Set("password", secret)
		if a := w.post(path, form, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); a.status != 403 {
			t.Errorf("from another site: %d", a.status)
		}
		a = w.post(path, form)
		c := a.cookie(t)
		if a.status != 303 || a.header.Get("Location") != "/dashboard" || c == nil {
			t.Fatalf("%d %v", a.status, a.header)
		}
		if a := w.ask(c.Name+"="+c.Value, "{store{id} account{role verified}}"); !strings.Contains(a.body,
			`"role":"SUPPORT","verified":false`) {
			t.Errorf("%s", a.body)
		}
		if a := w.post(path, form); a.status != 404 || a.cookie(t) != nil {
			t.Errorf("again: %d", a.status)
		}
		for _, path := range []string{"/invitation/", "/invitation/x", "/reset/x",
			"/invitation/" + strings.Repeat("A", 52)} {
			if a := w.send(http.MethodGet, path, ""); a.status != 404 {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	})
}

// A person with an account signs in first; another person's session cannot accept.
func TestInvitationOfKnown(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		w.shop("tom@example.com")
		w.shop("eve@example.com")
		path := w.invite(shop, "tom@example.com", viewer.Admin)
		if a := w.send(http.MethodGet, path, ""); !strings.Contains(a.body, url.QueryEscape(path)) ||
			strings.Contains(a.body, "Create account") {
			t.Errorf("%s", a.body)
		}
		accept := url.Values{"answer": {"accept"}}
		if a := w.post(path, accept); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/sign-in?") {
			t.Errorf("without a session: %d %v", a.status, a.header)
		}
		eve := w.signIn("eve@example.com")
		if a := w.send(http.MethodGet, path, "", "Cookie", eve); !strings.Contains(a.body, "as eve@example.com") ||
			strings.Contains(a.body, "Accept") {
			t.Errorf("%s", a.body)
		}
		if a := w.post(path, accept, "Cookie", eve); a.status != 422 {
			t.Errorf("another person: %d", a.status)
		}
		join := url.Values{"answer": {"join"}, "name": {"Eve"}, "password": {secret}}
		if a := w.post(path, join); a.status != 422 || !strings.Contains(a.body, "has an account") {
			t.Errorf("an account over another: %d %s", a.status, a.body)
		}
		tom := w.signIn("tom@example.com")
		if a := w.post(path, accept, "Cookie", tom); a.status != 303 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a := w.ask(tom, "{account{role}}", "Storefront-Store", shop.Handle); !strings.Contains(a.body, "ADMIN") {
			t.Errorf("%s", a.body)
		}
		declined := w.invite(shop, "zoe@example.com", viewer.Support)
		if a := w.post(declined, url.Values{"answer": {"decline"}}); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.send(http.MethodGet, declined, ""); a.status != 404 {
			t.Errorf("a declined one: %d", a.status)
		}
	})
}

// A person who has left their last store signs in and sees a page that says so.
func TestLobby(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		path := w.invite(shop, "tom@example.com", viewer.Support)
		c := w.post(path, url.Values{"answer": {"join"}, "name": {"Tom"}, "password": {secret}}).cookie(t)
		cookie := c.Name + "=" + c.Value
		if a := w.ask(cookie, `mutation{storeLeave{removedId}}`); a.status != 200 {
			t.Fatalf("%s", a.body)
		}
		if a := w.send(http.MethodGet, "/dashboard", "", "Cookie", cookie); a.status != 303 ||
			a.header.Get("Location") != "/account" {
			t.Errorf("%d %v", a.status, a.header)
		}
		if a := w.send(http.MethodGet, "/account", "", "Cookie", cookie); a.status != 200 ||
			!strings.Contains(a.body, "You do not belong to any store") {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.ask(cookie, "{store{id}}"); a.status != 403 {
			t.Errorf("GraphQL without a store: %d %s", a.status, a.body)
		}
		if a := w.send(http.MethodGet, "/account", ""); a.status != 303 {
			t.Errorf("without a session: %d", a.status)
		}
	})
}

// The page emails a link for a new password and answers the same for every address; the link works
// once.
func TestForgotPages(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		ask := url.Values{"email": {"ada@example.com"}}
		for _, a := range []*reply{w.send(http.MethodGet, "/forgot", ""), w.post("/forgot", ask)} {
			if a.status != 200 || !strings.Contains(a.body, "Ask the operator of this service") {
				t.Errorf("without a mail server: %d %s", a.status, a.body)
			}
		}
		w.mails()
		known, unknown := w.post("/forgot", ask), w.post("/forgot", url.Values{"email": {"bob@example.com"}})
		if known.status != 200 || known.body != unknown.body {
			t.Errorf("%d %s\n%d %s", known.status, known.body, unknown.status, unknown.body)
		}
		if a := w.post("/forgot", url.Values{"email": {"nonsense"}}); a.status != 422 {
			t.Errorf("no address: %d", a.status)
		}
		path := w.letter("ada@example.com", access.ResetPath)
		if a := w.send(http.MethodGet, path, ""); a.status != 200 || !strings.Contains(a.body, "ada@example.com") ||
			!strings.Contains(a.body, "has not been verified yet") {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.post(path, url.Values{"password": {"short"}}); a.status != 422 {
			t.Errorf("a short one: %d", a.status)
		}
		if a := w.post(path, url.Values{"password": {"another quiet kite"}}); a.status != 303 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.post(path, url.Values{"password": {"another quiet kite"}}); a.status != 404 {
			t.Errorf("twice: %d", a.status)
		}
		if a := w.post("/sign-in", credentials("ada@example.com", "another quiet kite")); a.status != 303 {
			t.Errorf("the new password: %d", a.status)
		}
	})
}

// An emailed link confirms an address for the person signed in, with a button.
func TestAddressPage(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		w.shop("eve@example.com")
		w.mails()
		ada, eve := w.signIn("ada@example.com"), w.signIn("eve@example.com")
		if a := w.ask(ada, `mutation{addressVerify{sentTo}}`); !strings.Contains(a.body, "ada@example.com") {
			t.Fatalf("%s", a.body)
		}
		path := w.letter("ada@example.com", access.AddressPath)
		if a := w.send(http.MethodGet, path, ""); a.status != 303 {
			t.Errorf("without a session: %d", a.status)
		}
		if a := w.post(path, nil, "Cookie", eve); a.status != 404 {
			t.Errorf("another person: %d", a.status)
		}
		if a := w.send(http.MethodGet, path, "", "Cookie", ada); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.ask(ada, "{account{verified}}"); !strings.Contains(a.body, "false") {
			t.Errorf("reading the page proves it: %s", a.body)
		}
		if a := w.post(path, nil, "Cookie", ada); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.ask(ada, "{account{verified}}"); !strings.Contains(a.body, "true") {
			t.Errorf("%s", a.body)
		}
	})
}
