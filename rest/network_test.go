package rest_test

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/graph/transport"
	"github.com/storefront-go/storefront/rest"
)

// A key with an allow-list is refused from other networks, for the API, GraphQL and agents' tools;
// the answer is that of an unknown key.
func TestAllowedNetworks(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	s, m := sqlite(t, func(c *rest.Config) {
		c.TrustedProxies = proxies
		var err error
		if c.GraphQL, err = transport.New(transport.Config{Core: c.Core, Idem: c.Idem,
			Client: rest.Proxies(proxies).Client}); err != nil {
			t.Fatal(err)
		}
	})
	key := m.key(keyRow{Scopes: scope.Of(scope.ProductsRead), Networks: "192.0.2.0/24"})
	const graphql = "/api/graphql" // which is not below the address of the API
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_products","arguments":{}}}`
	streams := map[string]string{"Accept": "application/json, text/event-stream", "Idempotency-Key": "",
		"MCP-Protocol-Version": "2025-06-18"}
	for _, door := range []request{
		{Path: "/products"},
		{Method: http.MethodPost, Path: graphql, Body: `{"query":"{products{nodes{id}}}"}`, Free: true},
		{Method: http.MethodPost, Path: "/mcp", Body: message, Header: streams, Free: true},
	} {
		send := func(as, from string) *answer {
			door.As = as
			door.Edit = func(r *http.Request) {
				r.Header.Set("X-Forwarded-For", from)
				if door.Path == graphql {
					r.URL.Path = "/graphql"
				}
			}
			return s.do(t, door)
		}
		if a := send(key, "192.0.2.7"); a.Status != http.StatusOK || strings.Contains(string(a.Body), "invalid_token") {
			t.Errorf("%s, allowed: %d %s", door.Path, a.Status, a.Body)
		}
		// Entries that the client itself adds are not trusted.
		for _, from := range []string{"203.0.113.1", "192.0.2.7, 203.0.113.1"} {
			a, unknown := send(key, from), send("sfk_x", from)
			if a.Status != http.StatusUnauthorized || unknown.Status != a.Status ||
				a.Header.Get("WWW-Authenticate") != unknown.Header.Get("WWW-Authenticate") {
				t.Errorf("%s from %s: %d %s; unknown: %d", door.Path, from, a.Status, a.Body, unknown.Status)
			}
		}
	}
}

// Only the first request forwarded by an unnamed proxy is logged.
func TestUnnamedProxyIsLogged(t *testing.T) {
	for name, proxies := range map[string][]netip.Prefix{
		"unnamed": nil, "named": {netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			s, m := sqlite(t, func(c *rest.Config) {
				c.TrustedProxies, c.Logger = proxies, slog.New(slog.NewTextHandler(&log, nil))
			})
			ask := request{As: m.all, Path: "/products"}
			s.do(t, ask)
			ask.Header = map[string]string{"X-Forwarded-For": "192.0.2.1"}
			for range 3 {
				s.do(t, ask)
			}
			s.end()
			n := strings.Count(log.String(), "--trusted-proxies")
			if n != 1 && proxies == nil || n != 0 && proxies != nil {
				t.Errorf("logged %d times:\n%s", n, log.String())
			}
		})
	}
}
