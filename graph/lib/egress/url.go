package egress

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/storefront-go/storefront/ent/limit"
)

// CheckURL validates the form of a receiver's address, without a lookup. It returns the address
// with scheme and host in lower case, or a sentence for the integrator that names the violated
// rule.
//
// Programs parse unusual addresses differently: one program's host is part of another's path. So
// whatever RFC 3986 does not allow is refused rather than repaired, and every accepted address has
// one reading.
func (p Policy) CheckURL(raw string) (*url.URL, string) {
	if text := checkBytes(raw); text != "" {
		return nil, text
	}
	scheme, rest, _ := strings.Cut(raw, ":")
	scheme = strings.ToLower(scheme)
	if scheme != "https" && scheme != "http" || !strings.HasPrefix(rest, "//") {
		return nil, "The address must start with https://."
	}
	authority, tail := rest[2:], ""
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority, tail = authority[:i], authority[i:]
	}
	if strings.Contains(tail, "#") {
		return nil, "The address must not have a fragment."
	}
	host, port, text := split(authority)
	if text != "" {
		return nil, text
	}
	host = strings.ToLower(host)
	if text := p.checkHost(host, scheme == "https"); text != "" {
		return nil, text
	}
	// The standard library must find the same parts.
	u, err := url.Parse(scheme + "://" + strings.ToLower(authority) + tail)
	if err != nil || u.Hostname() != host || u.Port() != port || u.User != nil || u.Opaque != "" {
		return nil, "The address is not a valid URL."
	}
	return u, ""
}

func checkBytes(raw string) string {
	if raw == "" {
		return "The address is empty."
	}
	if len(raw) > limit.URL {
		return "The address is longer than 2,048 bytes."
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= ' ' || c == 0x7f:
			return "The address contains a space or a control character."
		case c == '\\':
			return "The address contains a backslash."
		case c >= 0x80:
			return "The address must be ASCII: write the host in punycode and the rest percent-encoded."
		case strings.IndexByte("\"<>^`{|}", c) >= 0:
			return "The address contains " + string(c) + ", which must be percent-encoded."
		}
	}
	return ""
}

// split splits an authority into host and port, without the brackets of an IPv6 address.
func split(authority string) (host, port, text string) {
	if strings.Contains(authority, "@") {
		return "", "", "The address must not contain a user name or password."
	}
	if strings.Contains(authority, "%") {
		return "", "", "The host must not be percent-encoded or have a zone."
	}
	host, after := authority, ""
	if inner, ok := strings.CutPrefix(authority, "["); ok {
		host, after, ok = strings.Cut(inner, "]")
		if a, err := netip.ParseAddr(host); !ok || err != nil || a.Is4() {
			return "", "", "The host in brackets is not an IPv6 address."
		}
	} else if i := strings.IndexByte(authority, ':'); i >= 0 {
		host, after = authority[:i], authority[i:]
	}
	if host == "" {
		return "", "", "The address has no host."
	}
	if after == "" {
		return host, "", ""
	}
	port, ok := strings.CutPrefix(after, ":")
	n, err := strconv.ParseUint(port, 10, 16)
	if !ok || err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return "", "", "The port must be a number from 1 to 65535."
	}
	return host, port, ""
}

func (p Policy) checkHost(host string, secure bool) string {
	if strings.Contains(host, ":") || numeric(host) {
		return p.checkAddr(host, secure)
	}
	if p.AllowLoopback && host == "localhost" {
		return ""
	}
	if !secure {
		return p.needsTLS()
	}
	return p.checkName(host)
}

func (p Policy) needsTLS() string {
	if p.AllowLoopback {
		return "The address must start with https://; http is for receivers at a loopback address only."
	}
	return "The address must start with https://."
}

// numeric reports whether parsers may read a name as an IPv4 address: if its last label is a number
// in decimal, octal or hexadecimal form. No top-level domain starts with a digit. The empty label
// after a trailing dot does not count.
func numeric(host string) bool {
	host = strings.TrimRight(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9'
}

func (p Policy) checkAddr(host string, secure bool) string {
	a, err := netip.ParseAddr(host)
	if err != nil || a.String() != host {
		return "The host is an IP address in an unusual spelling."
	}
	if rule := check(p.guardian(), a); rule != "" {
		return "This IP address is not public: " + rule + "."
	}
	if !secure && (!p.AllowLoopback || !a.IsLoopback()) {
		return p.needsTLS()
	}
	return ""
}

// reserved are suffixes of names that mean this machine or network, or that resolvers must not
// answer (RFC 6761, RFC 6762, RFC 7686, RFC 8375). Suffixes for tests and examples are not
// included: they resolve nowhere, or where the operator says, and that address is checked.
var reserved = []string{"localhost", "localdomain", "local", "internal", "home.arpa", "onion"}

// private are the suffixes that operators use for their own receivers.
var private = []string{"local", "internal", "home.arpa"}

func (p Policy) checkName(host string) string {
	if strings.HasSuffix(host, ".") {
		return "The host must not end with a dot."
	}
	if text := wellFormed(host); text != "" {
		return text
	}
	for _, end := range reserved {
		if host != end && !strings.HasSuffix(host, "."+end) {
			continue
		}
		if len(p.AllowTo) == 0 || !slices.Contains(private, end) {
			return "The host must not be " + end + " or one of its subdomains."
		}
	}
	if !strings.Contains(host, ".") {
		return "The host must be a full name that contains a dot."
	}
	return ""
}

// wellFormed checks that a name has letters, digits, hyphens and underscores in labels of up to 63
// (RFC 1123, section 2.1; hosts with underscores exist), and that its punycode is valid.
func wellFormed(host string) string {
	const malformed = "The host is not a valid name."
	if len(host) > 253 {
		return "The host is longer than 253 characters."
	}
	punycode := false
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return malformed
		}
		for i := range len(label) {
			if c := label[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return malformed
			}
		}
		punycode = punycode || strings.HasPrefix(label, "xn--")
	}
	if !punycode {
		return ""
	}
	if ascii, err := idna.Lookup.ToASCII(host); err != nil || ascii != host {
		return "The host contains invalid punycode."
	}
	return ""
}
