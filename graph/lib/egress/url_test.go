package egress_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Parts of the sentences, to check that the intended rule refuses.
const (
	scheme   = "https://"
	spelling = "unusual spelling"
	ranges   = "not public"
	reserved = "one of its subdomains"
	holds    = "contains"
	name     = "valid name"
	port     = "The port"
)

func TestCheckURLAccepts(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("p", limit.URL-len("https://a.example/"))
	for raw, want := range map[string]string{
		"https://shop.example":                       "https://shop.example",
		"https://shop.example/":                      "https://shop.example/",
		"HTTPS://Shop.Example:8443/A/b?c=D":          "https://shop.example:8443/A/b?c=D",
		"https://shop.example:1":                     "https://shop.example:1",
		"https://shop.example:65535/x":               "https://shop.example:65535/x",
		"https://shop.example?token=a@b:c//d":        "https://shop.example?token=a@b:c//d",
		"https://shop.example/a@b/..;x=%2F%20?q=[1]": "https://shop.example/a@b/..;x=%2F%20?q=[1]",
		"https://my_app.shop.example":                "https://my_app.shop.example",
		"https://xn--bcher-kva.example/h":            "https://xn--bcher-kva.example/h",
		"https://8.8.8.8/h":                          "https://8.8.8.8/h",
		"https://9.9.9.9:444/h":                      "https://9.9.9.9:444/h",
		"https://[2606:4700::1111]/h":                "https://[2606:4700::1111]/h",
		"https://[2606:4700::1111]:444":              "https://[2606:4700::1111]:444",
		"https://127.0.0.1.nip.io/":                  "https://127.0.0.1.nip.io/", // refused at the dial
		"https://localhost.example":                  "https://localhost.example",
		"https://notlocal.com":                       "https://notlocal.com",
		long:                                         long,
	} {
		u, text := egress.Policy{}.CheckURL(raw)
		if text != "" || u == nil || u.String() != want {
			t.Errorf("CheckURL(%.80q) = %v, %q, want %.80s", raw, u, text, want)
		}
	}
}

func TestCheckURLRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		"":                          "empty",
		"https://":                  "no host",
		"https://:443":              "no host",
		"https:///shop.example":     "no host",
		"https:shop.example":        scheme,
		"https:/shop.example":       scheme,
		"//shop.example":            scheme,
		"shop.example":              scheme,
		"http://shop.example":       scheme,
		"ftp://shop.example":        scheme,
		"javascript://shop.example": scheme,
		"https://a.example/" + strings.Repeat("p", limit.URL): "2,048",

		"https://user@shop.example":              "user name",
		"https://user:pass@shop.example":         "user name",
		"https://@shop.example":                  "user name",
		"https://a.example@b.example@127.0.0.1/": "user name",
		"https://shop.example#x":                 "fragment",
		"https://shop.example/a?b#":              "fragment",
		"https://127.0.0.1#@shop.example/":       "fragment",
		"https://shop.example\\@127.0.0.1/":      holds,
		"https:\\\\shop.example":                 holds,
		"https://shop.example/a b":               holds,
		" https://shop.example":                  holds,
		"https://shop.example ":                  holds,
		"https://shop.example\t":                 holds,
		"https://sh\top.example":                 holds,
		"https://sh\nop.example":                 holds,
		"https://shop.example/\r\nhost: x":       holds,
		"https://shop.example/\x00":              holds,
		"https://shop.example/\x7f":              holds,
		"https://shop.example/<a>":               holds,
		"https://shop.example/{a}":               holds,
		"https://shop.example/|":                 holds,
		"https://shop.example/%zz":               "valid URL",
		"https://bücher.example":                 "punycode",
		"https://127。0。0。1":                      "punycode",
		"https://１２７.0.0.1":                      "punycode",
		"https://①②⑦.0.0.1":                      "punycode",
		"https://loc\u00adalhost.example":        "punycode",
		"https://xn--a.example":                  "invalid punycode",
		"https://xn--.example":                   name,
		"https://%31%32%37.0.0.1":                "percent-encoded",
		"https://shop%2eexample":                 "percent-encoded",
		"https://[fe80::1%25eth0]":               "zone",
		"https://[2606:4700::1111%25eth0]":       "zone",

		"https://shop.example:":        port,
		"https://shop.example:0":       port,
		"https://shop.example:65536":   port,
		"https://shop.example:0443":    port,
		"https://shop.example:+443":    port,
		"https://shop.example:-1":      port,
		"https://shop.example:https":   port,
		"https://shop.example:443:444": port,
		"https://[2606:4700::1111]443": port,
		"https://[2606:4700::1111]:":   port,
		"https://[2606:4700::1111]x":   port,
		"https://[2606:4700::1111":     "brackets",
		"https://[8.8.8.8]":            "brackets",
		"https://[]":                   "brackets",
		"https://[v1.a]":               "brackets",
		"https://2606:4700::1111":      port,

		"https://127.0.0.1":           ranges,
		"https://127.255.255.254":     ranges,
		"https://0.0.0.0":             ranges,
		"https://10.0.0.1":            ranges,
		"https://172.16.0.1":          ranges,
		"https://192.168.1.1":         ranges,
		"https://100.64.0.1":          ranges,
		"https://100.100.100.200":     "cloud metadata",
		"https://169.254.169.254":     "cloud metadata",
		"https://168.63.129.16":       "cloud metadata",
		"https://192.0.0.192":         "cloud metadata",
		"https://169.254.0.1":         "link-local",
		"https://192.0.2.1":           ranges,
		"https://198.18.0.1":          ranges,
		"https://224.0.0.1":           "multicast",
		"https://240.0.0.1":           ranges,
		"https://255.255.255.255":     "broadcast",
		"https://[::1]":               "loopback",
		"https://[::]":                "unspecified",
		"https://[fe80::1]":           "link-local",
		"https://[fc00::1]":           "private",
		"https://[fd00:ec2::254]":     "cloud metadata",
		"https://[fec0::1]":           "site-local",
		"https://[ff02::1]":           "multicast",
		"https://[64:ff9b::7f00:1]":   "NAT64",
		"https://[64:ff9b:1::7f00:1]": "NAT64",
		"https://[2002:7f00:1::]":     "6to4",
		"https://[2001:0:7f00:1::]":   "Teredo",
		"https://[2001:0:7f00:1::1]":  "Teredo",
		"https://[2001::7f00:1]":      "Teredo",
		"https://[::7f00:1]":          "IPv4-compatible",
		"https://[::ffff:127.0.0.1]":  "IPv4-mapped",
		"https://[::ffff:8.8.8.8]":    "IPv4-mapped",
		"https://[2001:db8::1]":       ranges,
		"https://[3fff::1]":           ranges,
		"https://[4000::1]":           ranges,
		"https://[::ffff:7f00:1]":     spelling,
		"https://[0:0:0:0:0:0:0:1]":   spelling,
		"https://[::127.0.0.1]":       spelling,
		"https://[2606:4700:0::1111]": spelling,
		"https://[2606:4700::0001]":   spelling,

		"https://2130706433":        spelling,
		"https://017700000001":      spelling,
		"https://0x7f000001":        spelling,
		"https://0x7f.1":            spelling,
		"https://127.1":             spelling,
		"https://127.0.1":           spelling,
		"https://0":                 spelling,
		"https://0177.0.0.1":        spelling,
		"https://0x7f.0.0.1":        spelling,
		"https://127.0.0.0x1":       spelling,
		"https://127.0.0.0X1":       spelling,
		"https://0xA9.254.0251.254": spelling,
		"https://127.0.0.01":        spelling,
		"https://127.0.0.1.":        spelling,
		"https://8.8.8.8.":          spelling,
		"https://8.8.8.8..":         spelling,
		"https://256.256.256.256":   spelling,
		"https://1.2.3.4.5":         spelling,
		"https://999999999999":      spelling,
		"https://shop.0x":           spelling,
		"https://shop.7f":           spelling,
		"https://8.8.8.0x":          spelling,

		"https://localhost":                                reserved,
		"https://LOCALHOST":                                reserved,
		"https://demo.localhost":                           reserved,
		"https://localhost.":                               "dot",
		"https://localhost.localdomain":                    reserved,
		"https://printer.local":                            reserved,
		"https://local":                                    reserved,
		"https://metadata.google.internal":                 reserved,
		"https://router.home.arpa":                         reserved,
		"https://abc.onion":                                reserved,
		"https://intranet":                                 "full name",
		"https://com":                                      "full name",
		"https://shop.example.":                            "dot",
		"https://.":                                        "dot",
		"https://.shop.example":                            name,
		"https://shop..example":                            name,
		"https://-shop.example":                            name,
		"https://shop-.example":                            name,
		"https://shop,example.com":                         name,
		"https://shop.exam!ple":                            name,
		"https://a.b;c.example":                            name,
		"https://" + strings.Repeat("a", 64) + ".example":  name,
		"https://" + strings.Repeat("a.", 124) + "example": "253",
	} {
		u, text := egress.Policy{}.CheckURL(raw)
		if text == "" || u != nil || !strings.Contains(text, want) {
			t.Errorf("CheckURL(%.80q) = %v, %q, want a refusal about %q", raw, u, text, want)
		}
		if text != "" && (!strings.HasSuffix(text, ".") || len(text) > 160) {
			t.Errorf("CheckURL(%.80q) says %q, want a short sentence", raw, text)
		}
	}
}

func TestCheckURLPolicies(t *testing.T) {
	loopback := egress.Policy{AllowLoopback: true}
	private := egress.Policy{AllowTo: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"),
		netip.MustParsePrefix("fd12::/16")}}
	for _, tc := range []struct {
		policy egress.Policy
		raw    string
		ok     bool
	}{
		{loopback, "http://127.0.0.1:8080/h", true},
		{loopback, "http://127.9.9.9/h", true},
		{loopback, "https://127.0.0.1", true},
		{loopback, "http://[::1]:8080", true},
		{loopback, "http://localhost:9", true},
		{loopback, "https://LocalHost", true},
		{loopback, "https://shop.example", true},
		{loopback, "http://shop.example", false},
		{loopback, "http://8.8.8.8", false},
		{loopback, "http://demo.localhost", false},
		{loopback, "https://demo.localhost", false},
		{loopback, "http://10.0.0.1", false},
		{loopback, "https://10.0.0.1", false},
		{loopback, "http://0.0.0.0", false},
		{loopback, "http://127.1", false},
		{loopback, "http://2130706433", false},
		{loopback, "http://[::ffff:127.0.0.1]", false},
		{loopback, "http://localhost.", false},
		{loopback, "http://user@localhost", false},
		{loopback, "ftp://localhost", false},

		{private, "https://10.1.2.3", true},
		{private, "https://[fd12::1]", true},
		{private, "https://hooks.internal", true},
		{private, "https://hooks.local", true},
		{private, "http://10.1.2.3", false},
		{private, "http://hooks.internal", false},
		{private, "https://10.2.0.1", false},
		{private, "https://127.0.0.1", false},
		{private, "https://[::ffff:10.1.2.3]", false},
		{private, "https://localhost", false},
		{private, "https://hooks.onion", false},
		{private, "https://internal", false},
		{private, "https://hooks", false},
	} {
		if u, text := tc.policy.CheckURL(tc.raw); (text == "") != tc.ok || (u != nil) != tc.ok {
			t.Errorf("CheckURL(%q) with %+v = %v, %q, want accepted: %v", tc.raw, tc.policy, u, text, tc.ok)
		}
	}
}
