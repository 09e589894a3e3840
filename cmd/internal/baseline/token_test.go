package baseline_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// form is the body that redeems a new code or rotates a new refresh token.
func (b *bench) form(t *testing.T, k apikey.Kind) string {
	t.Helper()
	if k == apikey.Refresh {
		list, err := b.app.Tokens(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return b.refresh(list[0].Reveal())
	}
	list, err := b.app.Codes(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{"grant_type": {"authorization_code"}, "code": {list[0].Reveal()}, "client_id": {b.app.ClientID},
		"redirect_uri": {corpus.Callback}, "code_verifier": {corpus.Verifier}}.Encode()
}

func (b *bench) refresh(token string) string {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {b.app.ClientID}}.Encode()
}

// params is the form as the core reads it.
func (b *bench) params(t *testing.T, k apikey.Kind) oauth.Params {
	t.Helper()
	p, err := oauth.ParseForm(b.form(t, k))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// post sends a form to the baseline's token endpoint.
func (b *bench) post(t *testing.T, body string) (status int, answer granted) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, baseline.Exchange, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
	}
	return w.Code, answer
}

// granted is the endpoint's answer.
type granted struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Store   string `json:"store_id"`
}

// What the baseline issues is as good as what the core does: each goes on where
// the other stopped.
func TestTokensAreTheCores(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		status, first := b.post(t, b.form(t, apikey.Code))
		want := granted{Access: first.Access, Type: "Bearer", Expires: 3600, Refresh: first.Refresh,
			Scope: "orders.read orders.write products.read", Store: b.corpus.Shops[len(b.corpus.Shops)-1].ID}
		if diff := cmp.Diff(want, first); status != http.StatusOK || diff != "" {
			t.Fatalf("exchange: %d (-want +got):\n%s", status, diff)
		}
		b.opens(t, first.Access)
		p, err := oauth.ParseForm(b.refresh(first.Refresh))
		if err != nil {
			t.Fatal(err)
		}
		second, err := b.server.Token(t.Context(), p, nil)
		if err != nil {
			t.Fatalf("the core refreshes what the baseline issued: %v", err)
		}
		status, third := b.post(t, b.refresh(second.Refresh.Reveal()))
		if status != http.StatusOK {
			t.Fatalf("the baseline refreshes what the core issued: %d", status)
		}
		b.opens(t, third.Access)
	})
}

// opens checks that the access token does.
func (b *bench) opens(t *testing.T, token string) {
	t.Helper()
	if _, err := b.keys.Authenticate(t.Context(), token, apikey.Access); err != nil {
		t.Errorf("the access token opens nothing: %v", err)
	}
}

// The baseline would win by what it does not check.
func TestTokenRefuses(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		code, token := b.form(t, apikey.Code), b.form(t, apikey.Refresh)
		for _, tc := range []struct{ name, body, old, changed string }{
			{name: "another client", body: code, old: b.app.ClientID, changed: "other"},
			{name: "another redirect", body: code, old: "callback", changed: "elsewhere"},
			{name: "another verifier", body: code, old: corpus.Verifier, changed: strings.ToUpper(corpus.Verifier)},
			{name: "a mistyped code", body: code, old: "code=sfc_", changed: "code=sfc_0"},
			{name: "a code as a token", body: code, old: "authorization_code", changed: "refresh_token"},
			{name: "a refresh by another client", body: token, old: b.app.ClientID, changed: "other"},
		} {
			if status, _ := b.post(t, strings.Replace(tc.body, tc.old, tc.changed, 1)); status !=
				http.StatusBadRequest {
				t.Errorf("%s: got %d, want 400", tc.name, status)
			}
		}
		for _, body := range []string{code, token} {
			if status, _ := b.post(t, body); status != http.StatusOK {
				t.Errorf("what a refusal left: got %d, want 200", status)
			}
			if status, _ := b.post(t, body); status != http.StatusBadRequest {
				t.Errorf("a second time: got %d, want 400", status)
			}
		}
	})
}
