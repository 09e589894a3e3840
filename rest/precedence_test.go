package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
)

// TestOrderOfChecks sends requests that break several rules at once: the first
// of them in the table of contract section 2 answers.
func TestOrderOfChecks(t *testing.T) {
	s, m := sqlite(t)
	old := newShop(t, s.store, shopRow{Legacy: true})
	key := map[string]string{"Idempotency-Key": "used"}
	for _, as := range []string{m.all, old.all} {
		s.do(t, request{As: as, Method: "POST", Path: "/products", Body: draft("first"), Header: key}).want(http.StatusCreated, "")
	}
	reader := m.keyOf(scope.ProductsRead)
	badToken := func(r *http.Request) { r.Header.Set("Authorization", "Bearer sfk_x") }
	inQuery := func(r *http.Request) { r.URL.RawQuery += "&access_token=x" }
	big := strings.Repeat(" ", 1<<20) + "x"
	text := map[string]string{"Content-Type": "text/plain"}
	for _, tc := range []struct {
		name   string
		r      request
		status int
		code   string
	}{
		{"preflight, unknown path", request{Method: "OPTIONS", Path: "/nothing?limit=0", Edit: badToken,
			Header: map[string]string{"Access-Control-Request-Method": "GET"}}, 204, ""},
		{"preflight, other method", request{Method: "OPTIONS", Path: "/me", Edit: badToken,
			Header: map[string]string{"Access-Control-Request-Method": "DELETE"}}, 204, ""},
		{"unknown path, no credential", request{Method: "POST", Path: "/nothing?x=1", Body: "{"}, 404, "not_found"},
		{"unknown path of v0, not on the list", request{As: m.all, Path: legacy + "/nothing"}, 404, "not_found"},
		{"other method, bad credential", request{Method: "PUT", Path: "/products?x=1", Body: "{", Edit: badToken}, 405, "method_not_allowed"},
		{"no credential, token in the query", request{Path: "/products?limit=0", Edit: inQuery}, 401, "authentication_required"},
		{"bad credential, token in the query", request{Path: "/products?limit=0", Edit: func(r *http.Request) { badToken(r); inQuery(r) }}, 401, "invalid_token"},
		{"bad credential, v0", request{Path: legacy + "/products", Edit: badToken}, 401, "invalid_token"},
		{"token in the query, wrong scope, bad parameter", request{As: reader, Path: "/orders?limit=0", Edit: inQuery}, 400, "invalid_request"},
		{"token in the query, v0", request{As: m.all, Path: legacy + "/orders?limit=0", Edit: inQuery}, 400, "invalid_request"},
		{"v0, wrong scope, bad parameter", request{As: reader, Path: legacy + "/orders?limit=0"}, 410, "version_retired"},
		{"wrong scope, bad parameter", request{As: reader, Path: "/orders?limit=0"}, 403, "insufficient_scope"},
		{"wrong scope, malformed id", request{As: reader, Path: "/orders/x"}, 403, "insufficient_scope"},
		{"wrong scope, no key, bad body", request{As: reader, Method: "POST", Path: "/products", Body: "{",
			Header: map[string]string{"Idempotency-Key": ""}}, 403, "insufficient_scope"},
		{"parameter, malformed id", request{As: m.all, Path: "/products/x?y=1"}, 400, "invalid_parameter"},
		{"parameter, no key", request{As: m.all, Method: "POST", Path: "/products?x=1", Body: "{",
			Header: map[string]string{"Idempotency-Key": ""}}, 400, "invalid_parameter"},
		{"no key, large body", request{As: m.all, Method: "POST", Path: "/products", Body: big,
			Header: map[string]string{"Idempotency-Key": ""}}, 400, "idempotency_key_required"},
		{"invalid key, media type", request{As: m.all, Method: "POST", Path: "/products", Body: "{",
			Header: map[string]string{"Idempotency-Key": "a b", "Content-Type": "text/plain"}}, 400, "idempotency_key_invalid"},
		{"large body, media type", request{As: m.all, Method: "POST", Path: "/products", Body: big, Header: text}, 413, "payload_too_large"},
		{"large body, used key", request{As: m.all, Method: "POST", Path: "/products", Body: big, Header: key}, 413, "payload_too_large"},
		{"media type, used key", request{As: m.all, Method: "POST", Path: "/products", Body: "{", Header: mergeHeader(key, text)}, 415, "unsupported_media_type"},
		{"used key, malformed body", request{As: m.all, Method: "POST", Path: "/products", Body: "{", Header: key}, 409, "idempotency_key_reused"},
		{"used key, invalid body", request{As: m.all, Method: "POST", Path: "/products", Body: "{}", Header: key}, 409, "idempotency_key_reused"},
		{"used key, unknown order", request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: draft("first"), Header: key}, 409, "idempotency_key_reused"},
		{"malformed body, unknown order", request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: "{"}, 400, "malformed_body"},
		{"invalid body, unknown order", request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: "{}"}, 422, "validation_failed"},
	} {
		t.Run(tc.name, func(t *testing.T) { s.do(t, tc.r).want(tc.status, tc.code) })
	}
}

// TestRateComesBeforeVersionAndScope, and behind the credential.
func TestRateComesBeforeVersionAndScope(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.RatePerSecond, c.RateBurst = 0.001, 1 })
	key := m.keyOf(scope.ProductsRead)
	s.do(t, request{As: key, Path: "/products"}).want(http.StatusOK, "")
	s.do(t, request{As: key, Path: legacy + "/orders?limit=0"}).want(http.StatusTooManyRequests, "rate_limited")
	s.do(t, request{As: key, Path: "/nothing"}).want(http.StatusNotFound, "not_found")
	s.do(t, request{As: key, Path: "/products", Method: "PUT"}).want(http.StatusMethodNotAllowed, "method_not_allowed")
	s.do(t, request{As: key, Path: "/products?access_token=x"}).want(http.StatusBadRequest, "invalid_request")
	s.do(t, request{Path: "/products"}).want(http.StatusUnauthorized, "authentication_required")
}
