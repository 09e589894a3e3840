package rest_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest"
)

// underTest serves storefronts at HANDLE.shops.test:8080.
func underTest(t testing.TB, s *ent.Store) func(*rest.Config) {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("hosts of stores ", 3))
	if err != nil {
		t.Fatal(err)
	}
	links := graphtest.Config(t, s, ring).Links
	return func(c *rest.Config) {
		c.Links, c.IsAPI = links, isAPI
		c.HandleOf = func(host string) (string, bool) {
			return strings.CutSuffix(strings.ToLower(host), ".shops.test:8080")
		}
	}
}

// isAPI is the API's own host, and those of test servers.
func isAPI(host string) bool {
	return host == "api.shops.test:8080" || strings.HasPrefix(host, "127.0.0.1:")
}

// TestHosts: the host of an open store gets its storefront, whatever the path; the API's host gets
// the API, whatever stores are called; and any other host a page without a form or a cookie.
func TestHosts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		registry := prometheus.NewRegistry()
		s := newServer(t, store, underTest(t, store), func(c *rest.Config) { c.Metrics = registry })
		newShop(t, store, shopRow{Handle: "first"})
		newShop(t, store, shopRow{Handle: "second"})
		newShop(t, store, shopRow{Handle: "closed", Status: state.StoreClosed})
		newShop(t, store, shopRow{Handle: "api"}) // created before such handles were refused
		for _, host := range []string{"first.shops.test:8080", "SECOND.Shops.Test:8080"} {
			// These stores have no theme yet.
			a := s.raw(t, http.MethodGet, "/", "Host", host).want(http.StatusServiceUnavailable, "")
			if !strings.Contains(string(a.Body), "This shop is being set up") ||
				!strings.HasPrefix(a.Header.Get("X-Request-Id"), "req_") {
				t.Errorf("%s: %v\n%s", host, a.Header, a.Body)
			}
			s.raw(t, http.MethodGet, "/robots.txt", "Host", host).want(http.StatusOK, "")
			for _, path := range []string{
				base + "/me", "/openapi.json", "/docs", "/graphql", "/dashboard", "/api/public/oauth/token",
			} {
				a := s.raw(t, http.MethodGet, path, "Host", host, "Origin", "https://elsewhere.test").
					want(http.StatusServiceUnavailable, "")
				a.header(t, map[string]string{
					"Access-Control-Allow-Origin": "", "Content-Type": "text/html; charset=utf-8",
				})
			}
			s.raw(t, http.MethodOptions, base+"/me", "Host", host, "Access-Control-Request-Method", "GET").
				want(http.StatusMethodNotAllowed, "").header(t, map[string]string{"Access-Control-Allow-Methods": ""})
		}
		for _, host := range []string{"", "api.shops.test:8080"} {
			s.raw(t, http.MethodGet, base+"/me", "Host", host).want(http.StatusUnauthorized, "authentication_required").
				header(t, map[string]string{"X-Content-Type-Options": "nosniff", "Strict-Transport-Security": ""})
			s.raw(t, http.MethodGet, "/robots.txt", "Host", host).want(http.StatusNotFound, "not_found")
		}
		for _, host := range []string{"evil.test", "closed.shops.test:8080", "nobody.shops.test:8080",
			"first.shops.test", "first.shops.test:9090", "x.first.shops.test:8080"} {
			for _, path := range []string{"/", base + "/me", "/sign-in", "/dashboard", "/graphql", "/robots.txt"} {
				if path == "/robots.txt" && host == "closed.shops.test:8080" { // robots are kept away
					s.raw(t, http.MethodGet, path, "Host", host).want(http.StatusOK, "")
					continue
				}
				a := s.raw(t, http.MethodGet, path, "Host", host).want(http.StatusNotFound, "")
				a.header(t, map[string]string{"Set-Cookie": "", "Content-Type": "text/html; charset=utf-8",
					"X-Content-Type-Options": "nosniff"})
				body := string(a.Body)
				if !strings.Contains(body, "Shop not found") || strings.Contains(body, "<form") {
					t.Errorf("%s%s: %s", host, path, body)
				}
			}
		}
		if !counted(t, registry, "storefront") {
			t.Error("requests of storefronts are not counted")
		}
	})
}

// TestSecurity: security.txt names the operator's contact if there is one.
func TestSecurity(t *testing.T) {
	const path = "/.well-known/security.txt"
	store := storetest.Open(t)
	newServer(t, store).raw(t, http.MethodGet, path).want(http.StatusNotFound, "not_found")
	s := newServer(t, store, func(c *rest.Config) { c.SecurityContact = "mailto:security@shop.example" })
	a := s.raw(t, http.MethodGet, path).want(http.StatusOK, "")
	a.header(t, map[string]string{"Content-Type": "text/plain; charset=utf-8"})
	contact, more, _ := strings.Cut(string(a.Body), "\n")
	expires, _, _ := strings.Cut(strings.TrimPrefix(more, "Expires: "), "\n")
	until, err := time.Parse(time.RFC3339, expires)
	if contact != "Contact: mailto:security@shop.example" || err != nil || time.Until(until) < 80*24*time.Hour ||
		time.Until(until) > 365*24*time.Hour {
		t.Errorf("%s: %v", a.Body, err)
	}
}

// TestStrictTransport: a server with TLS sends HSTS; behind a proxy that is up to the proxy.
func TestStrictTransport(t *testing.T) {
	h, err := rest.New(config(t, storetest.Open(t)))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://api.test/docs": "max-age=31536000", "http://api.test/docs": "",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, http.NoBody))
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// counted reports whether requests of the route are counted.
func counted(t testing.TB, registry *prometheus.Registry, route string) bool {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if family.GetName() == "storefront_http_requests_total" &&
					label.GetName() == "route" && label.GetValue() == route {
					return true
				}
			}
		}
	}
	return false
}

// TestHostsCostTheAPINothing: a request to {api_host} reads nothing about stores.
func TestHostsCostTheAPINothing(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store))
	before := store.Statements()
	for range 3 {
		s.raw(t, http.MethodGet, "/docs").want(http.StatusOK, "")
		s.raw(t, http.MethodGet, base+"/me").want(http.StatusUnauthorized, "authentication_required")
	}
	if n := store.Statements() - before; n != 0 {
		t.Errorf("%d statements", n)
	}
}

// TestAssetsOnEveryHost: theme assets are the same on every host.
func TestAssetsOnEveryHost(t *testing.T) {
	g := newGallery(t, func(c *rest.Config) {
		c.HandleOf = func(host string) (string, bool) { return strings.CutSuffix(host, ".shops.test") }
		c.Links, c.IsAPI = c.Core.Links, isAPI
	})
	newShop(t, g.store, shopRow{Handle: "first"})
	address := g.hang(t, "a.png", noise(100))
	for _, host := range []string{"", "first.shops.test", "nobody.shops.test", "api.test"} {
		g.raw(t, http.MethodGet, address, "Host", host).want(http.StatusOK, "").header(t,
			map[string]string{"Content-Type": "image/png"})
	}
}

// TestStorefrontLogsNoQuery: the signature of a preview is in no log.
func TestStorefrontLogsNoQuery(t *testing.T) {
	store := storetest.Open(t)
	log := &lines{}
	s := newServer(t, store, underTest(t, store), func(c *rest.Config) {
		c.Logger = slog.New(slog.NewTextHandler(log, nil))
	})
	newShop(t, store, shopRow{Handle: "first"})
	s.raw(t, http.MethodGet, "/?preview=thm_x&signature=verysecret", "Host",
		"first.shops.test:8080").want(http.StatusForbidden, "")
	if text := log.String(); !strings.Contains(text, "route=storefront") || strings.Contains(text, "verysecret") {
		t.Errorf("the log: %s", text)
	}
}

// TestDomains: a shop also answers at its own domain. Its other hosts redirect to the one at which
// visitors arrive, with path and query, except for visitors with a cart, forms, images and previews.
func TestDomains(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		const builtIn, own, old = "first.shops.test:8080", "www.example.com:8080", "old.example.com:8080"
		const primary = "https://www.example.com"
		s := newServer(t, store, underTest(t, store), func(c *rest.Config) {
			c.DomainOf = func(_ context.Context, host string) (string, bool, error) {
				switch host {
				case own, old:
					return "first", true, nil
				case "second.example.com":
					return "second", true, nil
				case "down.example.com":
					return "", false, fault.New(fault.Unavailable, "down")
				}
				return "", false, nil
			}
		})
		s.free.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		newShop(t, store, shopRow{Handle: "second"})
		newShop(t, store, shopRow{Handle: "first"}).tx(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetDomain("www.example.com").Exec(ctx)
		})
		moved := func(want, method, path string, header ...string) {
			t.Helper()
			a := s.raw(t, method, path, header...)
			got, redirected := a.Header.Get("Location"), a.Status == http.StatusMovedPermanently
			if got != want || (want != "") != redirected {
				t.Errorf("%s %s %q: %d, to %q, want %q", method, path, header, a.Status, got, want)
			}
		}
		moved("", http.MethodGet, "/robots.txt", "Host", "second.shops.test:8080")
		moved(strings.Replace(primary, "www.example.com", "second.localhost", 1)+"/products?page=2", http.MethodGet,
			"/products?page=2", "Host", "second.example.com") // not the primary one
		for _, host := range []string{builtIn, old} {
			moved(primary+"/products/tea?variant=1", http.MethodGet, "/products/tea?variant=1", "Host", host)
			moved(primary+"/orders/x", http.MethodHead, "/orders/x", "Host", host)
			moved("", http.MethodGet, "/_storefront/colors.css", "Host", host)
			moved("", http.MethodPost, "/cart/add", "Host", host)
			moved("", http.MethodGet, "/cart", "Host", host, "Cookie", "cart=x")
			moved("", http.MethodGet, "/?preview=thm_x&signature=x", "Host", host)
		}
		a := s.raw(t, http.MethodGet, "/robots.txt", "Host", own).want(http.StatusOK, "")
		if !strings.Contains(string(a.Body), "Sitemap: "+primary+"/sitemap.xml") {
			t.Errorf("robots.txt: %s", a.Body)
		}
		s.raw(t, http.MethodGet, "/", "Host", "down.example.com").want(http.StatusServiceUnavailable, "")
		s.raw(t, http.MethodGet, "/", "Host", "none.example.com").want(http.StatusNotFound, "")
	})
}
