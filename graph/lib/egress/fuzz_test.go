package egress_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// An accepted URL has one reading: a full name, or a global unicast address in its canonical
// spelling, over https.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example/h?q=1", "https://8.8.8.8:443/", "https://[2606:4700::1111]/", "http://localhost:1",
		"https://127.1", "https://0x7f.1", "https://a@b@c", "https://a\\b", "https://[::ffff:1.1.1.1]",
		"https://xn--bcher-kva.example", "https://a.b.", "https://1.2.3.4.", "https://a.b:0", "https://a.b#",
		"https:///a.b", "https://%61.b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, text := egress.Policy{}.CheckURL(raw)
		if (u == nil) == (text == "") {
			t.Fatalf("CheckURL(%q) = %v, %q, want one of them", raw, u, text)
		}
		if u == nil {
			return
		}
		again, err := url.Parse(raw)
		if err != nil || len(raw) > limit.URL {
			t.Fatalf("accepted %q: %v", raw, err)
		}
		if again.Scheme != "https" || again.User != nil || again.Fragment != "" || strings.Contains(raw, "#") {
			t.Fatalf("accepted %q", raw)
		}
		host := again.Hostname()
		if !strings.EqualFold(host, u.Hostname()) || again.Port() != u.Port() || again.RequestURI() != u.RequestURI() {
			t.Fatalf("%q became %v", raw, u)
		}
		if a, err := netip.ParseAddr(host); err == nil {
			if a.String() != strings.ToLower(host) || !a.IsGlobalUnicast() || a.IsPrivate() || a.Is4In6() {
				t.Fatalf("accepted the address %q", host)
			}
			return
		}
		labels := strings.Split(host, ".")
		last := labels[len(labels)-1]
		if len(labels) < 2 || last == "" || last[0] >= '0' && last[0] <= '9' ||
			strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			t.Fatalf("accepted the name %q", host)
		}
	})
}
