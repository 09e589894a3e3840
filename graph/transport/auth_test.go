package transport

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
)

func TestCredentials(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsRead)
	const body = `{"query":"{ __typename }"}`
	for _, tc := range []struct {
		name          string
		authorization string
		query         string
		status        int
		code          string
	}{
		{"none", "", "", 401, "authentication_required"},
		{"other scheme", "Basic dXNlcjpwYXNz", "", 401, "authentication_required"},
		{"good", "Bearer " + key, "", 200, ""},
		{"scheme in small letters", "bearer " + key, "", 200, ""},
		{"empty", "Bearer ", "", 401, "invalid_token"},
		{"nonsense", "Bearer nonsense", "", 401, "invalid_token"},
		{"unknown", "Bearer " + apikey.Mint(apikey.Key).Reveal(), "", 401, "invalid_token"},
		{"access token of OAuth", "Bearer " + apikey.Mint(apikey.Access).Reveal(), "", 401, "invalid_token"},
		{"two in one header", "Bearer " + key + ", Bearer " + key, "", 401, "invalid_token"},
		{"in the address", "", "?access_token=" + key, 401, "authentication_required"},
		{"in the address too", "Bearer " + key, "?access_token=" + key, 400, "invalid_request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.Send(http.MethodPost, f.URL+tc.query, "", body, "Authorization", tc.authorization)
			if a.Status != tc.status || code(a) != tc.code {
				t.Errorf("%d %q, want %d %q", a.Status, code(a), tc.status, tc.code)
			}
			challenge := a.Header.Get("WWW-Authenticate")
			if (a.Status == 401) != strings.HasPrefix(challenge, `Bearer realm="storefront", resource_metadata="https://api.example/`) ||
				(tc.code == "invalid_token") != strings.Contains(challenge, `error="invalid_token"`) {
				t.Errorf("challenge %q", challenge)
			}
		})
	}
}

func TestTwoAuthorizationHeaders(t *testing.T) {
	if _, err := bearer([]string{"Bearer a", "Bearer a"}); graphtest.FaultOf(err) != "invalid_token" {
		t.Errorf("%v", err)
	}
}

// Cookies count on same-origin POSTs alone, and never beside another credential.
func TestSessions(t *testing.T) {
	var asked int
	var f *graphtest.Endpoint
	session := func(r *http.Request) (*viewer.Viewer, error) {
		asked++
		switch cookies := r.CookiesNamed("session"); {
		case len(cookies) == 0:
			return nil, nil
		case cookies[0].Value == "broken":
			return nil, errors.New("no such table: sessions")
		}
		return &viewer.Viewer{Kind: viewer.Staff, Store: viewer.From(f.Ctx).Store, Role: viewer.Owner, Actor: xid.New(), Scopes: scope.Full()}, nil
	}
	f = newEndpoint(t, storetest.Open(t), func(c *Config) { c.Session = session })
	const get = "?query=%7B__typename%7D"
	for _, tc := range []struct {
		name, method string
		headers      []string
		status       int
	}{
		{"same origin", "POST", []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin"}, 200},
		{"no cookie", "POST", nil, 401},
		{"other site", "POST", []string{"Cookie", "session=x", "Sec-Fetch-Site", "cross-site"}, 401},
		{"other origin", "POST", []string{"Cookie", "session=x", "Origin", "https://evil.example"}, 401},
		{"a form", "POST", []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin", "Content-Type", "text/plain"}, 415},
		{"by GET", "GET", []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin"}, 401},
		{"bad header beside it", "POST", []string{"Cookie", "session=x", "Authorization", "Bearer bad"}, 401},
		{"our fault", "POST", []string{"Cookie", "session=broken"}, 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target, body := f.URL, `{"query":"{ __typename }"}`
			if tc.method == "GET" {
				target, body = target+get, ""
			}
			if a := f.Send(tc.method, target, "", body, tc.headers...); a.Status != tc.status || strings.Contains(string(a.Body), "table") {
				t.Errorf("%d, want %d: %s", a.Status, tc.status, a.Body)
			}
		})
	}
	if asked != 4 {
		t.Errorf("asked about %d requests, want 4", asked)
	}
}
