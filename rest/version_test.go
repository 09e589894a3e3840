package rest_test

import (
	"net/http"
	"testing"
)

// retirement holds the headers of every answer of v0.
var retirement = map[string]string{
	"Deprecation": "@1775001600",
	"Sunset":      "Tue, 30 Jun 2026 23:59:59 GMT",
	"Link":        "<" + apiHost + base + `>; rel="successor-version"`,
}

func TestVersionZero(t *testing.T) {
	s, m := sqlite(t)
	old := newShop(t, s.store, shopRow{Legacy: true})
	old.furnish()
	for _, r := range []struct {
		request
		status int
		code   string
	}{
		{request{As: m.all, Path: "/products"}, 410, "version_retired"},
		{request{As: m.all, Path: "/products/x"}, 410, "version_retired"},
		{request{As: m.all, Path: "/products", Method: "POST", Body: draft("x")}, 410, "version_retired"},
		{request{As: m.keyOf(), Path: "/products"}, 410, "version_retired"},
		{request{As: old.all, Path: "/products"}, 200, ""},
		{request{As: old.all, Path: "/products/" + productID}, 200, ""},
		{request{As: old.all, Path: "/orders"}, 200, ""},
		{request{As: old.all, Path: "/me"}, 200, ""},
		{request{As: old.all, Path: "/products", Method: "POST", Body: draft("x")}, 201, ""},
		{request{As: old.all, Path: "/products", Method: "POST", Body: "{}"}, 422, "validation_failed"},
		{request{As: old.all, Path: "/products/x"}, 404, "not_found"},
		{request{As: old.all, Path: "/products?x=1"}, 400, "invalid_parameter"},
		{request{As: old.keyOf(), Path: "/products"}, 403, "insufficient_scope"},
		{request{Path: "/products"}, 401, "authentication_required"},
		{request{As: "x", Path: "/products"}, 401, "invalid_token"},
		{request{As: old.all, Path: "/products", Method: "PUT"}, 405, "method_not_allowed"},
		{request{As: old.all, Path: "/nothing"}, 404, "not_found"},
	} {
		r.Path = legacy + r.Path
		a := s.do(t, r.request).want(r.status, r.code)
		for name, want := range retirement {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s %s (%d): %s %q, want %q", r.Method, r.Path, a.Status, name, got, want)
			}
		}
	}
	tag := s.do(t, request{As: old.all, Path: legacy + "/products"}).Header.Get("ETag")
	a := s.do(t, request{As: old.all, Path: legacy + "/products", Header: map[string]string{"If-None-Match": tag}})
	if a.Status != http.StatusNotModified || a.Header.Get("Sunset") == "" {
		t.Errorf("304: got %d, Sunset %q", a.Status, a.Header.Get("Sunset"))
	}
}

// TestVersionOneIsNotDeprecated: v1 has no such headers, and both versions answer alike.
func TestVersionOneIsNotDeprecated(t *testing.T) {
	s, _ := sqlite(t)
	old := newShop(t, s.store, shopRow{Legacy: true})
	old.furnish()
	for _, path := range []string{
		"/products", "/products/" + productID, "/orders", "/orders/" + orderID, "/customers", "/products/x",
	} {
		one, zero := s.do(t, request{As: old.all, Path: base + path}),
			s.do(t, request{As: old.all, Path: legacy + path})
		for name := range retirement {
			if got := one.Header.Get(name); got != "" {
				t.Errorf("v1 %s: %s %q", path, name, got)
			}
		}
		if one.Status != zero.Status || one.Status == http.StatusOK && string(one.Body) != string(zero.Body) {
			t.Errorf("%s: v1 %d %s\nv0 %d %s", path, one.Status, one.Body, zero.Status, zero.Body)
		}
	}
}
