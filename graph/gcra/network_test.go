package gcra_test

import (
	"net/netip"
	"testing"

	"github.com/storefront-go/storefront/graph/gcra"
)

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := gcra.Network(netip.MustParseAddr(address)).String(); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
	if got := gcra.Network(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %s", got)
	}
}
