package ratelimit

import "net/netip"

// Network is what counts as one client where clients are known by their address: an IPv4 address, or
// the 64 bits of an IPv6 one that a provider gives out, behind which the rest is free to choose.
// It is the only judge of that: counted is false for addresses of this machine and of private
// networks, and for none. Behind such a peer may be a proxy that nobody named, and behind that all
// visitors, who must not share what one network may do.
func Network(a netip.Addr) (p netip.Prefix, counted bool) {
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	if !a.IsValid() || a.IsLoopback() || a.IsPrivate() {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a.WithZone(""), bits).Masked(), true
}

// TakeNetwork takes n from what the network of a client may do. Where that is not counted, it allows
// everything.
func TakeNetwork(l *Limiter[netip.Prefix], client netip.Addr, n int) Decision {
	network, counted := Network(client)
	if !counted {
		return Decision{OK: true}
	}
	return l.TakeN(network, n)
}
