package app

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Addresses are where the service is, as clients see it.
type Addresses struct {
	// API is {api_host}: scheme and host without a slash at the end.
	API string
	// Admin is the admin port's address, with its scheme.
	Admin string
	// StoreDomain is what follows the handle in a store_host, port included.
	StoreDomain string
	// Unnamed says that no setting names the API: then every IP address is its host.
	Unnamed bool
}

// StoreHost returns the store_host of a store by its handle.
func (a Addresses) StoreHost(handle string) string { return handle + "." + a.StoreDomain }

// HandleOf returns the handle in a store_host, in whichever case it is written.
func (a Addresses) HandleOf(host string) (handle string, ok bool) {
	handle, domain, ok := strings.Cut(strings.ToLower(host), ".")
	return handle, ok && handle != "" && domain == a.StoreDomain
}

// IsAPI reports whether a host is the API's, whatever its port, since proxies map
// ports: that of {api_host}, or one by which only this machine's own browsers and
// proxies ask for it.
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

// hostname is a host without its port, in lower case and without brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// loopback reports whether a HOST:PORT is reachable from this machine alone. A
// name other than localhost is not looked up: what it means may change.
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

// addresses derives the public names from the settings and what is listened on.
func (n Naming) addresses(listened, admin net.Addr, tls bool) Addresses {
	api := strings.TrimRight(n.PublicURL, "/")
	if api == "" {
		api = origin(listened.String(), tls)
	}
	a := Addresses{API: api, StoreDomain: n.StoreDomain, Unnamed: n.PublicURL == ""}
	if admin != nil {
		a.Admin = origin(admin.String(), false)
	}
	if a.StoreDomain == "" {
		a.StoreDomain = domainOf(api)
	}
	return a
}

// Addresses returns the public names as far as the settings alone determine them, for
// commands that do not listen.
func (n Naming) Addresses() Addresses {
	return n.addresses(text("127.0.0.1:8080"), nil, false)
}

// text is an address as it was written.
type text string

func (text) Network() string  { return "tcp" }
func (t text) String() string { return string(t) }

// origin writes scheme and host. A listener on every interface is called
// localhost, and a port that the scheme implies is left out.
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

// domainOf returns the host of an address as the parent of the stores' names.
// Under an IP address there are no names; browsers take every name under
// localhost to this machine.
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
