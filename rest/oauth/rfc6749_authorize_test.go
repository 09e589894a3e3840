package oauth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/rest/oauth"
)

// Tests named after an RFC and a section check its requirements for an authorization server with
// public clients and the code grant.

func TestRFC6749_3_1(t *testing.T) {
	w := sqlite(t)
	t.Run("GET is supported", func(t *testing.T) {
		if r := w.authorize(w.ada); r.status != http.StatusOK {
			t.Errorf("%d", r.status)
		}
	})
	t.Run("a parameter without a value is as left out", func(t *testing.T) {
		if q := w.authorize(w.ada, "response_type=").returned(callback); q.Get("error") != "invalid_request" {
			t.Errorf("%v", q)
		}
		q := w.authorize(w.ada, "response_type=", "state=").returned(callback)
		if q.Has("state") {
			t.Errorf("an empty state came back: %v", q)
		}
		if r := w.authorize(w.ada, "scope=", "response_mode="); r.status != http.StatusOK {
			t.Errorf("%d", r.status)
		}
	})
	t.Run("a parameter that is not known is ignored", func(t *testing.T) {
		if r := w.authorize(w.ada, "prompt=login", "x=%00"); r.status != http.StatusOK {
			t.Errorf("%d", r.status)
		}
	})
	for _, name := range []string{"response_type", "state", "scope", "code_challenge", "code_challenge_method",
		"response_mode", "unknown", "store"} {
		t.Run("not more than once: "+name, func(t *testing.T) {
			q := w.authorize(w.ada, name+"=a", "+"+name+"=b").returned(callback)
			if q.Get("error") != "invalid_request" {
				t.Errorf("%v", q)
			}
		})
	}
	for _, name := range []string{"client_id", "redirect_uri"} {
		t.Run("not more than once: "+name, func(t *testing.T) {
			w.authorize(w.ada, "+"+name+"="+w.asked().Get(name)).page(http.StatusBadRequest)
		})
	}
}

func TestRFC6749_3_1_1(t *testing.T) {
	w := sqlite(t)
	for _, tc := range []struct{ name, change, want string }{
		{"response_type is required", "-response_type", "invalid_request"},
		{"a type that is not known is an error", "response_type=other", "unsupported_response_type"},
		{"the implicit type is not offered", "response_type=token", "unsupported_response_type"},
		{"nor one of several words", "response_type=code token", "unsupported_response_type"},
		{"the name is compared exactly", "response_type=Code", "unsupported_response_type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if q := w.authorize(w.ada, tc.change).returned(callback); q.Get("error") != tc.want ||
				q.Has("access_token") {
				t.Errorf("%v, want %s", q, tc.want)
			}
		})
	}
}

func TestRFC6749_3_1_2(t *testing.T) {
	w := sqlite(t)
	t.Run("3.1.2: the query of the redirection URI is kept", func(t *testing.T) {
		const to = "https://app.test/callback?tenant=7&x=a%20b"
		w.app = w.register(row{URIs: []string{to}})
		if q := w.authorize(w.ada, "redirect_uri="+to, "response_type=").
			returned(to + "&"); q.Get("error") != "invalid_request" {
			t.Errorf("%v", q)
		}
		form := w.authorize(w.ada, "redirect_uri="+to).form()
		if q := w.answer(w.ada, form, "decision=allow").redirected(to + "&"); q.Get("code") == "" {
			t.Errorf("%v", q)
		}
	})
	t.Run("3.1.2.3: the redirection URI is required, though only one is registered", func(t *testing.T) {
		w.app = w.register(row{})
		w.authorize(w.ada, "-redirect_uri").page(http.StatusBadRequest)
	})
	t.Run("3.1.2.4: no redirect to an unregistered address", func(t *testing.T) {
		r := w.authorize(w.ada, "redirect_uri=https://evil.test/").page(http.StatusBadRequest)
		if strings.Contains(r.body, "evil.test") {
			t.Error("the page shows the address")
		}
	})
}

func TestRFC6749_3_3(t *testing.T) {
	w := sqlite(t)
	w.app = w.register(row{Scopes: []string{scope.OrdersWrite, scope.ProductsRead, scope.ThemesRead}})
	for _, tc := range []struct{ name, asked, want string }{
		{"the order does not matter", "scope=products.read orders.read", "orders.read products.read"},
		{"a scope is added once", "scope=products.read products.read", "products.read"},
		{"the granted scope is named where it differs", "scope=products.read customers.read unheard.of",
			"products.read"},
		{"none asked for means all of the app's", "-scope", "orders.read orders.write products.read themes.read"},
		{"an implied read is granted with its write", "scope=orders.write", "orders.read orders.write"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := w.exchange(w.code(tc.asked)).tokens().Scope; got != tc.want {
				t.Errorf("scope %q, want %q", got, tc.want)
			}
		})
	}
	for name, asked := range map[string]string{
		"names are case-sensitive": "Products.Read", "none of the app's is left": "customers.read",
		"only white space": "  ", "commas do not part names": "products.read,orders.read",
	} {
		t.Run("invalid_scope: "+name, func(t *testing.T) {
			if q := w.authorize(w.ada, "scope="+asked).returned(callback); q.Get("error") != "invalid_scope" {
				t.Errorf("%v", q)
			}
		})
	}
}

func TestRFC6749_4_1_1(t *testing.T) {
	w := sqlite(t)
	t.Run("client_id is required", func(t *testing.T) {
		w.authorize(w.ada, "-client_id").page(http.StatusBadRequest)
	})
	t.Run("an unknown client is reported to the person", func(t *testing.T) {
		w.authorize(w.ada, "client_id=nobody").page(http.StatusBadRequest)
	})
	t.Run("the resource owner is authenticated, then decides", func(t *testing.T) {
		r := w.authorize(nil)
		back := r.redirected("/sign-in").Get("return_to")
		if back != oauth.AuthorizePath+"?"+w.asked().Encode() {
			t.Errorf("return_to %q", back)
		}
		if again := w.send(http.MethodGet, back, w.ada, ""); again.status != http.StatusOK || len(w.grants()) != 0 {
			t.Errorf("%d, %d grants before anybody decided", again.status, len(w.grants()))
		}
	})
	t.Run("state is given back as it was", func(t *testing.T) {
		for _, sent := range []string{"a b+c&d=e%20/?#\"'<>\\", "{}[]|~`^", strings.Repeat("x", 2000)} {
			form := w.authorize(w.ada, "state="+sent).form()
			if q := w.answer(w.ada, form, "decision=deny").redirected(callback); q.Get("state") != sent {
				t.Errorf("state %q, want %q", q.Get("state"), sent)
			}
		}
	})
}

func TestRFC6749_4_1_2(t *testing.T) {
	w := sqlite(t)
	t.Run("code and state are added to the query of the redirection URI", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		r := w.answer(w.ada, form, "decision=allow")
		q := r.redirected(callback + "?")
		if q.Get("code") == "" || q.Get("state") != "st&te" || strings.Contains(r.header.Get("Location"), "#") ||
			q.Has("error") {
			t.Errorf("%v", q)
		}
	})
	t.Run("no state comes back where none was sent", func(t *testing.T) {
		form := w.authorize(w.ada, "-state").form()
		if q := w.answer(w.ada, form, "decision=allow").redirected(callback); q.Has("state") {
			t.Errorf("%v", q)
		}
	})
	t.Run("a code cannot be guessed", func(t *testing.T) {
		if a, b := w.code(), w.code(); a == b || len(a) != 42 || !strings.HasPrefix(a, "sfc_") {
			t.Errorf("%s, %s", a, b)
		}
	})
}

// The life and the use of a code, on each engine.
func TestRFC6749_4_1_2_Code(t *testing.T) {
	t.Run("it expires", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			w.exchange(w.lateCode(-1)).refused(http.StatusBadRequest, "invalid_grant")
			w.ended("") // it had not been used
		})
	})
	t.Run("it lives 60 seconds at most", func(t *testing.T) {
		w := sqlite(t)
		w.code()
		if g := w.grants()[0]; g.CodeExpiresAt.Time().Sub(g.ID.Time().Time()).Seconds() > 60 {
			t.Errorf("until %v", g.CodeExpiresAt)
		}
	})
	t.Run("a second use is denied and revokes what came from it", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			code := w.code()
			first := w.exchange(code).tokens()
			renewed := w.refresh(first.Refresh).tokens()
			w.exchange(code).refused(http.StatusBadRequest, "invalid_grant")
			w.ended(state.GrantCodeReused)
			if w.opens(first.Access) || w.opens(renewed.Access) {
				t.Error("a token of the family is alive")
			}
			w.refresh(renewed.Refresh).refused(http.StatusBadRequest, "invalid_grant")
		})
	})
	t.Run("it is bound to the client", func(t *testing.T) {
		w := sqlite(t)
		code, own := w.code(), w.app
		w.app = w.register(row{})
		w.exchange(code).refused(http.StatusBadRequest, "invalid_grant")
		w.app = own
		w.exchange(code).tokens()
	})
	t.Run("it is bound to the redirection URI", func(t *testing.T) {
		w := sqlite(t)
		w.app = w.register(row{URIs: []string{callback, "https://app.test/other"}})
		code := w.code()
		w.exchange(code, "redirect_uri=https://app.test/other").refused(http.StatusBadRequest, "invalid_grant")
		w.exchange(code).tokens()
	})
}

func TestRFC6749_4_1_2_1(t *testing.T) {
	w := sqlite(t)
	t.Run("a faulty client or redirection URI is reported to the resource owner alone", func(t *testing.T) {
		for _, change := range []string{
			"-client_id", "client_id=x", "-redirect_uri", "redirect_uri=https://evil.test/callback", "redirect_uri=:",
		} {
			w.authorize(nil, change).page(http.StatusBadRequest)
			w.authorize(w.ada, change, "response_type=token", "scope=x").page(http.StatusBadRequest)
		}
	})
	t.Run("a disabled client too", func(t *testing.T) {
		off := w.register(row{Disabled: true})
		w.authorize(w.ada, "client_id="+off.ClientID).page(http.StatusBadRequest)
	})
	for _, tc := range []struct{ change, want string }{
		{"-response_type", "invalid_request"},
		{"response_type=token", "unsupported_response_type"},
		{"response_mode=fragment", "invalid_request"},
		{"scope=nothing", "invalid_scope"},
		{"-code_challenge", "invalid_request"},
	} {
		t.Run("the error goes to the client with its state: "+tc.want+" for "+tc.change, func(t *testing.T) {
			q := w.authorize(w.ada, tc.change).returned(callback + "?")
			if q.Get("error") != tc.want || q.Get("state") != "st&te" || q.Has("code") {
				t.Errorf("%v, want %s", q, tc.want)
			}
			for _, c := range q.Get("error_description") {
				if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
					t.Errorf("error_description has %q", c)
				}
			}
		})
	}
	t.Run("access_denied when the resource owner says no", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		q := w.answer(w.ada, form, "decision=deny").redirected(callback + "?")
		if q.Get("error") != "access_denied" || q.Get("state") != "st&te" || q.Has("code") || len(w.grants()) != 0 {
			t.Errorf("%v, %d grants", q, len(w.grants()))
		}
	})
	t.Run("a query that is not form encoded redirects nowhere", func(t *testing.T) {
		w.send(http.MethodGet, oauth.AuthorizePath+"?"+w.asked().Encode()+"&%zz", w.ada, "").page(http.StatusBadRequest)
		w.send(http.MethodGet, oauth.AuthorizePath, w.ada, "").page(http.StatusBadRequest)
	})
}
