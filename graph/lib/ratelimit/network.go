package ratelimit

import "net/netip"

// Network returns what counts as one client where clients are identified by address: an IPv4
// address, or the 64-bit prefix of an IPv6 address, since a provider assigns that and the client
// chooses the rest. All code uses this function for that. counted is false for no address, and for
// addresses of this machine and private networks: such a peer may be an unconfigured proxy with all
// visitors behind it, who must not share one network's limit.
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

// TakeNetwork takes n from the limit of a client's network. It allows everything if the network is
// not counted.
func TakeNetwork(l *Limiter[netip.Prefix], client netip.Addr, n int) Decision {
	network, counted := Network(client)
	if !counted {
		return Decision{OK: true}
	}
	return l.TakeN(network, n)
}
