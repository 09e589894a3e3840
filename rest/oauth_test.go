package rest_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/mcp"
	frontend "github.com/storefront-go/storefront/rest/oauth"
)

// authorizing adds the authorization server to an API.
func authorizing(t testing.TB) func(*rest.Config) {
	return func(c *rest.Config) {
		ring, err := keyring.Parse(strings.Repeat("consent tickets ", 3))
		if err != nil {
			t.Fatal(err)
		}
		if c.OAuth, err = oauth.New(oauth.Config{Store: c.Core.Store, Keys: c.Keys, Ring: ring, Issuer: c.APIHost,
			OnLastGrant: c.Core.LastGrantEnded, MayName: c.Core.MayName,
			Registration: true, Resources: []string{base, mcp.Path}}); err != nil {
			t.Fatal(err)
		}
		sessions, err := session.NewKeeper(session.Config{Store: c.Core.Store})
		if err != nil {
			t.Fatal(err)
		}
		c.Account, err = account.New(account.Config{Sessions: sessions, Core: c.Core, APIHost: c.APIHost,
			Allowed: true})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// oauthed requests a path outside {base_url}.
func (s *server) oauthed(t testing.TB, method, path string, form url.Values, headers ...string) *answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := *s.free
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{Status: res.StatusCode, Header: res.Header, Body: body, t: t}
}

// Pages of any origin may call the endpoints for programs, also on errors; none may call the
// consent page.
func TestCrossOriginOAuth(t *testing.T) {
	s, _ := sqlite(t, authorizing(t))
	for _, tc := range []struct {
		method, path string
		status       int
		open         bool
	}{
		{method: http.MethodPost, path: "/api/public/oauth/token", status: 401, open: true},
		{method: http.MethodGet, path: "/api/public/oauth/token", status: 405, open: true},
		{method: http.MethodPost, path: "/api/public/oauth/revoke", status: 401, open: true},
		{method: http.MethodPost, path: "/api/public/oauth/register", status: 400, open: true},
		{method: http.MethodGet, path: "/.well-known/oauth-authorization-server", status: 200, open: true},
		{method: http.MethodPost, path: "/.well-known/oauth-authorization-server", status: 405, open: true},
		{method: http.MethodGet, path: "/.well-known/oauth-protected-resource/api/public/v1", status: 200, open: true},
		{method: http.MethodGet, path: "/api/public/oauth/authorize", status: 400},
		{method: http.MethodGet, path: "/api/public/oauth/other", status: 404},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			a := s.oauthed(t, tc.method, tc.path, nil, "Origin: https://spa.test")
			open := a.Header.Get("Access-Control-Allow-Origin") == "*" &&
				strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate")
			if a.Status != tc.status || open != tc.open || a.Header.Get("Access-Control-Allow-Credentials") != "" ||
				a.Header.Get("X-Request-Id") == "" {
				t.Errorf("%d, open %v, %v", a.Status, open, a.Header)
			}
			pre := s.oauthed(t, http.MethodOptions, tc.path, nil, "Origin: https://spa.test",
				"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type")
			if answered := pre.Status == http.StatusNoContent &&
				pre.Header.Get("Access-Control-Allow-Headers") == "content-type"; answered != tc.open {
				t.Errorf("preflight: %d %v", pre.Status, pre.Header)
			}
		})
	}
}

// A token works until it is revoked, and the API's challenge leads to the metadata.
func TestTokenOpensTheAPI(t *testing.T) {
	s, m := sqlite(t, authorizing(t))
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	sum := sha256.Sum256([]byte(verifier))
	secret, app, family, client := apikey.Mint(apikey.Code), xid.New(), xid.New(), strings.ToLower(rand.Text())
	m.tx(func(ctx context.Context, c *db.Client) error {
		if err := c.OAuthClient.Create().SetID(client).SetStoreID(m.id).SetAppID(app).Exec(ctx); err != nil {
			return err
		}
		err := c.App.Create().SetID(app).SetClientID(client).SetName("Sync it").SetDeveloper("Sync Ltd").
			SetRedirectUris("https://app.test/cb").SetScopes(scope.Full().String()).SetUpdatedAt(micros.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		err = c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(m.id).SetCredentialID(family).
			SetKind(string(apikey.Code)).Exec(ctx)
		if err != nil {
			return err
		}
		now := micros.Now()
		return c.Grant.Create().SetID(family).SetAppStoreID(m.id).SetAppID(app).SetUserID(xid.New()).SetUserName("Ada").
			SetScopes(scope.ProductsRead).SetRedirectURI("https://app.test/cb").
			SetCodeChallenge(base64.RawURLEncoding.EncodeToString(sum[:])).
			SetCodeExpiresAt(now.Add(oauth.CodeLife)).SetExpiresAt(now.Add(oauth.GrantLife)).SetUpdatedAt(now).Exec(ctx)
	})
	form := url.Values{"grant_type": {"authorization_code"}, "code": {secret.Reveal()}, "client_id": {client},
		"redirect_uri": {"https://app.test/cb"}, "code_verifier": {verifier}}
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	s.oauthed(t, http.MethodPost, "/api/public/oauth/token", form).want(http.StatusOK, "").decode(&got)
	s.do(t, request{As: got.Access, Path: "/me"}).want(http.StatusOK, "")
	s.do(t, request{As: got.Access, Path: "/orders"}).want(http.StatusForbidden, "insufficient_scope")
	s.do(t, request{As: got.Refresh, Path: "/me"}).want(http.StatusUnauthorized, "invalid_token")
	s.oauthed(t, http.MethodPost, "/api/public/oauth/revoke",
		url.Values{"token": {got.Refresh}, "client_id": {client}}).want(http.StatusOK, "")
	refused := s.do(t, request{As: got.Access, Path: "/me"}).want(http.StatusUnauthorized, "invalid_token")
	_, rest, _ := strings.Cut(refused.Header.Get("WWW-Authenticate"), `resource_metadata="`+apiHost)
	path, _, _ := strings.Cut(rest, `"`)
	if a := s.oauthed(t, http.MethodGet, path, nil); a.Status != http.StatusOK ||
		!strings.Contains(string(a.Body), `"resource":"`+apiHost+base+`"`) {
		t.Errorf("the challenge leads to %q: %d %s", path, a.Status, a.Body)
	}
}

// A token works for the resource that it was requested for, also through an agent's tools, and for
// no other (RFC 8707). A token without a resource works for all.
func TestTokenOfResource(t *testing.T) {
	s, m := sqlite(t, authorizing(t))
	for resource, opens := range map[string][2]bool{"": {true, true}, base: {true, false}, mcp.Path: {false, true}} {
		t.Run("for "+resource, func(t *testing.T) {
			all := scope.Of(scope.ProductsRead)
			i := m.install(all, all, all)
			if resource != "" {
				m.tx(func(ctx context.Context, c *db.Client) error {
					return c.Grant.Update().SetResource(resource).Exec(ctx)
				})
			}
			if a := s.do(t, request{As: i.tokens[0], Path: "/products"}); (a.Status == http.StatusOK) != opens[0] {
				t.Errorf("the API: %d %s", a.Status, a.Body)
			}
			tool := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_products","arguments":{}}}`
			a := s.do(t, request{As: i.tokens[0], Method: http.MethodPost, Path: mcp.Path, Body: tool, Free: true,
				Header: map[string]string{"Accept": "application/json, text/event-stream"}})
			if opened := a.Status == http.StatusOK && strings.Contains(string(a.Body), "next_cursor") &&
				!strings.Contains(string(a.Body), `"isError":true`); opened != opens[1] {
				t.Errorf("the agents' resource: %d %s", a.Status, a.Body)
			}
			if !opens[1] && (a.Status != http.StatusUnauthorized ||
				!strings.Contains(a.Header.Get("WWW-Authenticate"), frontend.ResourcePath+mcp.Path)) {
				t.Errorf("the challenge: %d %v", a.Status, a.Header)
			}
		})
	}
}

func TestOAuthNeedsAccount(t *testing.T) {
	s, _ := sqlite(t)
	c := config(t, s.store)
	authorizing(t)(&c)
	c.Account = nil
	if _, err := rest.New(c); err == nil {
		t.Error("it was created without a person's consent")
	}
	c = config(t, s.store)
	if h, err := rest.New(c); err != nil || h == nil {
		t.Errorf("without OAuth: %v", err)
	}
	if a := s.oauthed(t, http.MethodPost, "/api/public/oauth/token", nil); a.Status != http.StatusNotFound {
		t.Errorf("%d", a.Status)
	}
}
