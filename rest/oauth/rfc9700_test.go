package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/rest/oauth"
)

func TestRFC9700_2_1(t *testing.T) {
	w := sqlite(t)
	for _, uri := range []string{
		"https://app.test/callback/", "https://app.test/callback?",
		"https://app.test/callback?x=1", "https://app.test/callback#",
		"https://app.test/callback#x", "https://app.test/callback%23x",
		"https://app.test/Callback", "https://app.test//callback",
		"https://app.test/%63allback", "https://app.test/callback%2f..",
		"https://app.test/x/../callback", "https://app.test/./callback",
		"https://app.test/callback/../../evil", "https://app.test/callback;x",
		"https://app.test:443/callback", "https://app.test:8443/callback",
		"http://app.test/callback", "HTTPS://app.test/callback",
		"https://APP.TEST/callback", "https://app.test./callback",
		"https://app.test.evil.test/callback", "https://evil.test/https://app.test/callback",
		"https://evilapp.test/callback",
		"https://sub.app.test/callback", "https://app.test@evil.test/callback",
		"https://app.test:pass@evil.test/callback",
		"https://user@app.test/callback", "https://app.test%2eevil.test/callback",
		"https://app.test%00.evil.test/callback",
		"https://evil.test\\@app.test/callback", "https://app.test\\.evil.test/callback",
		"https://app.test\\callback", "https:\\\\app.test\\callback",
		"https:app.test/callback", "https:/app.test/callback", "https:///app.test/callback",
		"//app.test/callback", "/callback", "callback",
		" https://app.test/callback", "https://app.test/callback ",
		"https://app.test/callback\n", "\thttps://app.test/callback",
		"https://app.test/callback\x00", "https://app.tes\u0074\u200b/callback",
		"https://аpp.test/callback", "https://app。test/callback",
		"javascript:alert(1)//https://app.test/callback", "data:text/html,x",
		"file:///etc/passwd", "*", "https://*.test/callback",
		"https://app.test/callback https://evil.test/", "https://evil.test/ https://app.test/callback",
	} {
		t.Run("the redirection URI is compared as a text: "+uri, func(t *testing.T) {
			w.authorize(w.ada, "redirect_uri="+uri).page(http.StatusBadRequest)
			w.authorize(nil, "redirect_uri="+uri, "response_type=token").page(http.StatusBadRequest)
		})
	}
	t.Run("of several registered ones each is good, and no mixture of them", func(t *testing.T) {
		w.app = w.register(row{URIs: []string{"https://one.test/a", "https://two.test/b"}})
		w.reaches(t, "https://one.test/a")
		w.reaches(t, "https://two.test/b")
		for _, uri := range []string{
			"https://one.test/b", "https://two.test/a", "https://one.test/a https://two.test/b",
		} {
			w.authorize(w.ada, "redirect_uri="+uri).page(http.StatusBadRequest)
		}
	})
}

func TestRFC9700_2_1_1(t *testing.T) {
	w := sqlite(t)
	t.Run("PKCE is asked of every client", func(t *testing.T) {
		if q := w.authorize(w.ada, "-code_challenge", "-code_challenge_method").
			returned(callback); q.Get("error") != "invalid_request" {
			t.Errorf("%v", q)
		}
	})
	t.Run("the challenge cannot be taken out behind the person's back", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		request, err := url.ParseQuery(form.Get("request"))
		if err != nil {
			t.Fatal(err)
		}
		for _, changes := range [][]string{
			{"-code_challenge", "-code_challenge_method"}, {"code_challenge_method=plain"},
		} {
			form.Set("request", values(clone(request), changes...).Encode())
			if q := w.answer(w.ada, clone(form), "decision=allow").returned(callback); q.Get("error") !=
				"invalid_request" || q.Has("code") {
				t.Errorf("%v: %v", changes, q)
			}
		}
	})
	t.Run("a verifier cannot be left out at the token endpoint", func(t *testing.T) {
		w.exchange(w.code(), "-code_verifier").refused(http.StatusBadRequest, "invalid_request")
	})
	t.Run("the metadata says which methods there are", func(t *testing.T) {
		got := w.send(http.MethodGet, oauth.MetadataPath, nil, "").
			document()["code_challenge_methods_supported"].([]any)
		if len(got) != 1 || got[0] != "S256" {
			t.Errorf("%v", got)
		}
	})
}

func clone(form url.Values) url.Values {
	again, _ := url.ParseQuery(form.Encode())
	return again
}

func TestRFC9700_2_1_2(t *testing.T) {
	w := sqlite(t)
	for _, kind := range []string{"token", "id_token", "code token", "token code", "code id_token", "none"} {
		t.Run("no token comes from the authorization endpoint: "+kind, func(t *testing.T) {
			r := w.authorize(w.ada, "response_type="+kind)
			if q := r.returned(callback + "?"); q.Get("error") != "unsupported_response_type" {
				t.Errorf("%v", q)
			}
		})
	}
	t.Run("nor anything in a fragment", func(t *testing.T) {
		for _, mode := range []string{"fragment", "form_post", "web_message"} {
			if q := w.authorize(w.ada, "response_mode="+mode).
				returned(callback + "?"); q.Get("error") != "invalid_request" {
				t.Errorf("%s: %v", mode, q)
			}
		}
	})
}

func TestRFC9700_2_4(t *testing.T) {
	w := sqlite(t)
	t.Run("there is no grant for passwords", func(t *testing.T) {
		w.post(oauth.TokenPath, url.Values{"grant_type": {"password"}, "client_id": {w.app.ClientID},
			"username": {"ada@example.com"}, "password": {"x"}}).
			refused(http.StatusBadRequest, "unsupported_grant_type")
	})
}

func TestRFC9700_2_2_2(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		t.Run("a refresh token rotates with every use", func(t *testing.T) {
			first := w.exchange(w.code()).tokens()
			second := w.refresh(first.Refresh).tokens()
			if first.Refresh == second.Refresh || first.Access == second.Access ||
				!w.opens(first.Access) || !w.opens(second.Access) {
				t.Error("the tokens are not new, or not alive")
			}
		})
	})
}

func TestRFC9700_4_14_2(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first := w.exchange(w.code()).tokens()
		second := w.refresh(first.Refresh).tokens()
		third := w.refresh(second.Refresh).tokens()
		t.Run("a rotated token revokes the family, however long ago", func(t *testing.T) {
			w.refresh(first.Refresh).refused(http.StatusBadRequest, "invalid_grant")
			w.ended(state.GrantTokenReused)
		})
		t.Run("the newest is revoked with it", func(t *testing.T) {
			w.refresh(third.Refresh).refused(http.StatusBadRequest, "invalid_grant")
			for _, token := range []string{first.Access, second.Access, third.Access} {
				if w.opens(token) {
					t.Error("an access token is alive")
				}
			}
		})
	})
	t.Run("whichever client sends it", func(t *testing.T) {
		w := sqlite(t)
		first := w.exchange(w.code()).tokens()
		w.opens(w.refresh(first.Refresh).tokens().Access)
		w.refresh(first.Refresh, "client_id=thief", "scope=x").refused(http.StatusBadRequest, "invalid_grant")
		w.ended(state.GrantTokenReused)
	})
}

func TestRFC9700_4_2(t *testing.T) {
	w := sqlite(t)
	t.Run("4.2.4: the pages keep their address to themselves and load nothing from elsewhere", func(t *testing.T) {
		for _, r := range []*reply{w.authorize(w.ada), w.authorize(w.ada, "client_id=x"), w.authorize(nil)} {
			if policy := r.header.Get("Referrer-Policy"); policy != "no-referrer" && policy != "same-origin" {
				t.Errorf("Referrer-Policy %q", policy)
			}
			if !strings.Contains(r.header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("Content-Security-Policy %q", r.header.Get("Content-Security-Policy"))
			}
			for _, part := range []string{`src="http`, `src="//`, `href="http`, `href="//`, "url(", "@import"} {
				if strings.Contains(r.body, part) {
					t.Errorf("the page holds %s", part)
				}
			}
		}
	})
	t.Run("the answer with the code is not cached and sends no referrer", func(t *testing.T) {
		r := w.answer(w.ada, w.authorize(w.ada).form(), "decision=allow")
		policy := r.header.Get("Referrer-Policy")
		if r.header.Get("Cache-Control") != "no-store" || policy != "no-referrer" && policy != "same-origin" ||
			r.body != "" {
			t.Errorf("%v %q", r.header, r.body)
		}
	})
	t.Run("4.3.2: a token in an address opens nothing", func(t *testing.T) {
		got := w.exchange(w.code()).tokens()
		w.send(http.MethodPost, oauth.RevokePath+"?"+w.revoking(got.Refresh).Encode(), nil, "",
			"Content-Type: application/x-www-form-urlencoded").
			refused(http.StatusUnauthorized, "invalid_client")
		w.send(http.MethodPost, oauth.TokenPath+"?"+w.refreshing(got.Refresh).Encode(), nil, "",
			"Content-Type: application/x-www-form-urlencoded").
			refused(http.StatusUnauthorized, "invalid_client")
		if !w.opens(got.Access) || w.grants()[0].RevokedAt != nil {
			t.Error("the request took effect")
		}
	})
}

func TestRFC9700_4_11(t *testing.T) {
	w := sqlite(t)
	t.Run("4.11.2: the server redirects to no address from the request but the client's", func(t *testing.T) {
		for _, changes := range [][]string{
			{"redirect_uri=https://evil.test/"}, {"client_id=x"}, {"-client_id"},
			{"return_to=https://evil.test/", "client_id=x"},
			{"redirect_uri=https://evil.test/", "response_type=token"},
		} {
			w.authorize(nil, changes...).page(http.StatusBadRequest)
			w.authorize(w.ada, changes...).page(http.StatusBadRequest)
		}
	})
	t.Run("nor to the client's, before they have signed in and want to go there", func(t *testing.T) {
		for _, change := range []string{"response_type=token", "scope=nothing", "-code_challenge", "+state=2"} {
			back := w.authorize(nil, change).redirected("/sign-in?").Get("return_to")
			r := w.send(http.MethodGet, back, w.ada, "")
			if q := r.returned(callback); q.Get("error") == "" || !strings.Contains(r.body, w.app.Name) {
				t.Errorf("%s: %v\n%s", change, q, r.body)
			}
		}
	})
	t.Run("nor through the form of the consent screen", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		form.Set("request", w.asked("redirect_uri=https://evil.test/").Encode())
		w.answer(w.ada, form, "decision=deny").page(http.StatusBadRequest)
	})
	t.Run("nor through the sign-in", func(t *testing.T) {
		back := w.authorize(nil, "return_to=https://evil.test/").redirected("/sign-in?").Get("return_to")
		if !strings.HasPrefix(back, oauth.AuthorizePath+"?") {
			t.Errorf("return_to %q", back)
		}
	})
}

func TestRFC9700_4_12(t *testing.T) {
	w := sqlite(t)
	t.Run("307 is never used, so no browser posts a form on", func(t *testing.T) {
		for _, r := range []*reply{
			w.authorize(nil), w.authorize(nil, "scope=nothing"),
			w.answer(w.ada, w.authorize(w.ada).form(), "decision=allow"),
			w.answer(w.ada, w.authorize(w.ada).form(), "decision=deny"),
			w.answer(nil, w.authorize(w.ada).form(), "decision=allow"),
		} {
			if r.status != http.StatusSeeOther {
				t.Errorf("%d to %q", r.status, r.header.Get("Location"))
			}
		}
	})
}

func TestRFC9700_4_16(t *testing.T) {
	w := sqlite(t)
	t.Run("no page can be framed", func(t *testing.T) {
		for _, r := range []*reply{w.authorize(w.ada), w.authorize(w.ada, "client_id=x"), w.authorize(nil),
			w.answer(w.ada, url.Values{}, "decision=allow")} {
			if r.header.Get("X-Frame-Options") != "DENY" ||
				!strings.Contains(r.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%d: %v", r.status, r.header)
			}
		}
	})
	t.Run("and the policy leaves out form-action, which would stop the redirect to the app", func(t *testing.T) {
		if got := w.authorize(w.ada).header.Get("Content-Security-Policy"); strings.Contains(got, "form-action") ||
			strings.Contains(got, "unsafe") {
			t.Errorf("%s", got)
		}
	})
}

func TestRFC9700_4_10(t *testing.T) {
	w := sqlite(t)
	t.Run("tokens have the entropy of their 32 random characters", func(t *testing.T) {
		seen := map[string]bool{}
		for range 3 {
			got := w.exchange(w.code()).tokens()
			for _, token := range []string{got.Access, got.Refresh} {
				if _, _, ok := apikey.Parse(token); !ok || seen[token] {
					t.Errorf("%s", token)
				}
				seen[token] = true
			}
		}
	})
}
