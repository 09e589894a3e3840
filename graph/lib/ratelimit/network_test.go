package ratelimit_test

import (
	"net/netip"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got, counted := ratelimit.Network(netip.MustParseAddr(address)); got.String() != want || !counted {
			t.Errorf("%s: got %s, counted %t, want %s", address, got, counted, want)
		}
	}
	for _, address := range []string{"127.0.0.1", "::1", "10.0.0.1", "::ffff:192.168.1.1", "fd00::7", ""} {
		a, _ := netip.ParseAddr(address)
		if got, counted := ratelimit.Network(a); counted || got != (netip.Prefix{}) {
			t.Errorf("%q: %s is counted", address, got)
		}
	}
}
