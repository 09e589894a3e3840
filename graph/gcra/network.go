package gcra

import "net/netip"

// Network is what counts as one client where clients are known by their address:
// an IPv4 address, or the 64 bits of an IPv6 one that a provider gives out, behind
// which the rest is free to choose. An invalid address gives the zero prefix.
func Network(a netip.Addr) netip.Prefix {
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil { // no address has no bits
		return netip.Prefix{}
	}
	return p
}

// Local reports whether an address is of this machine or of a private network. Behind such an address
// may be a proxy that nobody named, and behind that all visitors: it is not counted as a network.
func Local(a netip.Addr) bool { return a.Unmap().IsLoopback() || a.Unmap().IsPrivate() }
