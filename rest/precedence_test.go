package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
)

// TestOrderOfChecks sends requests that violate several rules: the first of them in the table of
// contract section 2 answers.
func TestOrderOfChecks(t *testing.T) {
	s, m := sqlite(t)
	old := newShop(t, s.store, shopRow{Legacy: true})
	key := map[string]string{"Idempotency-Key": "used"}
	for _, as := range []string{m.all, old.all} {
		s.do(t, request{As: as, Method: "POST", Path: "/products", Body: draft("first"), Header: key}).
			want(http.StatusCreated, "")
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
		{name: "preflight, unknown path", r: request{Method: "OPTIONS", Path: "/nothing?limit=0", Edit: badToken,
			Header: map[string]string{"Access-Control-Request-Method": "GET"}}, status: 204},
		{name: "preflight, other method", r: request{Method: "OPTIONS", Path: "/me", Edit: badToken,
			Header: map[string]string{"Access-Control-Request-Method": "DELETE"}}, status: 204},
		{name: "unknown path, no credential", r: request{Method: "POST", Path: "/nothing?x=1", Body: "{"}, status: 404,
			code: "not_found"},
		{name: "unknown path of v0, not on the list", r: request{As: m.all, Path: legacy + "/nothing"}, status: 404,
			code: "not_found"},
		{name: "other method, bad credential",
			r: request{Method: "PUT", Path: "/products?x=1", Body: "{", Edit: badToken}, status: 405,
			code: "method_not_allowed"},
		{name: "no credential, token in the query", r: request{Path: "/products?limit=0", Edit: inQuery}, status: 401,
			code: "authentication_required"},
		{name: "bad credential, token in the query",
			r: request{Path: "/products?limit=0", Edit: func(r *http.Request) { badToken(r); inQuery(r) }}, status: 401,
			code: "invalid_token"},
		{name: "bad credential, v0", r: request{Path: legacy + "/products", Edit: badToken}, status: 401,
			code: "invalid_token"},
		{name: "token in the query, wrong scope, bad parameter",
			r: request{As: reader, Path: "/orders?limit=0", Edit: inQuery}, status: 400, code: "invalid_request"},
		{name: "token in the query, v0", r: request{As: m.all, Path: legacy + "/orders?limit=0", Edit: inQuery},
			status: 400, code: "invalid_request"},
		{name: "v0, wrong scope, bad parameter", r: request{As: reader, Path: legacy + "/orders?limit=0"}, status: 410,
			code: "version_retired"},
		{name: "wrong scope, bad parameter", r: request{As: reader, Path: "/orders?limit=0"}, status: 403,
			code: "insufficient_scope"},
		{name: "wrong scope, malformed id", r: request{As: reader, Path: "/orders/x"}, status: 403,
			code: "insufficient_scope"},
		{name: "wrong scope, no key, bad body", r: request{As: reader, Method: "POST", Path: "/products", Body: "{",
			Header: map[string]string{"Idempotency-Key": ""}}, status: 403, code: "insufficient_scope"},
		{name: "parameter, malformed id", r: request{As: m.all, Path: "/products/x?y=1"}, status: 400,
			code: "invalid_parameter"},
		{name: "parameter, no key", r: request{As: m.all, Method: "POST", Path: "/products?x=1", Body: "{",
			Header: map[string]string{"Idempotency-Key": ""}}, status: 400, code: "invalid_parameter"},
		{name: "no key, large body", r: request{As: m.all, Method: "POST", Path: "/products", Body: big,
			Header: map[string]string{"Idempotency-Key": ""}}, status: 400, code: "idempotency_key_required"},
		{name: "invalid key, media type", r: request{As: m.all, Method: "POST", Path: "/products", Body: "{",
			Header: map[string]string{"Idempotency-Key": "a b", "Content-Type": "text/plain"}}, status: 400,
			code: "idempotency_key_invalid"},
		{name: "large body, media type",
			r: request{As: m.all, Method: "POST", Path: "/products", Body: big, Header: text}, status: 413,
			code: "payload_too_large"},
		{name: "large body, used key", r: request{As: m.all, Method: "POST", Path: "/products", Body: big, Header: key},
			status: 413, code: "payload_too_large"},
		{name: "media type, used key",
			r:      request{As: m.all, Method: "POST", Path: "/products", Body: "{", Header: mergeHeader(key, text)},
			status: 415, code: "unsupported_media_type"},
		{name: "used key, malformed body",
			r: request{As: m.all, Method: "POST", Path: "/products", Body: "{", Header: key}, status: 409,
			code: "idempotency_key_reused"},
		{name: "used key, invalid body",
			r: request{As: m.all, Method: "POST", Path: "/products", Body: "{}", Header: key}, status: 409,
			code: "idempotency_key_reused"},
		{name: "used key, unknown order",
			r:      request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: draft("first"), Header: key},
			status: 409, code: "idempotency_key_reused"},
		{name: "malformed body, unknown order",
			r: request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: "{"}, status: 400,
			code: "malformed_body"},
		{name: "invalid body, unknown order",
			r: request{As: m.all, Method: "POST", Path: "/orders/x/notes", Body: "{}"}, status: 422,
			code: "validation_failed"},
	} {
		t.Run(tc.name, func(t *testing.T) { s.do(t, tc.r).want(tc.status, tc.code) })
	}
}

// TestRateComesBeforeVersionAndScope, and after the credential.
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
