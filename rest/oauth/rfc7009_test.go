package oauth_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/rest/oauth"
)

// revoking returns a valid revocation request, with changes.
func (w *world) revoking(token string, changes ...string) url.Values {
	return values(url.Values{"token": {token}, "client_id": {w.app.ClientID}}, changes...)
}

func (w *world) revoke(token string, changes ...string) *reply {
	w.t.Helper()
	return w.post(oauth.RevokePath, w.revoking(token, changes...))
}

// done fails the test unless the answer is 200 with empty JSON: clients that parse every answer,
// such as simple-oauth2, fail without a media type.
func (r *reply) done() {
	r.t.Helper()
	if r.header.Get("Content-Type") != "application/json" {
		r.t.Errorf("Content-Type %q", r.header.Get("Content-Type"))
	}
	if r.status != http.StatusOK || r.body != "{}" || r.header.Get("Cache-Control") != "no-store" {
		r.t.Errorf("%d %q, Cache-Control %q", r.status, r.body, r.header.Get("Cache-Control"))
	}
}

func TestRFC7009_2_1(t *testing.T) {
	t.Run("a refresh token ends the grant with its access tokens", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			first := w.exchange(w.code()).tokens()
			got := w.refresh(first.Refresh).tokens()
			w.revoke(got.Refresh).done()
			w.ended(state.GrantEndedByApp)
			if w.opens(first.Access) || w.opens(got.Access) {
				t.Error("an access token is alive")
			}
			w.refresh(got.Refresh).refused(http.StatusBadRequest, "invalid_grant")
		})
	})
	t.Run("an access token ends alone", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			first := w.exchange(w.code()).tokens()
			got := w.refresh(first.Refresh).tokens()
			w.revoke(got.Access).done()
			w.ended("")
			if w.opens(got.Access) || !w.opens(first.Access) {
				t.Errorf("it is alive: %v; the other one is: %v", w.opens(got.Access), w.opens(first.Access))
			}
			w.refresh(got.Refresh).tokens()
		})
	})
	t.Run("the hint is ignored: right, wrong or unheard of", func(t *testing.T) {
		for _, hint := range []string{"access_token", "refresh_token", "x"} {
			w := sqlite(t)
			got := w.exchange(w.code()).tokens()
			w.revoke(got.Access, "token_type_hint="+hint).done()
			if w.opens(got.Access) {
				t.Errorf("%s: the access token is alive", hint)
			}
			w.revoke(got.Refresh, "token_type_hint="+hint).done()
			w.ended(state.GrantEndedByApp)
		}
	})
	t.Run("another client's token is refused and lives on", func(t *testing.T) {
		w := sqlite(t)
		got, other := w.exchange(w.code()).tokens(), w.register(row{})
		for _, token := range []string{got.Access, got.Refresh} {
			w.revoke(token, "client_id="+other.ClientID).refused(http.StatusBadRequest, "invalid_grant")
		}
		w.ended("")
		if !w.opens(got.Access) {
			t.Error("the access token is dead")
		}
	})
	t.Run("the client is identified before anything else", func(t *testing.T) {
		w := sqlite(t)
		got := w.exchange(w.code()).tokens()
		w.revoke(got.Refresh, "-client_id").refused(http.StatusUnauthorized, "invalid_client")
		w.revoke(got.Refresh, "client_id=x").refused(http.StatusUnauthorized, "invalid_client")
		w.revoke("x", "client_id=x").refused(http.StatusUnauthorized, "invalid_client")
		w.ended("")
	})
	t.Run("Basic with an empty secret and JSON do as well", func(t *testing.T) {
		w := sqlite(t)
		got := w.exchange(w.code()).tokens()
		w.post(oauth.RevokePath, w.revoking(got.Access, "-client_id"),
			"Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(w.app.ClientID+":"))).done()
		w.send(http.MethodPost, oauth.RevokePath, nil, jsonOf(w.revoking(got.Refresh)), jsonType).done()
		w.ended(state.GrantEndedByApp)
	})
	t.Run("token is required, and not more than once", func(t *testing.T) {
		w := sqlite(t)
		w.revoke("", "-token").refused(http.StatusBadRequest, "invalid_request")
		w.revoke("").refused(http.StatusBadRequest, "invalid_request")
		w.revoke("a", "+token=b").refused(http.StatusBadRequest, "invalid_request")
	})
}

func TestRFC7009_2_2(t *testing.T) {
	w := sqlite(t)
	for name, token := range map[string]string{
		"made up": "whatever", "of the right form": apikey.Mint(apikey.Refresh).Reveal(),
		"an unknown access token": apikey.Mint(apikey.Access).Reveal(),
		"an API key":              apikey.Mint(apikey.Key).Reveal(), "a code": apikey.Mint(apikey.Code).Reveal(),
	} {
		t.Run("an unknown token is 200: "+name, func(t *testing.T) { w.revoke(token).done() })
	}
	t.Run("one that was revoked before is 200", func(t *testing.T) {
		got := w.exchange(w.code()).tokens()
		for range 2 {
			w.revoke(got.Access).done()
		}
		for range 2 {
			w.revoke(got.Refresh).done()
		}
		w.ended(state.GrantEndedByApp)
	})
}
