package domain

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/storefront-go/storefront/ent/limit"
)

// Why a host cannot be a domain of a store. The texts are shown.
var (
	errNoHost   = errors.New("Enter a domain, such as www.example.com.")               //nolint:staticcheck // shown
	errAddress  = errors.New("This is an IP address. Enter a domain.")                 //nolint:staticcheck // shown
	errSuffix   = errors.New("Anyone can register domains below it. Add your own.")    //nolint:staticcheck // shown
	errReserved = errors.New("This domain belongs to the service. Enter one you own.") //nolint:staticcheck // shown
)

// Normalize returns a host that a merchant entered in lower case and with international labels in
// Punycode (RFC 5891). It also accepts the address of a page of the host. The text of its error can
// be shown.
func (e *Engine) Normalize(entered string) (string, error) {
	host := strings.ToLower(strings.TrimSpace(entered))
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, "/")
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "", errAddress
	}
	host, err := idna.Lookup.ToASCII(host)
	if err != nil || !plausible(host) {
		return "", errNoHost
	}
	if suffix, _ := publicsuffix.PublicSuffix(host); suffix == host {
		return "", errSuffix
	}
	if e.operators(host) {
		return "", errReserved
	}
	return host, nil
}

// operators reports whether a host, or one above it, is the operator's.
func (e *Engine) operators(host string) bool {
	return slices.ContainsFunc(e.Reserved, func(own string) bool {
		own = bare(own)
		return host == own || strings.HasSuffix(host, "."+own)
	})
}

// bare returns the name in a Host header: in lower case, without a port and a final dot.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// plausible reports whether a text has the form of a host below a top-level domain (RFC 1123,
// section 2.1). Nothing else is looked up.
func plausible(host string) bool {
	labels := strings.Split(host, ".")
	if len(host) > limit.Host || len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > limit.StoreHandle || l[0] == '-' || l[len(l)-1] == '-' ||
			strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return strings.Trim(labels[len(labels)-1], "0123456789") != "" // browsers take digits for an IP address
}
