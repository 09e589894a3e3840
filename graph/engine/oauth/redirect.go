package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
)

// MaxRedirectURI is the longest redirect URI, in bytes.
const MaxRedirectURI = limit.URL

// loopbacks are the hosts allowed with plain http, on any port (RFC 8252, section 7.3). The name
// localhost is not one of them, since it may resolve elsewhere (section 8.3).
var loopbacks = []string{"http://127.0.0.1", "http://[::1]"}

// localhost is a loopback host that only metadata documents may name.
const localhost = "http://localhost"

// CheckRedirectURI validates a URI for registration: https, http on a loopback address, or a
// private scheme with a dot (RFC 8252, section 7.1). It returns the problem as a sentence, or "".
func CheckRedirectURI(uri string) string {
	if len(uri) > MaxRedirectURI {
		return "The redirect URI is longer than " + strconv.Itoa(MaxRedirectURI) + " bytes."
	}
	for i := range len(uri) {
		if c := uri[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return "The redirect URI holds a character that no URI has."
		}
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "":
		return "The redirect URI is not an absolute URI."
	case strings.Contains(uri, "#"): // RFC 6749, section 3.1.2
		return "The redirect URI has a fragment."
	case u.User != nil:
		return "The redirect URI names a user."
	}
	return checkScheme(uri, u)
}

func checkScheme(uri string, u *url.URL) string {
	switch {
	case u.Scheme == "https" && u.Hostname() != "" && u.Opaque == "":
		return ""
	case u.Scheme == "http":
		if _, _, ok := loopback(uri); ok && !strings.HasPrefix(uri, localhost) {
			return ""
		}
	case strings.Contains(u.Scheme, "."):
		return ""
	}
	return "A redirect URI is https, http on 127.0.0.1 or [::1], or of a private scheme with a dot."
}

// loopback splits a URI on a loopback address into its host and the part after the port. It works
// on the text alone, so that no parser can see another host.
func loopback(uri string) (host, rest string, ok bool) {
	for _, host := range append(slices.Clip(loopbacks), localhost) {
		rest, ok := strings.CutPrefix(uri, host)
		if !ok {
			continue
		}
		if port, found := strings.CutPrefix(rest, ":"); found {
			end := strings.IndexAny(port, "/?")
			if end < 0 {
				end = len(port)
			}
			if n, err := strconv.ParseUint(port[:end], 10, 16); err != nil || n == 0 || port[0] == '0' {
				return "", "", false
			}
			rest = port[end:]
		}
		return host, rest, rest == "" || rest[0] == '/' || rest[0] == '?'
	}
	return "", "", false
}

// registered reports whether the URI is registered, whatever its port on a loopback address.
func registered(uris []string, uri string) bool {
	host, rest, local := loopback(uri)
	for _, known := range uris {
		if known == uri {
			return true
		}
		if h, r, ok := loopback(known); ok && local && h == host && r == rest && !strings.Contains(uri, "#") {
			return true
		}
	}
	return false
}
