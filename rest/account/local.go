package account

import (
	"net/url"
	"strings"
)

// maxReturnTo is the longest return address in bytes; it has to fit an app's consent request with
// its state.
const maxReturnTo = 8 << 10

// local returns the address if it is within this host, and the dashboard otherwise.
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

// strange reports whether r may not occur in an address. Browsers read \ as / and drop tabs and
// line breaks, so that what looks like a path here may name another host there. Non-ASCII
// characters are escaped in addresses.
func strange(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
