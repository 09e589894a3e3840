package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest/oauth"
)

// Whatever is sent to the endpoints for programs, the answer is a documented one and never an
// internal error.
func FuzzToken(f *testing.F) {
	w := newWorld(f, storetest.Open(f))
	const form, object = "application/x-www-form-urlencoded", "application/json"
	code := w.code()
	f.Add(false, form, w.redeeming(code).Encode(), "")
	f.Add(false, object, jsonOf(w.redeeming(code)), "Basic Og==")
	f.Add(false, form, w.refreshing("sfr_x", "scope=a b").Encode(), "Bearer x")
	f.Add(true, form, w.revoking(code).Encode(), "")
	f.Add(true, object+"; charset=\xff", `{"token":"\ud800","client_id":null}`, "")
	f.Add(false, form, "a=1&a=2;%zz&=&&code="+strings.Repeat("%00", 300), "basic ::")
	f.Add(false, "multipart/form-data", "{\"a\":[[[[", "")
	f.Fuzz(func(t *testing.T, revoke bool, contentType, body, authorization string) {
		path := oauth.TokenPath
		if revoke {
			path = oauth.RevokePath
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header["Content-Type"] = []string{contentType}
		if authorization != "" {
			r.Header["Authorization"] = []string{authorization}
		}
		a := httptest.NewRecorder()
		w.mux.ServeHTTP(a, r)
		var e refusal
		switch a.Code {
		case http.StatusOK:
			if !revoke && !strings.Contains(body, code) {
				t.Errorf("tokens for %q", body)
			}
		case http.StatusBadRequest, http.StatusUnauthorized:
			if err := json.Unmarshal(a.Body.Bytes(), &e); err != nil || e.Error == "" || !plain(e.Description) {
				t.Errorf("%d %s", a.Code, a.Body)
			}
		default:
			t.Errorf("%d %s", a.Code, a.Body)
		}
	})
}

// plain reports whether a description has the characters of RFC 6749, section 5.2.
func plain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return c < 0x20 || c > 0x7e || c == '"' || c == '\\'
	})
}

// Whatever the query, a browser is redirected to the app's own address, to the sign-in, or nowhere.
func FuzzAuthorize(f *testing.F) {
	w := newWorld(f, storetest.Open(f))
	f.Add(w.asked().Encode(), false)
	f.Add(w.asked("response_type=token").Encode(), true)
	f.Add(w.asked("redirect_uri=https://app.test\\@evil.test/callback").Encode(), true)
	f.Add(w.asked("+state=2", "scope=x").Encode()+"&store=str_x&%zz", true)
	f.Add(`client_id=%00&redirect_uri=\`, false)
	f.Fuzz(func(t *testing.T, query string, signedIn bool) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, oauth.AuthorizePath, nil)
		r.URL.RawQuery = query
		if signedIn {
			r.Header.Set("Cookie", "__Host-storefront="+w.ada.cookie)
		}
		a := httptest.NewRecorder()
		w.mux.ServeHTTP(a, r)
		to := a.Header().Get("Location")
		switch a.Code {
		case http.StatusOK, http.StatusBadRequest:
			if to != "" {
				t.Errorf("%d to %q", a.Code, to)
			}
		case http.StatusSeeOther:
			u, err := url.Parse(to)
			if err != nil {
				t.Fatalf("%q leads to %q: %v", query, to, err)
			}
			app := u.Scheme == "https" && u.Host == "app.test" && u.Path == "/callback"
			if here := u.Host == "" && u.Path == "/sign-in"; !app && !here {
				t.Errorf("%q leads to %q", query, to)
			}
		default:
			t.Errorf("%d for %q", a.Code, query)
		}
	})
}
