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
	"github.com/storefront-go/storefront/graph/engine/apikey"
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
		{name: "none", status: 401, code: "authentication_required"},
		{name: "other scheme", authorization: "Basic dXNlcjpwYXNz", status: 401, code: "authentication_required"},
		{name: "good", authorization: "Bearer " + key, status: 200},
		{name: "scheme in small letters", authorization: "bearer " + key, status: 200},
		{name: "empty", authorization: "Bearer ", status: 401, code: "invalid_token"},
		{name: "nonsense", authorization: "Bearer nonsense", status: 401, code: "invalid_token"},
		{name: "unknown", authorization: "Bearer " + apikey.Mint(apikey.Key).Reveal(), status: 401,
			code: "invalid_token"},
		{name: "access token of OAuth", authorization: "Bearer " + apikey.Mint(apikey.Access).Reveal(), status: 401,
			code: "invalid_token"},
		{name: "two in one header", authorization: "Bearer " + key + ", Bearer " + key, status: 401,
			code: "invalid_token"},
		{name: "in the address", query: "?access_token=" + key, status: 401, code: "authentication_required"},
		{name: "in the address too", authorization: "Bearer " + key, query: "?access_token=" + key, status: 400,
			code: "invalid_request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.Send(http.MethodPost, f.URL+tc.query, "", body, "Authorization", tc.authorization)
			if a.Status != tc.status || code(a) != tc.code {
				t.Errorf("%d %q, want %d %q", a.Status, code(a), tc.status, tc.code)
			}
			challenge := a.Header.Get("WWW-Authenticate")
			if (a.Status == 401) != strings.HasPrefix(challenge,
				`Bearer realm="storefront", resource_metadata="https://api.example/`) ||
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

// Cookies count only on same-origin POST requests without another credential.
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
		return &viewer.Viewer{Kind: viewer.Staff, Store: viewer.From(f.Ctx).Store, Role: viewer.Owner, Actor: xid.New(),
			Scopes: scope.Full()}, nil
	}
	f = newEndpoint(t, storetest.Open(t), func(c *Config) { c.Session = session })
	const get = "?query=%7B__typename%7D"
	for _, tc := range []struct {
		name, method string
		headers      []string
		status       int
	}{
		{name: "same origin", method: "POST", headers: []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin"},
			status: 200},
		{name: "no cookie", method: "POST", status: 401},
		{name: "other site", method: "POST", headers: []string{"Cookie", "session=x", "Sec-Fetch-Site", "cross-site"},
			status: 401},
		{name: "other origin", method: "POST",
			headers: []string{"Cookie", "session=x", "Origin", "https://evil.example"}, status: 401},
		{name: "a form", method: "POST",
			headers: []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin", "Content-Type", "text/plain"},
			status:  415},
		{name: "by GET", method: "GET", headers: []string{"Cookie", "session=x", "Sec-Fetch-Site", "same-origin"},
			status: 401},
		{name: "bad header beside it", method: "POST",
			headers: []string{"Cookie", "session=x", "Authorization", "Bearer bad"}, status: 401},
		{name: "our fault", method: "POST", headers: []string{"Cookie", "session=broken"}, status: 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target, body := f.URL, `{"query":"{ __typename }"}`
			if tc.method == "GET" {
				target, body = target+get, ""
			}
			if a := f.Send(tc.method, target, "", body, tc.headers...); a.Status != tc.status ||
				strings.Contains(string(a.Body), "table") {
				t.Errorf("%d, want %d: %s", a.Status, tc.status, a.Body)
			}
		})
	}
	if asked != 4 {
		t.Errorf("%d session lookups, want 4", asked)
	}
}
