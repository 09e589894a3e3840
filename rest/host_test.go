package rest_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/keyring"
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
		c.Links = links
		c.HandleOf = func(host string) (string, bool) {
			return strings.CutSuffix(strings.ToLower(host), ".shops.test:8080")
		}
	}
}

// TestHosts: the host of an open store gets its storefront, whatever the path; any
// other host gets the API.
func TestHosts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		registry := prometheus.NewRegistry()
		s := newServer(t, store, underTest(t, store), func(c *rest.Config) { c.Metrics = registry })
		newShop(t, store, shopRow{Handle: "first"})
		newShop(t, store, shopRow{Handle: "second"})
		newShop(t, store, shopRow{Handle: "closed", Status: state.StoreClosed})
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
		for _, host := range []string{"", "api.test", "closed.shops.test:8080", "nobody.shops.test:8080",
			"first.shops.test", "first.shops.test:9090", "x.first.shops.test:8080"} {
			s.raw(t, http.MethodGet, base+"/me", "Host", host).want(http.StatusUnauthorized, "authentication_required")
			s.raw(t, http.MethodGet, "/robots.txt", "Host", host).want(http.StatusNotFound, "not_found")
		}
		if !counted(t, registry, "storefront") {
			t.Error("requests of storefronts are not counted")
		}
	})
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

// TestHostsCostTheAPINothing: a request to {api_host} asks nothing about stores.
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

// TestAssetsOnEveryHost: theirs is the same answer everywhere.
func TestAssetsOnEveryHost(t *testing.T) {
	g := newGallery(t, func(c *rest.Config) {
		c.HandleOf = func(host string) (string, bool) { return strings.CutSuffix(host, ".shops.test") }
		c.Links = c.Core.Links
	})
	newShop(t, g.store, shopRow{Handle: "first"})
	address := g.hang(t, "a.png", noise(100))
	for _, host := range []string{"", "first.shops.test", "nobody.shops.test", "api.test"} {
		g.raw(t, http.MethodGet, address, "Host", host).want(http.StatusOK, "").header(t,
			map[string]string{"Content-Type": "image/png"})
	}
}

// TestStorefrontLogsNoQuery: what a preview is signed with is in no log.
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
