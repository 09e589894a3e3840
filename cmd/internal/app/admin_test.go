package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent/storetest"
)

// A page in the operator's browser can make any name resolve to the admin port: the port answers to
// its own names only, and does not reveal the command line.
func TestAdminHosts(t *testing.T) {
	a := &admin{store: storetest.Open(t), hosts: []string{"admin.internal"}}
	h := a.handler(prometheus.NewRegistry())
	for _, tc := range []struct {
		host, path string
		want       int
	}{
		{host: "127.0.0.1:8081", path: "/healthz", want: http.StatusOK},
		{host: "localhost:8081", path: "/healthz", want: http.StatusOK},
		{host: "[::1]:8081", path: "/healthz", want: http.StatusOK},
		{host: "10.1.2.3:8081", path: "/healthz", want: http.StatusOK}, // the address on which the request arrived
		{host: "Admin.Internal:8081", path: "/metrics", want: http.StatusOK},
		{host: "10.1.2.4:8081", path: "/healthz", want: http.StatusMisdirectedRequest},
		{host: "evil.example", path: "/metrics", want: http.StatusMisdirectedRequest},
		{host: "localhost.evil.example", path: "/debug/pprof/", want: http.StatusMisdirectedRequest},
		{host: "", path: "/healthz", want: http.StatusMisdirectedRequest},
		{host: "localhost", path: "/debug/pprof/cmdline", want: http.StatusNotFound},
	} {
		local := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 8081}
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(local))
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, tc.path, http.NoBody)
		r.Host = tc.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q %s: %d, want %d; %v", tc.host, tc.path, w.Code, tc.want, w.Header())
		}
	}
}

// A process that cannot send webhooks reports that; one that serves requests is still ready.
func TestReadyWhileImpaired(t *testing.T) {
	for delivers, want := range map[bool]int{true: http.StatusServiceUnavailable, false: http.StatusOK} {
		impaired := ""
		a := &admin{store: storetest.Open(t), delivers: delivers, impaired: func() string { return impaired }}
		a.phase.Store(serving)
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			a.readyz(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
			return w
		}
		if w := ask(); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "reason") {
			t.Errorf("at rest: %d %s", w.Code, w.Body)
		}
		impaired = "no file descriptor is left"
		if w := ask(); w.Code != want || !strings.Contains(w.Body.String(), impaired) {
			t.Errorf("it does nothing else: %t: %d %s, want %d", delivers, w.Code, w.Body, want)
		}
	}
}

// A proxy may order certificates for proved domains, and for nothing else.
func TestAsk(t *testing.T) {
	a := &admin{store: storetest.Open(t), domainOf: func(_ context.Context, host string) (string, bool, error) {
		if host == "down.example.com" {
			return "", false, errors.New("down")
		}
		return "tea", host == "www.example.com", nil
	}}
	h := a.handler(prometheus.NewRegistry())
	for query, want := range map[string]int{"?domain=www.example.com": http.StatusOK, "": http.StatusNotFound,
		"?domain=other.example.com": http.StatusNotFound, "?domain=down.example.com": http.StatusServiceUnavailable} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/domains/ask"+query, http.NoBody)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d, want %d", query, w.Code, want)
		}
	}
}
