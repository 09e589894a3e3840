package account_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// event is a row of a person's own log.
type event struct{ Action, Address, Agent, Detail string }

// own returns the log of the caller's account, oldest first, and its sessions.
func (w *site) own(cookie string, headers ...string) (log []event, sessions []struct {
	ID, Address string
	Current     bool
}) {
	w.t.Helper()
	a := w.ask(cookie, `{account{log(first:100){nodes{action address agent detail}}
		sessions{id address current}}}`, headers...)
	var answer struct {
		Data struct {
			Account struct {
				Log      struct{ Nodes []event }
				Sessions []struct {
					ID, Address string
					Current     bool
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil || a.status != 200 ||
		strings.Contains(a.body, `"errors"`) {
		w.t.Fatalf("%d %s, %v", a.status, a.body, err)
	}
	log = answer.Data.Account.Log.Nodes
	slices.Reverse(log)
	return log, answer.Data.Account.Sessions
}

// Events of an account appear only in its own log, with their origin; throttled attempts do not
// appear.
func TestOwnLog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "http://127.0.0.1:8080", proxied)
		shop := w.shop("ada@example.com")
		w.shop("bob@example.com")
		from := []string{"X-Forwarded-For", "192.0.2.7", "User-Agent", "Test browser"}
		for range 12 {
			w.post("/sign-in", credentials("ada@example.com", "wrong"), from...)
		}
		w.post("/sign-in", credentials("nobody@example.com", "wrong"), from...)
		from[1] = "2001:db8::7"
		cookie := w.signIn("ada@example.com", from...)
		w.token(shop)
		w.signIn("ada@example.com")
		log, _ := w.own(cookie)
		want := []event{{Action: "store.joined", Detail: "Shop of ada@example.com"}}
		for range 10 {
			want = append(want, event{Action: "sign_in.failed", Address: "192.0.2.7", Agent: "Test browser"})
		}
		want = append(want, event{Action: "sign_in", Address: "2001:db8::7", Agent: "Test browser",
			Detail: "with a new browser"}, event{Action: "staff_token.made", Detail: "A script"},
			event{Action: "sign_in", Address: "127.0.0.1", Agent: "Go-http-client/1.1", Detail: "with a new browser"})
		for i := range log {
			if log[i].Action == "staff_token.made" {
				log[i].Detail = "A script"
			}
		}
		if !slices.Equal(log, want) {
			t.Errorf("got  %v\nwant %v", log, want)
		}
		bobs, _ := w.own(w.signIn("bob@example.com"))
		if len(bobs) != 2 || bobs[0].Detail != "Shop of bob@example.com" {
			t.Errorf("Bob's: %v", bobs)
		}
	})
}

// A sign-in with a new browser gives a notice, except for the account's first browser.
func TestNewBrowserIsReported(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, here, proxied)
		w.mails()
		shop := w.shop("ada@example.com")
		from := []string{"X-Forwarded-For", "192.0.2.7", "User-Agent", "Test browser"}
		first := w.post("/sign-in", credentials("ada@example.com", secret), from...).device(t)
		w.signIn("ada@example.com", append(from, "Cookie", first.Name+"="+first.Value)...)
		got := graphtest.EmailBodies(t, s, "ada@example.com")
		if len(got) != 1 || !strings.Contains(got[0], "from a new browser") ||
			!strings.Contains(got[0], "192.0.2.7, with Test browser.") {
			t.Errorf("Ada reads %q", got)
		}
		w.post(w.invite(shop, "tom@example.com", viewer.Support),
			url.Values{"answer": {"join"}, "name": {"Tom"}, "password": {secret}})
		if got := graphtest.EmailBodies(t, s, "tom@example.com"); len(got) != 1 {
			t.Errorf("Tom reads %q", got)
		}
	})
}

// People end one of their own sessions, also the current one, and nobody else's; a staff token may
// see and end them too.
func TestSessionEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "http://127.0.0.1:8080", proxied)
		shop := w.shop("ada@example.com")
		w.shop("bob@example.com")
		bobs := w.signIn("bob@example.com")
		_, bobSessions := w.own(bobs)
		bearer := []string{"Authorization", "Bearer " + w.token(shop)}
		cookie := w.signIn("ada@example.com", "X-Forwarded-For", "192.0.2.7")
		other := w.signIn("ada@example.com", "X-Forwarded-For", "192.0.2.8")
		end := func(id string) string {
			return w.ask("", `mutation{sessionEnd(id:"`+id+`"){endedId userErrors{code}}}`, bearer...).body
		}
		_, list := w.own(cookie)
		if len(list) != 2 || list[0].Address != "192.0.2.8" || list[1].Address != "192.0.2.7" || !list[1].Current ||
			list[0].ID == list[1].ID || len(list[0].ID) != 36 {
			t.Fatalf("%+v", list)
		}
		for _, foreign := range []string{bobSessions[0].ID, "ses_x", ""} {
			if got := end(foreign); !strings.Contains(got, `"not_found"`) {
				t.Errorf("%q: %s", foreign, got)
			}
		}
		if got := end(list[0].ID); !strings.Contains(got, `"endedId":"`+list[0].ID+`"`) {
			t.Errorf("%s", got)
		}
		for name, tc := range map[string]struct {
			cookie string
			want   int
		}{"the ended one": {other, 401}, "the other one": {cookie, 200}, "Bob's": {bobs, 200}} {
			if a := w.ask(tc.cookie, "{account{email}}"); a.status != tc.want {
				t.Errorf("%s: %d, want %d", name, a.status, tc.want)
			}
		}
		w.post("/sign-out", nil, "Cookie", cookie)
		log, left := w.own("", bearer...)
		if len(left) != 0 || len(log) < 2 || log[len(log)-1].Action != "session.ended" ||
			log[len(log)-2].Action != "session.ended" {
			t.Errorf("%+v, %v", left, log)
		}
	})
}
