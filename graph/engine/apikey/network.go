package apikey

import (
	"fmt"
	"net/netip"
)

// ParseNetwork parses a network such as 192.0.2.0/24 or 2001:db8::/32, or a single address. It
// refuses a network with bits after its prefix, which would allow more than the text shows.
func ParseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		if addr.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("the address %s names an interface", text)
		}
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a network", text)
	case p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("the network %s is an IPv4 network: write it as one", text)
	case p != p.Masked():
		return netip.Prefix{}, fmt.Errorf("the network of %s is %s", text, p.Masked())
	}
	return p, nil
}

// ParseNetworks parses several networks. For none it returns a list that is not nil and contains no
// address.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = ParseNetwork(text); err != nil {
			return nil, err
		}
	}
	return list, nil
}
