package account_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

const named = graphtest.API // the host of the core's passkeys

// cookies returns the cookies that an answer sets by name; a deleted one is empty.
func (a *reply) cookies() map[string]string {
	m := map[string]string{}
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		m[c.Name] = c.Value
	}
	return m
}

const (
	sessionCookie = "__Host-storefront"
	stepCookie    = "__Host-storefront-second"
)

// halfway signs in with the password of a person with a second factor and returns the cookie of the
// step.
func (w *site) halfway(email string) string {
	w.t.Helper()
	form := credentials(email, secret)
	form.Set("return_to", "/dashboard/orders?x=1")
	a := w.post("/sign-in", form)
	set := a.cookies()
	if a.status != http.StatusSeeOther || set[stepCookie] == "" || set[sessionCookie] != "" ||
		a.header.Get("Location") != "/sign-in/second?return_to="+url.QueryEscape("/dashboard/orders?x=1") {
		w.t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	return stepCookie + "=" + set[stepCookie]
}

// person returns a person by email address.
func (w *site) person(email string) *session.Person {
	w.t.Helper()
	var id xid.ID
	err := w.core.Store.Raw().QueryRowContext(w.t.Context(), "SELECT user_id FROM user_emails WHERE email = ?", email).
		Scan(&id)
	if err != nil {
		w.t.Fatal(err)
	}
	return graphtest.Must[*session.Person](w.t)(w.core.Sessions.Of(w.t.Context(), id))
}

// owner creates a shop whose owner has an authenticator app.
func (w *site) owner(email string) (shop *model.Store, secret string, codes []string) {
	w.t.Helper()
	shop = w.shop(email)
	person := w.person(email)
	secret, codes = graphtest.AddFactor(w.t, w.core, person.User)
	return shop, secret, codes
}

// second sends the second factor.
func (w *site) second(step string, form url.Values) *reply {
	w.t.Helper()
	if form.Get("return_to") == "" {
		form.Set("return_to", "/dashboard/orders?x=1")
	}
	return w.post("/sign-in/second", form, "Cookie", step)
}

// in reports whether an answer signs in and redirects to where the person wanted to go.
func in(a *reply) bool {
	set := a.cookies()
	step, gone := set[stepCookie]
	return a.status == http.StatusSeeOther && set[sessionCookie] != "" && gone && step == "" &&
		a.header.Get("Location") == "/dashboard/orders?x=1"
}

func TestSecondFactor(t *testing.T) {
	each(t, named, func(t *testing.T, w *site) {
		_, _, codes := w.owner("ada@example.com")
		step := w.halfway("ada@example.com")
		if got := w.send("GET", "/dashboard", "", "Cookie", step); got.status == http.StatusOK &&
			strings.Contains(w.ask(step, "{account{id}}").body, "usr_") {
			t.Error("the password alone opens")
		}
		shown := w.send("GET", "/sign-in/second?return_to=/x", "", "Cookie", step)
		for _, want := range []string{`action="/sign-in/second"`, `name="return_to" value="/x"`,
			`autocomplete="one-time-code"`, "authenticator app"} {
			if shown.status != http.StatusOK || !strings.Contains(shown.body, want) {
				t.Errorf("%d: the page lacks %s\n%s", shown.status, want, shown.body)
			}
		}
		if strings.Contains(shown.body, "data-passkey") {
			t.Error("a passkey is offered to a person without one")
		}
		for _, wrong := range []string{"000000", "abc", "", "zzzz-zzzz-zzzz"} {
			if a := w.second(step, url.Values{"code": {wrong}}); a.status != http.StatusForbidden || in(a) ||
				!strings.Contains(a.body, `role="alert"`) {
				t.Errorf("%q: %d %s", wrong, a.status, a.body)
			}
		}
		if a := w.second(step, url.Values{"code": {codes[0]}}); !in(a) {
			t.Errorf("a recovery code: %d %v %s", a.status, a.header, a.body)
		}
		if a := w.second(step, url.Values{"code": {codes[1]}}); a.status != http.StatusForbidden ||
			!strings.Contains(a.body, "This has expired.") {
			t.Errorf("the step once more: %d %s", a.status, a.body)
		}
		if a := w.second(w.halfway("ada@example.com"), url.Values{"code": {codes[0]}}); in(a) {
			t.Error("a recovery code twice")
		}
	})
}

// A code of the authenticator app works once.
func TestSecondFactorCode(t *testing.T) {
	hashed()
	synctest.Test(t, func(t *testing.T) {
		w := build(t, storetest.Open(t), named)
		_, key, _ := w.owner("ada@example.com")
		time.Sleep(time.Minute)
		code := factortest.Code(t, key, time.Now())
		if a := w.second(w.halfway("ada@example.com"), url.Values{"code": {code}}); !in(a) {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := w.second(w.halfway("ada@example.com"), url.Values{"code": {code}}); in(a) {
			t.Error("twice")
		}
		late := w.halfway("ada@example.com")
		time.Sleep(10 * time.Minute)
		if a := w.second(late, url.Values{"code": {factortest.Code(t, key, time.Now())}}); in(a) {
			t.Error("a step of ten minutes ago")
		}
		if a := w.send("GET", "/sign-in/second?return_to=/x", "", "Cookie", late); a.status != http.StatusSeeOther ||
			a.header.Get("Location") != "/sign-in?return_to=%2Fx" {
			t.Errorf("%d %v", a.status, a.header)
		}
	})
}

// A change of the password ends a step, and another person's session does not affect it.
func TestSecondFactorStep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, named)
		_, _, codes := w.owner("ada@example.com")
		_, _, bobs := w.owner("bob@example.com")
		step := w.halfway("ada@example.com")
		if a := w.second(step, url.Values{"code": {bobs[0]}}); in(a) {
			t.Error("another person's code")
		}
		next, err := password.Hash(t.Context(), "another good password")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.core.Sessions.Reset(t.Context(), w.person("ada@example.com").User, next); err != nil {
			t.Fatal(err)
		}
		if a := w.second(step, url.Values{"code": {codes[0]}}); in(a) {
			t.Error("a step behind the former password")
		}
		for _, none := range []string{"", stepCookie + "=x", stepCookie + "=" + strings.Repeat("A", 52)} {
			if a := w.second(none, url.Values{"code": {codes[0]}}); in(a) {
				t.Errorf("a step from nowhere: %q", none)
			}
		}
		left, err := w.core.Factors.CodesLeft(t.Context(), w.person("ada@example.com").User)
		if left != 10 || err != nil {
			t.Errorf("%d codes left, %v", left, err)
		}
		cross := w.send("POST", "/sign-in/second", "code="+codes[0], "Content-Type", formType, "Cookie", step,
			"Sec-Fetch-Site", "cross-site")
		if cross.status != http.StatusForbidden || in(cross) {
			t.Errorf("from another site: %d", cross.status)
		}
	})
}

// enrol adds a passkey to a person.
func (w *site) enrol(email string) *factortest.Authenticator {
	w.t.Helper()
	person := w.person(email)
	by := factor.By{Person: person.User, Session: graphtest.AddSession(w.t, w.core, person.User)}
	a := factortest.New(w.t, named)
	q := graphtest.Must[*factor.Ceremony](w.t)(w.core.Factors.BeginPasskey(w.t.Context(), by))
	made := a.Create(q.Options)
	graphtest.Must[*factor.Added](w.t)(w.core.Factors.FinishPasskey(w.t.Context(), by, q.Token, "", made))
	return a
}

// question sends the script's request for passkey options.
func (w *site) question(path string, headers ...string) (q struct {
	Token   string
	Options json.RawMessage
	Problem string
}) {
	w.t.Helper()
	a := w.post(path, nil, headers...)
	if err := json.Unmarshal([]byte(a.body), &q); err != nil {
		w.t.Fatalf("%d %s", a.status, a.body)
	}
	return q
}

func TestPasskeySignIn(t *testing.T) {
	each(t, named, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		key := w.enrol("ada@example.com")
		step := w.halfway("ada@example.com")
		if shown := w.send("GET", "/sign-in/second", "", "Cookie", step); !strings.Contains(shown.body,
			`data-passkey="/sign-in/second/options"`) || !strings.Contains(shown.body, `src="/pages/passkey.js"`) ||
			!strings.Contains(shown.header.Get("Content-Security-Policy"), "script-src 'self'; connect-src 'self'") {
			t.Errorf("%v %s", shown.header, shown.body)
		}
		q := w.question("/sign-in/second/options", "Cookie", step)
		answer := url.Values{"ceremony": {q.Token}, "response": {string(key.Get(q.Options))}}
		if a := w.second(step, answer); !in(a) {
			t.Errorf("behind the password: %d %s", a.status, a.body)
		}
		if q := w.question("/sign-in/second/options", "Cookie", step); q.Token != "" || q.Problem == "" {
			t.Errorf("a question behind the end of the step: %+v", q)
		}
		lone := w.question("/sign-in/passkey/options")
		answer = url.Values{"ceremony": {lone.Token}, "response": {string(key.Get(lone.Options))}, "return_to": {"/x"}}
		a := w.post("/sign-in/passkey", answer)
		if a.status != http.StatusSeeOther || a.header.Get("Location") != "/x" || a.cookies()[sessionCookie] == "" {
			t.Fatalf("alone: %d %s", a.status, a.body)
		}
		got := w.ask(sessionCookie+"="+a.cookies()[sessionCookie], "{account{email}}")
		if !strings.Contains(got.body, "ada@") {
			t.Errorf("%s", got.body)
		}
		if again := w.post("/sign-in/passkey", answer); again.status != http.StatusForbidden ||
			!strings.Contains(again.body, `action="/sign-in"`) || again.cookies()[sessionCookie] != "" {
			t.Errorf("twice: %d %s", again.status, again.body)
		}
		for _, path := range []string{"/sign-in/passkey/options", "/sign-in/second/options"} {
			if got := w.send("GET", path, ""); got.status != http.StatusMethodNotAllowed {
				t.Errorf("GET %s: %d", path, got.status)
			}
			if got := w.send("POST", path, "", "Sec-Fetch-Site", "cross-site"); got.status != http.StatusForbidden {
				t.Errorf("%s from another site: %d", path, got.status)
			}
		}
	})
}

// If a store requires a second factor, a person without one sees only how to add it; staff tokens
// keep working.
func TestRequiredFactor(t *testing.T) {
	each(t, named, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		other := w.shop("bob@example.com")
		ada, ctx := w.person("ada@example.com"), viewer.Operator(t.Context(), shop.ID)
		w.in(other, func(ctx context.Context) error {
			_, err := w.core.Enrol(ctx, ada.User, viewer.Admin)
			return err
		})
		cookie := w.signIn("ada@example.com")
		token := graphtest.Must[*model.StaffTokenPayload](t)(w.core.NewStaffToken(ctx, ada.User, "x", nil, false)).Token
		now := graphtest.Must[*model.Store](t)(w.core.Query().Store(ctx))
		graphtest.Must[*model.StorePayload](t)(w.core.Mutation().StoreRequireSecondFactor(ctx, now.Version, true))

		const field = "{store{name}}"
		here := []string{"Storefront-Store", shop.Handle}
		for document, want := range map[string]string{
			field:                 `"code":"second_factor_required"`,
			"{orders{nodes{id}}}": `"code":"second_factor_required"`,
			"mutation{staffTokenCreate(name:\"x\"){token}}": `"code":"second_factor_required"`,
			"{account{email factors{id}}}":                  `"email":"ada@example.com"`,
			"mutation{totpBegin{secret}}":                   `"secret":"`,
			"mutation{passkeyBegin{token}}":                 `"token":"`,
		} {
			if got := w.ask(cookie, document, here...); !strings.Contains(got.body, want) {
				t.Errorf("%s: %s", document, got.body)
			}
		}
		if got := w.ask(cookie, field, "Storefront-Store", other.Handle); !strings.Contains(got.body, other.Name) {
			t.Errorf("another store: %s", got.body)
		}
		if got := w.send("POST", "/graphql", `{"query":"`+field+`"}`, "Content-Type", "application/json",
			"Authorization", "Bearer "+*token); !strings.Contains(got.body, shop.Name) {
			t.Errorf("a staff token: %s", got.body)
		}
		_, codes := graphtest.AddFactor(t, w.core, ada.User)
		a := w.second(w.halfway("ada@example.com"), url.Values{"code": {codes[0]}})
		next := sessionCookie + "=" + a.cookies()[sessionCookie]
		if got := w.ask(next, field, here...); !strings.Contains(got.body, shop.Name) {
			t.Errorf("with a factor: %s", got.body)
		}
		if got := w.ask(cookie, field, here...); got.status != http.StatusUnauthorized {
			t.Errorf("the session from before the factor: %d %s", got.status, got.body)
		}
	})
}
