package rest_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

// slow is a rate that does not refill during a test.
func slow(burst int) func(*rest.Config) {
	return func(c *rest.Config) { c.RatePerSecond, c.RateBurst = 0.01, burst }
}

func TestRateLimit(t *testing.T) {
	s, m := sqlite(t, slow(3))
	lineage := xid.New()
	old := m.key(keyRow{Scopes: scope.Full(), Lineage: lineage, Slot: 1})
	rotated := m.key(keyRow{Scopes: scope.Full(), Lineage: lineage, Slot: 2})
	for i, r := range []request{
		{As: old, Path: "/products"}, {As: rotated, Path: "/products/x"}, {As: old, Path: "/products?limit=0"},
	} {
		a := s.do(t, r)
		want := []string{`"default";r=2;t=100`, `"default";r=1;t=200`, `"default";r=0;t=300`}[i]
		if got := a.Header.Get("RateLimit"); got != want || a.Header.Get("RateLimit-Policy") != `"default";q=3;w=300` {
			t.Errorf("request %d (%d): RateLimit %q, want %q, policy %q", i, a.Status, got,
				want, a.Header.Get("RateLimit-Policy"))
		}
	}
	for _, as := range []string{old, rotated} { // rotating does not refill
		a := s.do(t, request{As: as, Path: "/products"}).want(http.StatusTooManyRequests, "rate_limited")
		for name, want := range map[string]string{
			"Retry-After": "100", "RateLimit": `"default";r=0;t=100`, "RateLimit-Policy": `"default";q=3;w=300`,
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	s.do(t, request{As: m.all, Path: "/products"}).want(http.StatusOK, "") // another lineage
	s.do(t, request{As: old, Path: "/docs"}).want(http.StatusOK, "")
}

// TestRateOfApps: an app's requests for one merchant never slow it for another.
func TestRateOfApps(t *testing.T) {
	s, m := sqlite(t, slow(2))
	app := m.install(scope.Full(), scope.Full(), scope.Full(), scope.Full())
	other := newShop(t, s.store, shopRow{})
	other.consent(app, scope.Full(), scope.Full())
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		code := map[int]string{http.StatusTooManyRequests: "rate_limited"}[want]
		s.do(t, request{As: app.tokens[i%2], Path: "/products"}).want(want, code)
	}
	s.do(t, request{As: app.tokens[2], Path: "/products"}).want(http.StatusOK, "")
}

// TestRateOfStores: all credentials of a store share a limit; requests that it refuses do not count
// for the credential.
func TestRateOfStores(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.RatePerSecond, c.RateBurst, c.StoreRate = 0.01, 3, 1.5 })
	one, two := m.key(keyRow{Scopes: scope.Full()}), m.key(keyRow{Scopes: scope.Full()})
	for _, as := range []string{one, one, two} { // twice the rate at once
		s.do(t, request{As: as, Path: "/products"}).want(http.StatusOK, "")
	}
	a := s.do(t, request{As: two, Path: "/products"}).want(http.StatusTooManyRequests, "rate_limited")
	if a.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	other := newShop(t, s.store, shopRow{})
	s.do(t, request{As: other.all, Path: "/products"}).want(http.StatusOK, "")
}

// TestRateOfServers: one of six servers refills allowances of credentials and stores at a sixth of
// the rate.
func TestRateOfServers(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) {
		c.RatePerSecond, c.RateBurst, c.StoreRate = 2, 5, 1.5
		c.Servers = func() int64 { return 6 }
	})
	a := s.do(t, request{As: m.key(keyRow{Scopes: scope.Full()}), Path: "/products"}).want(http.StatusOK, "")
	if got := a.Header.Get("RateLimit"); got != `"default";r=4;t=3` {
		t.Errorf("RateLimit %s, want six times half a second", got)
	}
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		a = s.do(t, request{As: m.all, Path: "/products"})
		a.want(want, map[int]string{http.StatusTooManyRequests: "rate_limited"}[want])
	}
	if got := a.Header.Get("Retry-After"); got != "4" {
		t.Errorf("Retry-After %q, want six times two thirds of a second", got)
	}
}

// TestRateOfVisitors: one address is limited across storefronts; searches cost more, and requests
// behind unnamed proxies are not counted.
func TestRateOfVisitors(t *testing.T) {
	store := storetest.Open(t)
	c := config(t, store)
	underTest(t, store)(&c)
	c.RatePerSecond, c.RateBurst, c.VisitorRate = 100, 100, 0.7 // seven pages at once
	h, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	newShop(t, store, shopRow{Handle: "first"})
	ask := func(peer, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Host, r.RemoteAddr = "first.shops.test:8080", peer
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	paths := append([]string{"/search?q=x", "/"}, slices.Repeat([]string{"/pictures/x/mug"}, 20)...)
	for i, path := range paths {
		if w := ask("203.0.113.1:1", path); w.Code == http.StatusTooManyRequests {
			t.Errorf("request %d: %d", i, w.Code)
		}
	}
	w := ask("203.0.113.1:2", "/")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" ||
		!strings.Contains(w.Body.String(), "One moment") {
		t.Errorf("the eighth: %d %v\n%s", w.Code, w.Header(), w.Body)
	}
	for _, path := range []string{"/cart", "/checkout", "/orders/AaIPCObUdcui77OwEUUg2NKNyHRr56tdNvEMaFxOSPs-2GkU"} {
		if w := ask("203.0.113.1:3", path); w.Code != http.StatusTooManyRequests {
			t.Errorf("%s is counted by itself: %d", path, w.Code)
		}
	}
	if w := ask("203.0.113.2:1", "/"); w.Code == http.StatusTooManyRequests {
		t.Error("another client is refused")
	}
	for range 20 {
		for _, peer := range []string{"127.0.0.1:1", "10.0.0.1:1"} {
			if w := ask(peer, "/"); w.Code == http.StatusTooManyRequests {
				t.Fatalf("%s is refused", peer)
			}
		}
	}
}

// TestCodesAreNotFoundByTrying: invalid discount codes are limited by cart and network. Visitors
// behind an unnamed proxy share a larger limit, separately for each store.
func TestCodesAreNotFoundByTrying(t *testing.T) {
	store := storetest.Open(t)
	c := config(t, store)
	underTest(t, store)(&c)
	h, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	newShop(t, store, shopRow{Handle: "first"})
	newShop(t, store, shopRow{Handle: "second"})
	tries := func(peer, shop, cart string, want int) {
		t.Helper()
		for n := 0; ; n++ {
			r := httptest.NewRequest(http.MethodPost, "/cart", strings.NewReader("code=NOPE"))
			r.Host, r.RemoteAddr = shop+".shops.test:8080", peer
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if cart != "" {
				r.AddCookie(&http.Cookie{Name: "__Host-cart", Value: cart})
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code == http.StatusUnprocessableEntity && n < want {
				continue
			}
			if w.Code != http.StatusTooManyRequests || n != want || w.Header().Get("Retry-After") == "" {
				t.Errorf("%s at %s, try %d of %d: %d %v", peer, shop, n, want, w.Code, w.Header())
			}
			return
		}
	}
	tries("203.0.113.1:1", "first", "", 20)
	tries("203.0.113.1:1", "second", "", 20)
	tries("203.0.113.2:1", "first", digest.NewToken(), 10)
	tries("203.0.113.2:1", "first", "", 10) // what the cart's limit refuses does not count for its network
	tries("10.0.0.1:1", "first", digest.NewToken(), 10)
	tries("127.0.0.1:1", "first", "", 190)
	tries("10.0.0.1:1", "second", "", 200)
}

func TestRateZeroIsOff(t *testing.T) {
	s, m := sqlite(t)
	for range 300 {
		a := s.do(t, request{As: m.all, Path: "/products?limit=1"}).want(http.StatusOK, "")
		if a.Header.Get("RateLimit") != "" || a.Header.Get("RateLimit-Policy") != "" {
			t.Fatalf("headers of a limit that is off: %v", a.Header)
		}
	}
	for range 300 {
		s.do(t, request{As: "sfk_x", Path: "/products"}).want(http.StatusUnauthorized, "invalid_token")
	}
}

// TestRateOfReplays: replays count like other requests.
func TestRateOfReplays(t *testing.T) {
	s, m := sqlite(t, slow(2))
	for range 2 {
		s.post(t, m.all, "k", "/products", draft("x")).want(http.StatusCreated, "")
	}
	s.post(t, m.all, "k", "/products", draft("x")).want(http.StatusTooManyRequests, "rate_limited")
}

// TestFailedAuthentication limits how fast a network may try credentials. Clients behind an unnamed
// proxy do not block each other.
func TestFailedAuthentication(t *testing.T) {
	s, m := sqlite(t, slow(3), func(c *rest.Config) {
		c.TrustedProxies = []netip.Prefix{
			netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	try := request{As: "sfk_x", Path: "/products", Header: map[string]string{"X-Forwarded-For": "10.0.0.1"}}
	for range 6 {
		s.do(t, try).want(http.StatusUnauthorized, "invalid_token")
	}
	try.Header = map[string]string{"X-Forwarded-For": "192.0.2.1"}
	for range 3 {
		s.do(t, try).want(http.StatusUnauthorized, "invalid_token")
	}
	a := s.do(t, try).want(http.StatusTooManyRequests, "rate_limited")
	if a.Header.Get("Retry-After") != "100" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	s.do(t, request{Path: "/products"}).want(http.StatusUnauthorized, "authentication_required")
	s.do(t, request{As: m.all, Path: "/products"}).want(http.StatusOK, "")
}

// TestForwardedFor: only trusted proxies may name the client. Failures count per client, which
// shows who was taken as the client.
func TestForwardedFor(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
		netip.MustParsePrefix("198.51.100.0/24")}
	for _, tc := range []struct {
		name    string
		trusted []netip.Prefix
		peer    string
		first   []string // X-Forwarded-For of the first failure
		second  []string
		same    bool // whether both are the same client
	}{
		{name: "no proxy is trusted", peer: "198.51.100.1:1", first: []string{"192.0.2.1"},
			second: []string{"192.0.2.2"}, same: true},
		{name: "a private peer that is not named is not counted", peer: "10.0.0.1:1"},
		{name: "a stranger", trusted: proxies, peer: "203.0.113.1:1", first: []string{"192.0.2.1"},
			second: []string{"192.0.2.2"}, same: true},
		{name: "a proxy", trusted: proxies, peer: "10.0.0.1:1", first: []string{"192.0.2.1"},
			second: []string{"192.0.2.2"}},
		{name: "a proxy, same client", trusted: proxies, peer: "10.0.0.1:1", first: []string{"192.0.2.1"},
			second: []string{"192.0.2.1"}, same: true},
		{name: "a proxy over IPv6", trusted: proxies, peer: "[fd00::1]:1", first: []string{"2001:db8::1"},
			second: []string{"2001:db8:0:1::1"}},
		{name: "one IPv6 network", trusted: proxies, peer: "[fd00::1]:1", first: []string{"2001:db8::1"},
			second: []string{"2001:db8::2"}, same: true},
		{name: "a mapped proxy", trusted: proxies, peer: "[::ffff:10.0.0.1]:1", first: []string{"192.0.2.1"},
			second: []string{"192.0.2.2"}},
		{name: "what the client wrote itself", trusted: proxies, peer: "10.0.0.1:1",
			first: []string{"1.1.1.1, 192.0.2.1"}, second: []string{"2.2.2.2, 192.0.2.1"}, same: true},
		{name: "behind two proxies", trusted: proxies, peer: "10.0.0.1:1", first: []string{"192.0.2.1, 10.0.0.2"},
			second: []string{"192.0.2.2, 10.0.0.2"}},
		{name: "two headers", trusted: proxies, peer: "10.0.0.1:1", first: []string{"1.1.1.1", "192.0.2.1"},
			second: []string{"2.2.2.2", "192.0.2.1"}, same: true},
		{name: "with a port", trusted: proxies, peer: "10.0.0.1:1", first: []string{"192.0.2.1:4711"},
			second: []string{"192.0.2.2:4711"}},
		{name: "with another port", trusted: proxies, peer: "10.0.0.1:1", first: []string{"192.0.2.1:4711"},
			second: []string{"192.0.2.1:4712, 10.0.0.2:80"}, same: true},
		{name: "in brackets", trusted: proxies, peer: "10.0.0.1:1", first: []string{"[2001:db8::1]:1"},
			second: []string{"[2001:db8:0:1::1]"}},
		{name: "rubbish", trusted: proxies, peer: "198.51.100.1:1", first: []string{"unknown"},
			second: []string{"x, y"}, same: true},
		{name: "mapped client", trusted: proxies, peer: "10.0.0.1:1", first: []string{"::ffff:192.0.2.1"},
			second: []string{"192.0.2.1"}, same: true},
		{name: "none", trusted: proxies, peer: "198.51.100.1:1", same: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := config(t, storetest.Open(t))
			c.TrustedProxies, c.RatePerSecond, c.RateBurst = tc.trusted, 0.01, 1
			h, err := rest.New(c)
			if err != nil {
				t.Fatal(err)
			}
			status := func(forwarded []string) int {
				r := httptest.NewRequest("GET", base+"/me", nil)
				r.RemoteAddr = tc.peer
				r.Header["X-Forwarded-For"], r.Header["Authorization"] = forwarded, []string{"Bearer x"}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w.Code
			}
			if got := status(tc.first); got != http.StatusUnauthorized {
				t.Fatalf("first: %d", got)
			}
			want := http.StatusUnauthorized
			if tc.same {
				want = http.StatusTooManyRequests
			}
			if got := status(tc.second); got != want {
				t.Errorf("second: got %d, want %d", got, want)
			}
		})
	}
}
