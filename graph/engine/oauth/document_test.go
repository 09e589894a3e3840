package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

const documentID = "https://client.example/oauth/client.json"

// A client id has one spelling: texts that browsers or libraries could read differently are
// refused.
func TestDocumentURL(t *testing.T) {
	for id, good := range map[string]bool{
		documentID:                             true,
		"https://client.example:8443/a":        true,
		"https://client.example/a?v=1":         true,
		"https://client.example/a/":            true,
		"https://client.example":               false,
		"https://client.example/":              false,
		"http://client.example/a":              false,
		"HTTPS://client.example/a":             false,
		"https://Client.example/a":             false,
		"https://client.example/a#b":           false,
		"https://client.example/a#":            false,
		"https://ada@client.example/a":         false,
		"https://ada:pw@client.example/a":      false,
		"https://client.example/a/../b":        false,
		"https://client.example/./a":           false,
		"https://client.example/..":            false,
		"https://client.example/a/%2e%2e/b":    false,
		"https://client.example/a/%2E/b":       false,
		"https://client.example/a%2f..%2fb":    false,
		"https://client.example/a b":           false,
		"https://client.example\\@evil/a":      false,
		"https://10.0.0.7/a":                   false,
		"https://127.0.0.1/a":                  false,
		"https://[::1]/a":                      false,
		"https://[::ffff:127.0.0.1]/a":         false,
		"https://169.254.169.254/latest":       false,
		"https://2130706433/a":                 false,
		"https://localhost/a":                  false,
		"https://client.internal/a":            false,
		"https://" + strings.Repeat("a", 2100): false,
		"client-1":                             false,
		"":                                     false,
	} {
		if got := oauth.CheckDocumentURL(egress.Policy{}, id); (got != nil) != good {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestParseDocument(t *testing.T) {
	whole := `{"client_id": "` + documentID + `", "client_name": "Helper", "redirect_uris": ["` + callback +
		`", "http://localhost/cb", "http://127.0.0.1:1/cb", "com.example.app:/cb", "http://evil.test/", "javascript:1"],
		"token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
		"response_types": ["code"], "jwks": {}, "logo_uri": "https://client.example/logo.png"}`
	name, redirects, err := oauth.ParseDocument(documentID, []byte(whole))
	want := []string{callback, "http://localhost/cb", "http://127.0.0.1:1/cb", "com.example.app:/cb"}
	if err != nil || name != "Helper" || !slices.Equal(redirects, want) {
		t.Errorf("%q %q %v", name, redirects, err)
	}
	for _, tc := range []struct{ name, old, new, wrong string }{
		{"another client", "client.json\", \"client_name", "other.json\", \"client_name", "its own address"},
		{"another spelling", "https://client.example/oauth/client.json\", \"client_name",
			"https://CLIENT.example/oauth/client.json\", \"client_name", "its own address"},
		{"no client", "client_id", "id", "its own address"},
		{"a secret", `"jwks"`, `"client_secret": "s", "jwks"`, "client secret"},
		{"an end of a secret", `"jwks"`, `"client_secret_expires_at": 0, "jwks"`, "client secret"},
		{"a shared secret", `"none"`, `"client_secret_basic"`, "auth_method"},
		{"a signing client", `"none"`, `"private_key_jwt"`, "auth_method"},
		{"no text as a method", `"none"`, `["none"]`, "auth_method"},
		{"no code grant", `"authorization_code", `, "", "authorization code"},
		{"no code", `["code"]`, `["token"]`, "authorization code"},
		{"no redirect URI", `"redirect_uris"`, `"uris"`, "redirect URI"},
		{"a text as redirect URIs", `["` + callback, `"", "x": ["` + callback, "redirect URI"},
		{"no allowed redirect URI", whole[strings.Index(whole, `["`):strings.Index(whole, `"http://evil`)], "[",
			"redirect URI"},
		{"too many", `"` + callback, strings.Repeat(`"https://a.test/",`, 20) + `"` + callback, "redirect URI"},
		{"a member twice", `"jwks"`, `"client_id": "https://evil.test/c", "jwks"`, "JSON object"},
		{"no JSON", "{", "<", "JSON object"},
		{"a list", "{", "[{", "JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := strings.Replace(whole, tc.old, tc.new, 1)
			_, _, err := oauth.ParseDocument(documentID, []byte(body))
			if body == whole || err == nil || !strings.Contains(err.Error(), tc.wrong) {
				t.Errorf("%v, want %q", err, tc.wrong)
			}
		})
	}
}

// An accepted document names its own URL and has redirect URIs that an app may use.
func FuzzParseDocument(f *testing.F) {
	f.Add(documentID, `{"client_id": "`+documentID+`", "redirect_uris": ["`+callback+`"]}`)
	f.Add(documentID, `{"client_id": "`+documentID+`", "redirect_uris": ["http://localhost:1/a", 7]}`)
	f.Add("https://a.example/b?c", `{"redirect_uris": [[]], "grant_types": {}, "client_name": null}`)
	f.Fuzz(func(t *testing.T, id, body string) {
		u := oauth.CheckDocumentURL(egress.Policy{}, id)
		if u == nil {
			return
		}
		if u.String() != id || u.Scheme != "https" || u.User != nil || u.Fragment != "" || len(u.Path) < 2 ||
			strings.Contains(u.JoinPath().Path, "/../") {
			t.Fatalf("accepted %q", id)
		}
		_, redirects, err := oauth.ParseDocument(id, []byte(body))
		if err != nil {
			return
		}
		if !strings.Contains(body, "client_id") && !strings.Contains(body, `\u`) || len(redirects) == 0 {
			t.Fatalf("accepted %q with %q", body, redirects)
		}
		for _, uri := range redirects {
			back, err := url.Parse(uri)
			local := err == nil && slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, back.Hostname())
			if err != nil || back.User != nil || strings.Contains(uri, "#") || back.Scheme == "http" && !local ||
				back.Scheme != "http" && back.Scheme != "https" && !strings.Contains(back.Scheme, ".") {
				t.Fatalf("accepted the redirect URI %q", uri)
			}
		}
	})
}

func TestDocumentLifetime(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                       15 * time.Minute,
		"public":                 15 * time.Minute,
		"max-age=3600":           time.Hour,
		`public, Max-Age="3600"`: time.Hour,
		"max-age=0":              time.Minute,
		"max-age=99999999":       24 * time.Hour,
		"max-age=-1":             time.Minute,
		"max-age=1e9":            time.Minute,
		"no-store":               time.Minute,
		"max-age=3600, no-cache": time.Minute,
	} {
		if got := oauth.Lifetime(http.Header{"Cache-Control": {header}}); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
