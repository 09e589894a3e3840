package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest/oauth"
)

const jsonType = "Content-Type: application/json"

// jsonOf writes parameters as the JSON body of spec section 5.
func jsonOf(form url.Values) string {
	m := map[string]string{}
	for name := range form {
		m[name] = form.Get(name)
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func TestRFC6749_3_2(t *testing.T) {
	w := sqlite(t)
	t.Run("requests are posted", func(t *testing.T) {
		for _, path := range []string{oauth.TokenPath, oauth.RevokePath} {
			for _, method := range []string{
				http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions,
			} {
				r := w.send(method, path+"?"+w.redeeming("x").Encode(), nil, "")
				if r.status != http.StatusMethodNotAllowed || r.header.Get("Allow") != "POST" ||
					r.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s %s: %d, Allow %q", method, path, r.status, r.header.Get("Allow"))
				}
			}
		}
	})
	t.Run("parameters in the address are not read", func(t *testing.T) {
		code := w.code()
		w.send(http.MethodPost, oauth.TokenPath+"?"+w.redeeming(code).Encode(), nil, "",
			"Content-Type: application/x-www-form-urlencoded").
			refused(http.StatusUnauthorized, "invalid_client")
		r := w.send(http.MethodPost, oauth.TokenPath+"?code=wrong&client_id=wrong", nil, w.redeeming(code).Encode(),
			"Content-Type: application/x-www-form-urlencoded")
		r.tokens()
	})
	t.Run("an empty parameter is as left out", func(t *testing.T) {
		w.exchange(w.code(), "grant_type=").refused(http.StatusBadRequest, "invalid_request")
		w.exchange(w.code(), "scope=", "client_secret=", "refresh_token=").tokens()
	})
	t.Run("a parameter that is not known is ignored", func(t *testing.T) {
		w.exchange(w.code(), "audience=x", "assertion=x").tokens()
	})
	for name := range w.redeeming("") {
		t.Run("not more than once: "+name, func(t *testing.T) {
			code := w.code()
			w.exchange(code, "+"+name+"="+w.redeeming(code).Get(name)).refused(http.StatusBadRequest, "invalid_request")
			w.exchange(code).tokens() // and nothing is consumed
		})
	}
}

func TestRFC6749_3_2_1(t *testing.T) {
	w := sqlite(t)
	basic := func(id, secret string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
	}
	t.Run("a public client names itself in the body", func(t *testing.T) {
		code := w.code()
		w.exchange(code, "-client_id").refused(http.StatusUnauthorized, "invalid_client")
		w.exchange(code).tokens()
	})
	t.Run("or in a Basic header with an empty secret (section 2.3.1)", func(t *testing.T) {
		w.post(oauth.TokenPath, w.redeeming(w.code(), "-client_id"), basic(w.app.ClientID, "")).tokens()
		w.post(oauth.TokenPath, w.redeeming(w.code()), basic(w.app.ClientID, "")).tokens()
	})
	for _, tc := range []struct {
		name, header, change string
		status               int
		want                 string
	}{
		{name: "a secret in the header", header: basic(w.app.ClientID, "hunter2"), change: "-x", status: 401,
			want: "invalid_client"},
		{name: "a secret in the body", change: "client_secret=hunter2", status: 401, want: "invalid_client"},
		{name: "another scheme", header: "Authorization: Bearer x", change: "-x", status: 401, want: "invalid_client"},
		{name: "not base64", header: "Authorization: Basic !!", change: "-x", status: 401, want: "invalid_client"},
		{name: "no colon", header: "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x")),
			change: "-x", status: 401, want: "invalid_client"},
		{name: "header and body differ", header: basic("another", ""), change: "-x", status: 400,
			want: "invalid_request"},
		{name: "an unknown client", change: "client_id=nobody", status: 401, want: "invalid_client"},
		{name: "a very long client id", change: "client_id=" + strings.Repeat("x", 5000), status: 401,
			want: "invalid_client"},
	} {
		t.Run("refused: "+tc.name, func(t *testing.T) {
			code := w.code()
			headers := []string{}
			if tc.header != "" {
				headers = append(headers, tc.header)
			}
			w.post(oauth.TokenPath, w.redeeming(code, tc.change), headers...).refused(tc.status, tc.want)
			w.exchange(code).tokens() // and nothing is consumed
		})
	}
	t.Run("two headers", func(t *testing.T) {
		h := basic(w.app.ClientID, "")
		w.post(oauth.TokenPath, w.redeeming(w.code()), h, h).refused(http.StatusUnauthorized, "invalid_client")
	})
	t.Run("a disabled client", func(t *testing.T) {
		off := w.register(row{Disabled: true})
		w.exchange(w.code(), "client_id="+off.ClientID).refused(http.StatusUnauthorized, "invalid_client")
	})
}

func TestRFC6749_4_1_3(t *testing.T) {
	w := sqlite(t)
	for _, tc := range []struct{ name, change, want string }{
		{"grant_type is required", "-grant_type", "invalid_request"},
		{"and is one of the server's", "grant_type=password", "unsupported_grant_type"},
		{"client_credentials is not", "grant_type=client_credentials", "unsupported_grant_type"},
		{"code is required", "-code", "invalid_request"},
		{"the code is one that was issued", "code=sfc_unknown", "invalid_grant"},
		{"redirect_uri is required, since it was in the request", "-redirect_uri", "invalid_request"},
		{"and is the very same text", "redirect_uri=" + callback + "/", "invalid_grant"},
		{"in the same letters", "redirect_uri=https://APP.test/callback", "invalid_grant"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code := w.code()
			w.exchange(code, tc.change).refused(http.StatusBadRequest, tc.want)
			w.exchange(code).tokens() // the first try consumed nothing
		})
	}
	t.Run("a loopback redirect_uri with its port is the very same text too", func(t *testing.T) {
		w.app = w.register(row{URIs: []string{"http://127.0.0.1/cb"}})
		const with = "redirect_uri=http://127.0.0.1:50001/cb"
		code := w.code(with)
		w.exchange(code, "redirect_uri=http://127.0.0.1:50002/cb").refused(http.StatusBadRequest, "invalid_grant")
		w.exchange(code, "redirect_uri=http://127.0.0.1/cb").refused(http.StatusBadRequest, "invalid_grant")
		w.exchange(code, with).tokens()
	})
}

func TestRFC6749_5_1(t *testing.T) {
	w := sqlite(t)
	check := func(t *testing.T, r *reply) {
		t.Helper()
		got := r.tokens()
		if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Pragma") != "no-cache" {
			t.Errorf("Cache-Control %q, Pragma %q", r.header.Get("Cache-Control"), r.header.Get("Pragma"))
		}
		if r.header.Get("Content-Type") != "application/json" {
			t.Errorf("Content-Type %q", r.header.Get("Content-Type"))
		}
		if !strings.HasPrefix(got.Access, "sfa_") || !strings.HasPrefix(got.Refresh, "sfr_") ||
			got.Type != "Bearer" || got.ExpiresIn != 3600 {
			t.Errorf("%+v", got)
		}
		if got.Scope != scope.Full().String() || got.StoreID != xid.Store.Format(w.shop.ID) || !w.opens(got.Access) {
			t.Errorf("%+v", got)
		}
		var members map[string]any
		if err := json.Unmarshal([]byte(r.body), &members); err != nil || len(members) != 6 {
			t.Errorf("%d members: %v", len(members), err)
		}
	}
	t.Run("the answer to a form", func(t *testing.T) { check(t, w.exchange(w.code())) })
	t.Run("the answer to JSON", func(t *testing.T) {
		check(t, w.send(http.MethodPost, oauth.TokenPath, nil, jsonOf(w.redeeming(w.code())), jsonType))
	})
	t.Run("parameters of the media type do not matter", func(t *testing.T) {
		check(t, w.send(http.MethodPost, oauth.TokenPath, nil,
			jsonOf(w.redeeming(w.code())), jsonType+"; charset=utf-8"))
		check(t, w.send(http.MethodPost, oauth.TokenPath, nil, w.redeeming(w.code()).Encode(),
			"Content-Type: application/x-www-form-urlencoded; charset=UTF-8"))
	})
	t.Run("the answer to a refresh", func(t *testing.T) { check(t, w.refresh(w.exchange(w.code()).tokens().Refresh)) })
}

func TestRFC6749_5_2(t *testing.T) {
	w := sqlite(t)
	t.Run("invalid_client is 401 with the scheme that a client may use", func(t *testing.T) {
		for _, path := range []string{oauth.TokenPath, oauth.RevokePath} {
			r := w.post(path, url.Values{"client_id": {"x"}, "token": {"x"}}).
				refused(http.StatusUnauthorized, "invalid_client")
			if got := r.header.Get("WWW-Authenticate"); got != `Basic realm="storefront"` {
				t.Errorf("WWW-Authenticate %q", got)
			}
		}
	})
	t.Run("errors are uncacheable JSON", func(t *testing.T) {
		r := w.exchange("x").refused(http.StatusBadRequest, "invalid_grant")
		if r.header.Get("Content-Type") != "application/json" || r.header.Get("Cache-Control") != "no-store" ||
			r.header.Get("Pragma") != "no-cache" {
			t.Errorf("%v", r.header)
		}
		if r.header.Get("WWW-Authenticate") != "" {
			t.Error("a challenge with a 400")
		}
	})
	bodies := []struct{ name, contentType, body string }{
		{"no media type", "", "grant_type=x"},
		{"another media type", "Content-Type: text/plain", "grant_type=x"},
		{"multipart", "Content-Type: multipart/form-data; boundary=x", "--x--"},
		{"not form encoded", "Content-Type: application/x-www-form-urlencoded", "a=%zz"},
		{"a semicolon", "Content-Type: application/x-www-form-urlencoded", "a=b;c=d"},
		{"no JSON", jsonType, "{"},
		{"a JSON list", jsonType, "[]"},
		{"a JSON text", jsonType, `"x"`},
		{"nothing", jsonType, ""},
		{"a member twice", jsonType, `{"code":"a","code":"b"}`},
		{"a number", jsonType, `{"code":1}`},
		{"bad UTF-8", jsonType, "{\"code\":\"\xff\"}"},
		{"something behind", jsonType, `{} {}`},
		{"deep", jsonType, strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)},
		{"too long", "Content-Type: application/x-www-form-urlencoded", "a=" + strings.Repeat("x", 64<<10)},
		{"too long JSON", jsonType, `{"a":"` + strings.Repeat("x", 64<<10) + `"}`},
	}
	for _, tc := range bodies {
		t.Run("invalid_request: "+tc.name, func(t *testing.T) {
			headers := []string{tc.contentType}
			if tc.contentType == "" {
				headers = nil
			}
			w.send(http.MethodPost, oauth.TokenPath, nil, tc.body, headers...).
				refused(http.StatusBadRequest, "invalid_request")
		})
	}
	t.Run("invalid_request: a coded body", func(t *testing.T) {
		w.post(oauth.TokenPath, w.redeeming("x"), "Content-Encoding: gzip").
			refused(http.StatusBadRequest, "invalid_request")
	})
	t.Run("null and unknown members of JSON count as absent", func(t *testing.T) {
		body := strings.Replace(jsonOf(w.redeeming(w.code())), "{", `{"scope":null,"client_secret":null,"more":[1],`, 1)
		w.send(http.MethodPost, oauth.TokenPath, nil, body, jsonType).tokens()
	})
}

func TestRFC6749_6(t *testing.T) {
	w := sqlite(t)
	w.app = w.register(row{Scopes: []string{scope.OrdersWrite, scope.ProductsRead}})
	fresh := func(t *testing.T) tokens {
		t.Helper()
		return w.exchange(w.code("scope=orders.write")).tokens()
	}
	t.Run("the scope is that of the grant when none is asked for", func(t *testing.T) {
		if got := w.refresh(fresh(t).Refresh).tokens().Scope; got != "orders.read orders.write" {
			t.Errorf("%q", got)
		}
	})
	t.Run("it may be narrowed, and widened again to what was granted", func(t *testing.T) {
		narrow := w.refresh(fresh(t).Refresh, "scope=orders.read").tokens()
		if narrow.Scope != "orders.read" {
			t.Errorf("%q", narrow.Scope)
		}
		if got := w.refresh(narrow.Refresh).tokens().Scope; got != "orders.read orders.write" {
			t.Errorf("%q", got)
		}
	})
	for name, asked := range map[string]string{"the app has it, the person did not give it": "products.read",
		"one more": "orders.write products.read", "nobody has it": "customers.read", "unknown": "x"} {
		t.Run("it may not be widened: "+name, func(t *testing.T) {
			token := fresh(t).Refresh
			w.refresh(token, "scope="+asked).refused(http.StatusBadRequest, "invalid_scope")
			w.refresh(token).tokens() // and nothing is consumed
		})
	}
	t.Run("the token is bound to the client", func(t *testing.T) {
		token, own := fresh(t).Refresh, w.app
		other := w.register(row{})
		w.refresh(token, "client_id="+other.ClientID).refused(http.StatusBadRequest, "invalid_grant")
		w.refresh(token, "client_id="+own.ClientID).tokens()
	})
	for _, tc := range []struct {
		change string
		status int
		want   string
	}{
		{"-refresh_token", 400, "invalid_request"}, {"refresh_token=x", 400, "invalid_grant"},
		{"-client_id", 401, "invalid_client"}, {"grant_type=authorization_code", 400, "invalid_request"},
	} {
		t.Run("refused: "+tc.change, func(t *testing.T) {
			token := fresh(t).Refresh
			w.refresh(token, tc.change).refused(tc.status, tc.want)
			w.refresh(token).tokens()
		})
	}
	t.Run("other credentials are no refresh token", func(t *testing.T) {
		got := fresh(t)
		for _, token := range []string{
			got.Access, w.code(), got.Refresh + "x", got.Refresh[:len(got.Refresh)-1], strings.ToUpper(got.Refresh),
		} {
			w.refresh(token).refused(http.StatusBadRequest, "invalid_grant")
		}
		w.refresh(got.Refresh).tokens()
	})
	t.Run("JSON does as well", func(t *testing.T) {
		w.send(http.MethodPost, oauth.TokenPath, nil, jsonOf(w.refreshing(fresh(t).Refresh)), jsonType).tokens()
	})
	if slices.ContainsFunc(w.grants(), func(g *db.Grant) bool { return g.RevokedAt != nil }) {
		t.Error("a family was ended, though nothing was shown twice")
	}
}

// A used code revokes its tokens, whatever else the request lacks.
func TestUsedCodeEndsItsFamilyFirst(t *testing.T) {
	for _, tc := range []struct {
		name    string
		changes []string
	}{
		{"as it was", nil}, {"no client", []string{"-client_id"}}, {"an unknown client", []string{"client_id=x"}},
		{"a wrong verifier", []string{"code_verifier=" + strings.Repeat("a", 43)}},
		{"no verifier", []string{"-code_verifier"}},
		{"another redirect_uri", []string{"redirect_uri=https://evil.test"}},
		{"no grant_type", []string{"-grant_type"}}, {"another grant_type", []string{"grant_type=password"}},
		{"a parameter twice", []string{"scope=a", "+scope=b"}}, {"the code twice", []string{"+code=x"}},
		{"a secret", []string{"client_secret=x"}},
		{"the code alone", []string{"-grant_type", "-client_id", "-redirect_uri", "-code_verifier"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := sqlite(t)
			code := w.code()
			got := w.exchange(code).tokens()
			w.exchange(code, tc.changes...).refused(http.StatusBadRequest, "invalid_grant")
			w.ended(state.GrantCodeReused)
			if w.opens(got.Access) {
				t.Error("the access token is alive")
			}
		})
	}
}
