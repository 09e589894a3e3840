package account_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/account"
)

// A cookie works for GraphQL only on our own pages.
func TestGraphQLWithCookie(t *testing.T) {
	each(t, "http://127.0.0.1:8080", func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		cookie := w.signIn("ada@example.com")
		const query = "{account{email role}}"
		if a := w.ask(cookie, query); a.status != 200 || !strings.Contains(a.body,
			`"email":"ada@example.com","role":"OWNER"`) || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
		if a := w.ask(cookie, "{me{type credentialId name hint expiresAt store{id}}}"); !strings.Contains(a.body,
			`"type":"SESSION"`) || !strings.Contains(a.body, `"name":"Ada","hint":""`) {
			t.Errorf("me: %s", a.body)
		}
		key := w.token(shop)
		for name, a := range map[string]*reply{
			"cross-site": w.ask(cookie, query, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"),
			"no cookie":  w.ask("", query),
			"by GET": w.send("GET", "/graphql?query="+url.QueryEscape(query), "", "Cookie",
				cookie, "Sec-Fetch-Site", "same-origin"),
			"a plain text": w.send("POST", "/graphql", `{"query":"{account{email}}"}`, "Cookie", cookie,
				"Content-Type", "text/plain", "Sec-Fetch-Site", "same-origin"),
			"a form": w.send("POST", "/graphql", "query="+url.QueryEscape(query), "Cookie", cookie,
				"Content-Type", formType, "Sec-Fetch-Site", "same-origin"),
			"beside a key": w.ask(cookie, query, "Authorization", "Bearer sfk_bad"),
			"preflight": w.send("OPTIONS", "/graphql", "", "Origin", "https://evil.example",
				"Access-Control-Request-Method", "POST"),
			"on REST": w.send("GET", "/api/public/v1/me", "", "Cookie", cookie),
			"as the bearer": w.send("POST", "/graphql", `{"query":"{__typename}"}`, "Authorization",
				"Bearer "+cookie[strings.IndexByte(cookie, '=')+1:], "Content-Type", "application/json"),
		} {
			if a.status < 400 || strings.Contains(a.body, "ada@example.com") || name != "on REST" &&
				a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %d %v %s", name, a.status, a.header, a.body)
			}
		}
		// An explicit credential takes precedence.
		if a := w.ask(cookie, query, "Authorization", "Bearer "+key); a.status != 200 {
			t.Errorf("beside a token: %d %s", a.status, a.body)
		}
	})
}

// token creates a staff token of the owner.
func (w *site) token(s *model.Store) string {
	w.t.Helper()
	ctx := viewer.Operator(w.t.Context(), s.ID)
	people, err := w.core.Query().Staff(ctx, new(1), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	made, err := w.core.NewStaffToken(ctx, people.Nodes[0].ID, "test", nil, false)
	if err != nil {
		w.t.Fatal(err)
	}
	return *made.Token
}

// id returns the person with an address.
func (w *site) id(email string) xid.ID {
	w.t.Helper()
	ctx := w.t.Context()
	return w.core.Client(ctx).UserEmail.GetX(ctx, email).UserID
}

func TestStoreHeader(t *testing.T) {
	each(t, "http://127.0.0.1:8080", func(t *testing.T, w *site) {
		first, foreign := w.shop("ada@example.com"), w.shop("eve@example.com")
		second, _, err := w.core.NewStore(t.Context(), model.StoreCreateInput{Name: "A first by name", Currency: "JPY",
			Timezone: "UTC"}, access.Person{Email: "zoe@example.com", Name: "Zoe"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.core.Hire(viewer.Operator(t.Context(), second.ID), access.Person{ID: w.id("ada@example.com")},
			viewer.Support); err != nil {
			t.Fatal(err)
		}
		cookie := w.signIn("ada@example.com")
		for _, tc := range []struct {
			names  []string
			status int
			want   string
		}{
			{nil, 200, xid.Store.Format(second.ID)},
			{[]string{first.Handle}, 200, xid.Store.Format(first.ID)},
			{[]string{xid.Store.Format(first.ID)}, 200, xid.Store.Format(first.ID)},
			{[]string{second.Handle}, 200, `"role":"SUPPORT"`},
			{[]string{foreign.Handle}, 404, "not_found"},
			{[]string{xid.Store.Format(foreign.ID)}, 404, "not_found"},
			{[]string{"unknown"}, 404, "not_found"},
			{[]string{""}, 404, "not_found"},
			{[]string{first.Handle, second.Handle}, 400, "invalid_request"},
		} {
			var headers []string
			for _, name := range tc.names {
				headers = append(headers, "Storefront-Store", name)
			}
			if a := w.ask(cookie, "{store{id} account{role}}", headers...); a.status != tc.status ||
				!strings.Contains(a.body, tc.want) {
				t.Errorf("%v: %d %s, want %d %s", tc.names, a.status, a.body, tc.status, tc.want)
			}
		}
		a := w.ask(cookie, "{account{memberships{role store{name currency}}}}", "Storefront-Store", first.Handle)
		if want := `"memberships":[{"role":"SUPPORT","store":{"name":"A first by name","currency":"JPY"}},` +
			`{"role":"OWNER","store":{"name":"Shop of ada@example.com","currency":"EUR"}}]`; !strings.Contains(a.body,
			want) {
			t.Errorf("%s", a.body)
		}
	})
}

func TestSignOutEverywhere(t *testing.T) {
	each(t, "http://127.0.0.1:8080", func(t *testing.T, w *site) {
		token := w.token(w.shop("ada@example.com"))
		w.shop("eve@example.com")
		first, second, hers := w.signIn("ada@example.com", "User-Agent", "Old"),
			w.signIn("ada@example.com", "User-Agent", "New"), w.signIn("eve@example.com")
		a := w.ask(second, "{account{sessions{agent current}}}")
		if want := `"sessions":[{"agent":"New","current":true},{"agent":"Old",` +
			`"current":false}]`; !strings.Contains(a.body, want) {
			t.Errorf("%s, want %s", a.body, want)
		}
		if a := w.ask(first, "mutation{signOutEverywhere{sessions userErrors{code}}}"); !strings.Contains(a.body,
			`"sessions":2`) {
			t.Errorf("%s", a.body)
		}
		for _, cookie := range []string{first, second} {
			if a := w.ask(cookie, "{account{email}}"); a.status != 401 {
				t.Errorf("still signed in: %d", a.status)
			}
		}
		for name, a := range map[string]*reply{"another person": w.ask(hers, "{account{email}}"),
			"a token": w.ask("", "{account{email sessions{agent}}}", "Authorization", "Bearer "+token)} {
			if a.status != 200 || strings.Contains(a.body, "errors") {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
	})
}

// The other sessions end, and the calling one stays.
func TestSignOutOthers(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		other, mine := w.signIn("ada@example.com"), w.signIn("ada@example.com")
		if a := w.ask(mine, "mutation{signOutEverywhere(others:true){sessions}}"); !strings.Contains(a.body,
			`"sessions":1`) {
			t.Errorf("%s", a.body)
		}
		for cookie, want := range map[string]int{other: 401, mine: 200} {
			if a := w.ask(cookie, "{account{email}}"); a.status != want {
				t.Errorf("%d, want %d", a.status, want)
			}
		}
	})
}

// People see their own staff tokens of the store without revoked ones, and whether they can confirm
// an address.
func TestOwnTokens(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		w.token(w.shop("ada@example.com"))
		w.shop("bob@example.com")
		ada, bob := w.signIn("ada@example.com"), w.signIn("bob@example.com")
		const query = "{account{mailPossible staffTokens{id name}}}"
		a := w.ask(ada, query)
		if !strings.Contains(a.body, `{"mailPossible":false,"staffTokens":[{"id":"tok_`) {
			t.Errorf("%s", a.body)
		}
		_, rest, _ := strings.Cut(a.body, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		w.mails()
		w.ask(ada, `mutation{staffTokenRevoke(id:"`+id+`"){userErrors{code}}}`)
		for _, cookie := range []string{ada, bob} {
			if a := w.ask(cookie, query); !strings.Contains(a.body, `{"mailPossible":true,"staffTokens":[]}`) {
				t.Errorf("%s", a.body)
			}
		}
	})
}

func TestPasswordChange(t *testing.T) {
	each(t, "http://127.0.0.1:8080", func(t *testing.T, w *site) {
		token := w.token(w.shop("ada@example.com"))
		present, other := w.signIn("ada@example.com"), w.signIn("ada@example.com")
		change := func(current, next string, headers ...string) *reply {
			return w.ask(present, fmt.Sprintf("mutation{passwordChange(current:%q,next:%q){changed "+
				"userErrors{code path}}}", current, next), headers...)
		}
		for name, tc := range map[string]struct{ current, next, want string }{
			"wrong": {
				"nonsense", "a new long password", `"userErrors":[{"code":"unknown_value","path":["current"]}]`,
			},
			"short":      {secret, "ninechars", `"userErrors":[{"code":"too_short","path":["next"]}]`},
			"long":       {secret, strings.Repeat("x", 257), `"userErrors":[{"code":"too_long","path":["next"]}]`},
			"common":     {secret, "PassWord123", `"userErrors":[{"code":"unknown_value","path":["next"]}]`},
			"the e-mail": {secret, "ADA@example.com", `"userErrors":[{"code":"unknown_value","path":["next"]}]`},
			"a tab":      {secret, "a new\tlong password", `"userErrors":[{"code":"invalid_format","path":["next"]}]`},
		} {
			if a := change(tc.current, tc.next); !strings.Contains(a.body, tc.want) ||
				!strings.Contains(a.body, `"changed":false`) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
		if a := change(secret, "a new long password", "Idempotency-Key",
			"k"); !strings.Contains(a.body, "idempotency_not_supported") {
			t.Errorf("with a key: %d %s", a.status, a.body)
		}
		if a := change(secret, "zwölf Zeichen"); !strings.Contains(a.body, `"changed":true`) {
			t.Fatalf("%s", a.body)
		}
		if a := w.ask(present, "{account{email}}"); a.status != 200 {
			t.Errorf("the present session ended: %d", a.status)
		}
		if a := w.ask(other, "{account{email}}"); a.status != 401 {
			t.Errorf("another session goes on: %d", a.status)
		}
		if a := w.ask("", "{account{email}}", "Authorization", "Bearer "+token); a.status != 401 {
			t.Errorf("a staff token goes on: %d", a.status)
		}
		if a := w.post("/sign-in", credentials("ada@example.com", secret)); a.status != 403 {
			t.Errorf("the old password: %d", a.status)
		}
		if a := w.post("/sign-in", credentials("ada@example.com", "zwölf Zeichen")); a.status != 303 {
			t.Errorf("the new password: %d", a.status)
		}
		// Wrong ones count for the session: one so far, 9 more are admitted.
		for range 9 {
			if a := change("nonsense", "another long password"); !strings.Contains(a.body, "unknown_value") {
				t.Fatalf("%s", a.body)
			}
		}
		if a := change("zwölf Zeichen", "another long password"); !strings.Contains(a.body, "rate_limited") {
			t.Errorf("throttled: %s", a.body)
		}
		// They block neither the sign-in nor another session.
		again := w.post("/sign-in", credentials("ada@example.com", "zwölf Zeichen"))
		if again.status != 303 {
			t.Fatalf("sign-in: %d", again.status)
		}
		present = "storefront_session=" + again.cookie(t).Value
		if a := change("nonsense", "another long password"); !strings.Contains(a.body, "unknown_value") {
			t.Errorf("another session: %s", a.body)
		}
	})
}

// The sessions of a person share one allowance.
func TestRate(t *testing.T) {
	w := serve(t, storetest.Open(t), "http://127.0.0.1:8080", func(_ *account.Config, c *rest.Config) {
		c.RatePerSecond, c.RateBurst = 0.01, 3
	})
	w.shop("ada@example.com")
	first, second := w.signIn("ada@example.com"), w.signIn("ada@example.com")
	for i, cookie := range []string{first, second, first} {
		if a := w.ask(cookie, "{__typename}"); a.status != 200 {
			t.Fatalf("%d: %d", i, a.status)
		}
	}
	if a := w.ask(second, "{__typename}"); a.status != 429 || a.header.Get("Retry-After") == "" ||
		!strings.Contains(a.body, "rate_limited") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}
