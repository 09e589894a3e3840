package oauth_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest/oauth"
)

const resourcePath = oauth.ResourcePath + "/api/public/v1"

func (r *reply) document() (doc map[string]any) {
	r.t.Helper()
	if r.status != http.StatusOK || r.header.Get("Content-Type") != "application/json" {
		r.t.Fatalf("%d %s", r.status, r.header.Get("Content-Type"))
	}
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil {
		r.t.Fatal(err)
	}
	return doc
}

func list(texts ...string) []any {
	var all []any
	for _, s := range texts {
		all = append(all, s)
	}
	return all
}

func TestRFC8414_2(t *testing.T) {
	w := sqlite(t)
	want := map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + "/api/public/oauth/authorize",
		"token_endpoint":                                 issuer + "/api/public/oauth/token",
		"revocation_endpoint":                            issuer + "/api/public/oauth/revoke",
		"scopes_supported":                               list(scope.Names()...),
		"response_types_supported":                       list("code"),
		"response_modes_supported":                       list("query"),
		"grant_types_supported":                          list("authorization_code", "refresh_token"),
		"token_endpoint_auth_methods_supported":          list("none"),
		"revocation_endpoint_auth_methods_supported":     list("none"),
		"code_challenge_methods_supported":               list("S256"),
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          true,
		"service_documentation":                          issuer + "/docs",
	}
	if d := cmp.Diff(want, w.send(http.MethodGet, oauth.MetadataPath, nil, "").document()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRFC8414_3(t *testing.T) {
	w := sqlite(t)
	for _, path := range []string{"/.well-known/oauth-authorization-server", resourcePath} {
		t.Run(path, func(t *testing.T) {
			got := w.send(http.MethodGet, path, nil, "")
			got.document()
			if got.header.Get("Cache-Control") != "public, max-age=3600" || got.header.Get("ETag") == "" {
				t.Errorf("%v", got.header)
			}
			again := w.send(http.MethodGet, path, nil, "", "If-None-Match: "+got.header.Get("ETag"))
			if again.status != http.StatusNotModified || again.body != "" {
				t.Errorf("%d %q", again.status, again.body)
			}
			head := w.send(http.MethodHead, path, nil, "")
			if head.status != http.StatusOK || head.header.Get("Content-Length") != got.header.Get("Content-Length") {
				t.Errorf("HEAD: %d, %s bytes", head.status, head.header.Get("Content-Length"))
			}
			post := w.send(http.MethodPost, path, nil, "")
			if post.status != http.StatusMethodNotAllowed || post.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("POST: %d, Allow %q", post.status, post.header.Get("Allow"))
			}
		})
	}
}

func TestRFC8414_3_3(t *testing.T) {
	w := sqlite(t)
	t.Run("the issuer is the address that the document is found under", func(t *testing.T) {
		if got := w.send(http.MethodGet, oauth.MetadataPath, nil, "").document()["issuer"]; got != issuer {
			t.Errorf("%v", got)
		}
	})
	t.Run("whatever Host says", func(t *testing.T) {
		got := w.send(http.MethodGet, oauth.MetadataPath, nil, "", "X-Forwarded-Host: evil.test",
			"Forwarded: host=evil.test").document()["issuer"]
		if got != issuer {
			t.Errorf("%v", got)
		}
	})
}

func TestRFC9728_2(t *testing.T) {
	w := sqlite(t)
	want := map[string]any{
		"resource":                 issuer + "/api/public/v1",
		"authorization_servers":    list(issuer),
		"scopes_supported":         list(scope.Names()...),
		"bearer_methods_supported": list("header"),
		"resource_documentation":   issuer + "/docs",
	}
	if d := cmp.Diff(want, w.send(http.MethodGet, resourcePath, nil, "").document()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
