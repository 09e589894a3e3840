package account_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/graphtest"
)

// A session cannot create a key after its confirmation of identity has expired, until its person
// confirms again on the page or with the mutation. Other sessions and other people cannot do that
// for it.
func TestProveAgain(t *testing.T) {
	const key, refused = `mutation{apiKeyCreate(input:{name:"x",scopes:["orders.read"]}){secret userErrors{code}}}`,
		`"code":"reauthentication_required"`
	each(t, named, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		w.shop("bob@example.com")
		cookie := w.signIn("ada@example.com")
		makes := func(cookie string) bool {
			a := w.ask(cookie, strings.ReplaceAll(key, `\"`, `"`))
			made := strings.Contains(a.body, `"secret":"`)
			if made == strings.Contains(a.body, refused) {
				t.Fatalf("%d %s", a.status, a.body)
			}
			return made
		}
		prove := func(cookie, text string) *reply {
			return w.ask(cookie, fmt.Sprintf(`mutation{sessionProve(input:{password:%q}){until userErrors{code}}}`, text))
		}
		if !makes(cookie) {
			t.Error("a sign-in proves nothing")
		}
		graphtest.ExpireProofs(t, w.core.Store)
		if other := w.signIn("ada@example.com"); makes(cookie) || !makes(other) {
			t.Error("the proof of one session is that of another")
		}
		if a := prove(cookie, "wrong"); !strings.Contains(a.body, `"code":"unknown_value"`) || makes(cookie) {
			t.Errorf("a wrong password: %s", a.body)
		}
		if a := prove(cookie, secret); !strings.Contains(a.body, `"until":"`) || !makes(cookie) {
			t.Errorf("the password: %s", a.body)
		}

		graphtest.ExpireProofs(t, w.core.Store)
		post := func(cookie string, form url.Values) *reply {
			form.Set("return_to", "/x?y=1")
			return w.post("/sign-in/again", form, "Cookie", cookie)
		}
		shown := w.send("GET", "/sign-in/again?return_to=//evil.example", "", "Cookie", cookie)
		if shown.status != http.StatusOK || !strings.Contains(shown.body, "ada@example.com") ||
			strings.Contains(shown.body, "evil") || strings.Contains(shown.body, "data-passkey") {
			t.Errorf("%d %s", shown.status, shown.body)
		}
		for name, form := range map[string]url.Values{
			"wrong": {"password": {"wrong"}}, "nothing": {},
			"another question": {"ceremony": {"x"}, "response": {"{}"}},
		} {
			if a := post(cookie, form); a.status != http.StatusForbidden || !strings.Contains(a.body, `role="alert"`) {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		if a := w.send("POST", "/sign-in/again", "password="+secret, "Content-Type", formType, "Cookie", cookie,
			"Sec-Fetch-Site", "cross-site"); a.status != http.StatusForbidden {
			t.Errorf("from another site: %d", a.status)
		}
		if makes(cookie) {
			t.Error("what was refused proves")
		}
		if a := post("", url.Values{"password": {secret}}); !strings.HasPrefix(a.header.Get("Location"), "/sign-in?") {
			t.Errorf("without a session: %d %v", a.status, a.header)
		}
		if a := post(cookie, url.Values{"password": {secret}}); a.header.Get("Location") != "/x?y=1" || !makes(cookie) {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}

	})
}

// A passkey confirms too, once and for its owner only.
func TestProveAgainByPasskey(t *testing.T) {
	each(t, named, func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		w.shop("bob@example.com")
		key, bob := w.enrol("ada@example.com"), w.signIn("bob@example.com")
		step := w.halfway("ada@example.com")
		q := w.question("/sign-in/second/options", "Cookie", step)
		signed := w.second(step, url.Values{"ceremony": {q.Token}, "response": {string(key.Get(q.Options))}})
		cookie := sessionCookie + "=" + signed.cookies()[sessionCookie]
		graphtest.ExpireProofs(t, w.core.Store)
		stale := func(cookie string) bool {
			return strings.Contains(w.ask(cookie, "mutation{recoveryCodesRenew{recoveryCodes}}").body,
				"reauthentication_required")
		}
		if shown := w.send("GET", "/sign-in/again", "", "Cookie", cookie); !strings.Contains(shown.body,
			`data-passkey="/sign-in/again/options"`) {
			t.Errorf("%s", shown.body)
		}
		if q := w.question("/sign-in/again/options", "Cookie", bob); q.Token != "" {
			t.Error("a person without a passkey is asked for one")
		}
		if q := w.question("/sign-in/again/options"); q.Token != "" || q.Problem == "" {
			t.Errorf("without a session: %+v", q)
		}
		q = w.question("/sign-in/again/options", "Cookie", cookie)
		answer := url.Values{"ceremony": {q.Token}, "response": {string(key.Get(q.Options))}}
		if a := w.post("/sign-in/again", answer, "Cookie", bob); a.status != http.StatusForbidden || !stale(bob) {
			t.Errorf("another one's passkey: %d", a.status)
		}
		if !stale(cookie) {
			t.Error("the question alone proves")
		}
		if a := w.post("/sign-in/again", answer, "Cookie", cookie); a.status != http.StatusSeeOther || stale(cookie) {
			t.Errorf("%d %s", a.status, a.body)
		}
		graphtest.ExpireProofs(t, w.core.Store)
		if a := w.post("/sign-in/again", answer, "Cookie", cookie); a.status != http.StatusForbidden || !stale(cookie) {
			t.Errorf("twice: %d", a.status)
		}
		asked := w.ask(cookie, "mutation{passkeyAsk{token options}}")
		var got struct {
			Data struct {
				PasskeyAsk struct{ Token, Options string }
			}
		}
		if err := json.Unmarshal([]byte(asked.body), &got); err != nil || got.Data.PasskeyAsk.Token == "" {
			t.Fatalf("%v %s", err, asked.body)
		}
		response := key.Get([]byte(got.Data.PasskeyAsk.Options))
		proved := w.ask(cookie, fmt.Sprintf("mutation{sessionProve(input:{passkey:{token:%q,response:%q}}){until}}",
			got.Data.PasskeyAsk.Token, response))
		if !strings.Contains(proved.body, `"until":"`) || stale(cookie) {
			t.Errorf("by the mutation: %s", proved.body)
		}
	})
}
