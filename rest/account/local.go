package account

import (
	"net/url"
	"strings"
)

// maxReturnTo is the longest address in bytes to come back to; an app's request
// for consent, with its state, is among them.
const maxReturnTo = 8 << 10

// local returns an address within this host to go on to, or the dashboard for
// anything else.
func local(returnTo string) string {
	if len(returnTo) > maxReturnTo || !strings.HasPrefix(returnTo, "/") || strings.HasPrefix(returnTo, "//") ||
		strings.ContainsFunc(returnTo, strange) {
		return home
	}
	u, err := url.Parse(returnTo)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || u.Opaque != "" || strings.HasPrefix(u.Path, "//") {
		return home
	}
	return returnTo
}

// strange reports whether r has no place in an address. Browsers read \ as / and
// drop tabs and line breaks, so that what is a path to us may name another host
// to them; what is not ASCII is escaped in an address.
func strange(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
