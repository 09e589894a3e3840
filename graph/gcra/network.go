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
