package app

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Addresses are the addresses of the service as clients see them.
type Addresses struct {
	// API is {api_host}: scheme and host without a slash at the end.
	API string
	// Admin is the admin port's address, with its scheme.
	Admin string
	// StoreDomain follows the handle in a store_host, port included.
	StoreDomain string
	// Unnamed says that no setting names the API; then every IP address is its host.
	Unnamed bool
}

// StoreHost returns the store_host of a store by its handle.
func (a Addresses) StoreHost(handle string) string { return handle + "." + a.StoreDomain }

// HandleOf returns the handle in a store_host, ignoring case.
func (a Addresses) HandleOf(host string) (handle string, ok bool) {
	handle, domain, ok := strings.Cut(strings.ToLower(host), ".")
	return handle, ok && handle != "" && domain == a.StoreDomain
}

// IsAPI reports whether a host is the API's, whatever its port, since proxies map ports: the host
// of {api_host}, or one that only browsers and proxies on this machine use.
func (a Addresses) IsAPI(host string) bool {
	_, own, _ := strings.Cut(a.API, "://")
	if host == own {
		return true
	}
	name := hostname(host)
	if name == "localhost" || name == hostname(own) {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (a.Unnamed || addr.Unmap().IsLoopback())
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// loopback reports whether a HOST:PORT is reachable from this machine only. Names other than
// localhost are not resolved, because the result may change.
func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// addresses derives the public names from the settings and the listeners.
func (n Naming) addresses(listened, admin string, tls bool) Addresses {
	api := cmp.Or(strings.TrimRight(n.PublicURL, "/"), origin(listened, tls))
	a := Addresses{API: api, StoreDomain: cmp.Or(n.StoreDomain, domainOf(api)), Unnamed: n.PublicURL == ""}
	if admin != "" {
		a.Admin = origin(admin, false)
	}
	return a
}

// usualAddr stands for the public address where nothing listens.
const usualAddr = "127.0.0.1:8080"

// Addresses returns the public names that the settings alone determine.
func (n Naming) Addresses() Addresses { return n.addresses(usualAddr, "", false) }

// origin returns scheme and host. A listener on every interface is localhost.
func origin(hostport string, tls bool) string {
	scheme, implied := "http", "80"
	if tls {
		scheme, implied = "https", "443"
	}
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return scheme + "://" + hostport
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "localhost"
	}
	if port == implied {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return scheme + "://" + host
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// domainOf returns the parent domain of the stores' names for an API address. An IP address has no
// subdomains, so it becomes localhost: browsers resolve every name under it to this machine.
func domainOf(api string) string {
	u, err := url.Parse(api)
	if err != nil {
		return "localhost"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		return u.Host
	}
	if u.Port() == "" {
		return "localhost"
	}
	return "localhost:" + u.Port()
}
