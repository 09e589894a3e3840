package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/storetest"
)

const callback = "http://127.0.0.1:49152/callback"

// app returns the demo's client as configured in golang.org/x/oauth2.
func (p *program) app(f *demo.File, style oauth2.AuthStyle, scopes ...string) *oauth2.Config {
	return &oauth2.Config{ClientID: f.OAuthApp.ClientID, RedirectURL: callback,
		Scopes: scopes, Endpoint: oauth2.Endpoint{
			AuthURL: p.API + "/api/public/oauth/authorize", TokenURL: p.API + "/api/public/oauth/token",
			AuthStyle: style}}
}

// exchange takes an app from the consent page to its tokens.
func (p *program) exchange(t *testing.T, c *oauth2.Config, o demo.Owner) *oauth2.Token {
	t.Helper()
	verifier := oauth2.GenerateVerifier()
	back := p.person(t).allow(c.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), o)
	if q := back.Query(); q.Get("state") != "state" || q.Get("iss") != p.API {
		t.Errorf("sent back to %s", back)
	}
	token, err := c.Exchange(p.context(t), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// context returns a context with the HTTP client of the tests.
func (p *program) context(t *testing.T) context.Context {
	return context.WithValue(t.Context(), oauth2.HTTPClient, free)
}

// The Go library with all its ways to identify the client, on every engine.
func TestGoClient(t *testing.T) {
	storetest.Sequential(t)
	s := either(t)
	p := start(t, s)
	f := p.demo(t)
	for name, style := range map[string]oauth2.AuthStyle{
		"auto-detect": oauth2.AuthStyleAutoDetect, "header": oauth2.AuthStyleInHeader,
		"parameters": oauth2.AuthStyleInParams,
	} {
		t.Run(name, func(t *testing.T) {
			c := p.app(f, style, "orders.read")
			token := p.exchange(t, c, f.Stores[0].Owner)
			p.send(t, request{As: token.AccessToken, Path: base + "/orders?limit=1"}).want(t, http.StatusOK, "")
			p.send(t, request{As: token.AccessToken, Path: base + "/products"}).
				want(t, http.StatusForbidden, "insufficient_scope")
			next, err := c.TokenSource(p.context(t), &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
			if err != nil || next.RefreshToken == token.RefreshToken {
				t.Fatalf("refresh: %v", err)
			}
			p.send(t, request{As: next.AccessToken, Path: base + "/orders?limit=1"}).want(t, http.StatusOK, "")
		})
	}
}

// The exchange as the specification writes it: in JSON, with the store that the app acts for.
func TestExchangeInJSON(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	s := either(t)
	p := start(t, s)
	f := p.demo(t)
	verifier := oauth2.GenerateVerifier()
	back := p.person(t).allow(p.app(f, 0).AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)),
		f.Stores[1].Owner)
	body, err := json.Marshal(map[string]string{"grant_type": "authorization_code",
		"code": back.Query().Get("code"), "client_id": f.OAuthApp.ClientID,
		"code_verifier": verifier, "redirect_uri": callback})
	if err != nil {
		t.Fatal(err)
	}
	a := p.send(t, request{Path: "/api/public/oauth/token", Body: string(body)})
	var token struct {
		AccessToken  string `json:"access_token"`
		TokenType    string `json:"token_type"`
		ExpiresIn    int    `json:"expires_in"`
		RefreshToken string `json:"refresh_token"`
		Scope        string
		StoreID      string `json:"store_id"`
	}
	a.decode(t, &token)
	if a.Status != http.StatusOK || token.TokenType != "Bearer" ||
		token.ExpiresIn != 3600 || token.StoreID != f.Stores[1].ID ||
		!strings.HasPrefix(token.AccessToken, "sfa_") || !strings.HasPrefix(token.RefreshToken, "sfr_") ||
		len(strings.Fields(token.Scope)) != len(f.OAuthApp.AllowedScopes) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	p.send(t, request{As: token.AccessToken, Path: base + "/me"}).want(t, http.StatusOK, "")
	again := p.send(t, request{Path: "/api/public/oauth/token", Body: string(body)})
	if again.Status != http.StatusBadRequest || !strings.Contains(string(again.Body), "invalid_grant") {
		t.Errorf("the second time: %d %s", again.Status, again.Body)
	}
	p.send(t, request{As: token.AccessToken, Path: base + "/me"}).want(t, http.StatusUnauthorized, "invalid_token")
}

// A use before a crash is known after it.
func TestReplayAfterCrash(t *testing.T) {
	t.Parallel()
	s := either(t)
	p := start(t, s)
	f := p.demo(t)
	c, verifier := p.app(f, oauth2.AuthStyleInParams), oauth2.GenerateVerifier()
	back := p.person(t).allow(c.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), f.Stores[0].Owner)
	code := back.Query().Get("code")
	token, err := c.Exchange(p.context(t), code, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	p.kill()
	p = start(t, s)
	p.send(t, request{As: token.AccessToken, Path: base + "/me"}).want(t, http.StatusOK, "")
	// Reuse without a verifier or a client counts as theft too.
	res, err := free.PostForm(p.API+"/api/public/oauth/token", url.Values{"code": {code}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("replay: %s", res.Status)
	}
	p.send(t, request{As: token.AccessToken, Path: base + "/me"}).want(t, http.StatusUnauthorized, "invalid_token")
	if _, err := p.app(f, oauth2.AuthStyleInParams).TokenSource(p.context(t),
		&oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err == nil {
		t.Error("the refresh token outlived its family")
	}
}
