package account_test

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/account"
)

// proxied trusts the headers of a proxy on this machine.
func proxied(_ *account.Config, c *rest.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// Concurrent guesses cannot exceed the limit of their address, and the right password waits like
// wrong ones.
func TestBruteForce(t *testing.T) {
	for _, tc := range []struct {
		name  string
		from  func(i int) string
		email func(i int) string
		let   int
	}{
		{name: "one account, one address", from: func(int) string { return "192.0.2.1" },
			email: func(int) string { return "ada@example.com" }, let: 10},
		{name: "one account, written in many ways", from: func(int) string { return "192.0.2.1" },
			email: func(i int) string { return strings.Repeat(" ", i) + "Ada@example.com" }, let: 10},
		{name: "an unknown account", from: func(int) string { return "192.0.2.1" },
			email: func(int) string { return "bob@example.com" }, let: 10},
		{name: "many accounts, one address", from: func(int) string { return "192.0.2.1" },
			email: func(i int) string { return fmt.Sprintf("p%d@example.com", i) }, let: 30},
		{name: "many accounts, one IPv6 network",
			from:  func(i int) string { return fmt.Sprintf("2001:db8:0:1::%x", i) },
			email: func(i int) string { return fmt.Sprintf("p%d@example.com", i) }, let: 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hashed() // outside of the bubble, because other tests use it
			// With fake time, nothing refills while the hashes are computed.
			synctest.Test(t, func(t *testing.T) {
				w := build(t, storetest.Open(t), "https://shop.example", proxied)
				w.shop("ada@example.com")
				// As many at once as fit into the queue of the hashes.
				counts, last := map[int]int{}, (*reply)(nil)
				for round := range 10 {
					some, one := w.guess(5, func(i int) string { return tc.email(5*round + i) },
						func(i int) string { return tc.from(5*round + i) })
					counts[403], counts[429], last = counts[403]+some[403], counts[429]+some[429], cmp.Or(one, last)
				}
				if counts[403] != tc.let || counts[429] != 50-tc.let {
					t.Fatalf("%v, want %d let through", counts, tc.let)
				}
				if after := last.header.Get("Retry-After"); after == "" ||
					!strings.Contains(last.body, "Too many attempts. Try again in ") {
					t.Errorf("Retry-After %q\n%s", after, last.body)
				}
				if a := w.post("/sign-in", credentials(tc.email(0), secret),
					"X-Forwarded-For", tc.from(0)); a.status != 429 {
					t.Errorf("the right password: %d", a.status)
				}
			})
		})
	}
}

// guess sends wrong passwords at once and counts the statuses; last is a throttled answer.
func (w *site) guess(n int, email, from func(int) string) (counts map[int]int, last *reply) {
	counts = map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			a := w.post("/sign-in", credentials(email(i), "wrong"), "X-Forwarded-For", from(i))
			mu.Lock()
			defer mu.Unlock()
			if counts[a.status]++; a.status == 429 {
				last = a
			}
		})
	}
	wg.Wait()
	return counts, last
}

// A stranger can block neither the owner at another address nor the owner's known browser: not with
// 50 guesses from the same address, and the browser not even from very many networks.
func TestStrangersStopNobody(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "https://shop.example", proxied)
		w.shop("ada@example.com")
		ada := func(int) string { return "ada@example.com" }
		at := func(from string) func(int) string { return func(int) string { return from } }
		try := func(from string, headers ...string) int {
			return w.post("/sign-in", credentials("ada@example.com", secret),
				append([]string{"X-Forwarded-For", from}, headers...)...).status
		}
		c := w.post("/sign-in", credentials("ada@example.com", secret)).device(t)
		known := c.Name + "=" + c.Value
		let := 0
		for range 10 { // 50 guesses, in batches that fit the queue
			counts, _ := w.guess(5, ada, at("192.0.2.1"))
			let += counts[403]
		}
		if let < 10 || let > 11 { // one refills in half a minute
			t.Errorf("%d guesses of one network were answered, want 10", let)
		}
		for name, got := range map[string][2]int{
			"at their address":                     {try("192.0.2.1"), 429},
			"at their address, in a known browser": {try("192.0.2.1", "Cookie", known), 303},
			"at another address":                   {try("192.0.2.2"), 303},
			"a cookie that was cut":                {try("192.0.2.1", "Cookie", known[:len(known)-1]), 429},
			"two of the cookies":                   {try("192.0.2.1", "Cookie", known, "Cookie", known), 429},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: %d, want %d", name, got[0], got[1])
			}
		}
		reported, began := 0, time.Now()
		for round := range 50 { // 300 networks, in batches that fit the queue
			counts, _ := w.guess(6, ada, func(i int) string { return fmt.Sprintf("198.51.%d.%d", round, i) })
			reported += counts[403]
		}
		if most := 100 - 10 + int(time.Since(began)/time.Minute) + 2; reported > most {
			t.Errorf("%d guesses of 300 networks were answered, want at most %d", reported, most)
		}
		if a, b := try("203.0.113.9"), try("203.0.113.9", "Cookie", known); a != 429 || b != 303 {
			t.Errorf("behind the loose bound: %d, in a known browser %d", a, b)
		}
	})
}

// Over real connections, and with the API's rates off, the limit is the same, allowing for refills.
func TestBruteForceByHTTP(t *testing.T) {
	began := time.Now()
	w := serve(t, storetest.Open(t), "https://shop.example", proxied)
	w.shop("ada@example.com")
	one := func(text string) func(int) string { return func(int) string { return text } }
	counts, _ := w.guess(50, one("ada@example.com"), one("192.0.2.1"))
	if most := 10 + 1 + int(time.Since(began)/(30*time.Second)); counts[403] > most ||
		counts[429] < 50-most-counts[503] || counts[303] != 0 {
		t.Errorf("%v, want at most %d let through", counts, most)
	}
}

// Successful sign-ins do not count. After the limit one attempt refills every half minute.
func TestThrottleRecovers(t *testing.T) {
	hashed() // outside of the bubble, because other tests use it
	synctest.Test(t, func(t *testing.T) {
		w := build(t, storetest.Open(t), "https://shop.example", proxied)
		w.shop("ada@example.com")
		for range 12 {
			w.signIn("ada@example.com", "X-Forwarded-For", "192.0.2.1")
		}
		for range 10 {
			w.post("/sign-in", credentials("ada@example.com", "wrong"), "X-Forwarded-For", "192.0.2.1")
		}
		a := w.post("/sign-in", credentials("ada@example.com", secret), "X-Forwarded-For", "192.0.2.1")
		if a.status != 429 || a.header.Get("Retry-After") != "30" ||
			!strings.Contains(a.body, "in 30 seconds") {
			t.Errorf("%d %v", a.status, a.header)
		}
		time.Sleep(30 * time.Second)
		for range 3 { // each success gives its attempt back
			w.signIn("ada@example.com", "X-Forwarded-For", "192.0.2.1")
		}
	})
}

// One network can ask for few password links; more are refused.
func TestForgotIsBounded(t *testing.T) {
	w := build(t, storetest.Open(t), "https://shop.example", proxied)
	w.mails()
	last := (*reply)(nil)
	for i := range 21 {
		ask := url.Values{"email": {fmt.Sprintf("p%d@example.com", i)}}
		last = w.post("/forgot", ask, "X-Forwarded-For", "192.0.2.7")
		if i < 20 && last.status != 200 {
			t.Fatalf("%d: %d %s", i, last.status, last.body)
		}
	}
	if last.status != 429 || last.header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v", last.status, last.header)
	}
}
