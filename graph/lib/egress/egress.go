// Package egress decides which addresses webhooks may be sent to and images fetched from. It checks
// the form of a URL when that is registered or fetched, and the resolved address at every dial
// (contract, section 8).
//
// A URL is checked without a lookup, so a name may pass that later resolves to an internal address.
// Each dial then refuses it, since the receiver can change what the name resolves to at any time.
package egress

import (
	"net"
	"net/netip"

	"code.dny.dev/ssrf"
)

// Policy says what is allowed besides https to the public internet. Its zero value allows nothing
// more. It must not change once it is in use.
type Policy struct {
	// AllowLoopback allows receivers at 127.0.0.0/8, [::1] and localhost, over http too. It is for
	// development.
	AllowLoopback bool
	// AllowTo are private networks that are allowed, over https only, also by names under
	// .internal, .local and .home.arpa.
	AllowTo []netip.Prefix
	// Resolver resolves names. Nil is the system's resolver.
	Resolver *net.Resolver
}

// RefusedError is a dial that the policy does not allow. Its text does not have the address,
// because what a name resolves to inside a network is confidential.
type RefusedError struct {
	Rule string // the kind of address, such as "loopback (127.0.0.0/8)"
}

// Error returns a text with the rule.
func (e *RefusedError) Error() string { return "address refused: " + e.Rule }

type network struct {
	prefix netip.Prefix
	name   string
}

// named are the ranges that a refusal can name, narrower ones first. They only describe what the
// guardian refuses.
var named = []network{
	{netip.MustParsePrefix("169.254.169.254/32"), "cloud metadata"},
	{netip.MustParsePrefix("100.100.100.200/32"), "cloud metadata"},
	{netip.MustParsePrefix("192.0.0.192/32"), "cloud metadata"},
	{platform, "cloud metadata"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "cloud metadata"},
	{netip.MustParsePrefix("0.0.0.0/8"), "unspecified"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast"},
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "IPv4-mapped"},
	{netip.MustParsePrefix("::/96"), "IPv4-compatible"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64"},
	{netip.MustParsePrefix("2001::/32"), "Teredo"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

// platform is a public address at which one cloud serves its own machines. No registry of special
// addresses lists it.
var platform = netip.MustParsePrefix("168.63.129.16/32")

var (
	loopback4 = netip.MustParsePrefix("127.0.0.0/8")
	loopback6 = netip.MustParsePrefix("::1/128")
)

// guardian builds the checker of addresses for https.
func (p Policy) guardian() *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, n := range p.AllowTo {
		if n.Addr().Is4() {
			v4 = append(v4, n)
		} else {
			v6 = append(v6, n)
		}
	}
	if p.AllowLoopback {
		v4, v6 = append(v4, loopback4), append(v6, loopback6)
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(platform),
		ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}

// check returns why an address is not allowed, or "". An IPv4-mapped address is never allowed: an
// allowed network is reached by its IPv4 addresses.
func check(g *ssrf.Guardian, a netip.Addr) string {
	if a.Zone() != "" || a.Is4In6() || g.SafeAddr(a) != nil {
		return describe(a)
	}
	return ""
}

func describe(a netip.Addr) string {
	a = a.WithZone("")
	for _, n := range named {
		if n.prefix.Contains(a) {
			return n.name + " (" + n.prefix.String() + ")"
		}
	}
	return "reserved, not global unicast"
}
