package domain_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/storetest"
)

func TestNormalize(t *testing.T) {
	e := newEngine(t, storetest.Open(t), nil)
	for entered, want := range map[string]string{
		"www.example.com": "www.example.com", " WWW.Example.COM. ": "www.example.com",
		"https://shop.example.com/cart?x=1": "shop.example.com", "münchen.example": "xn--mnchen-3ya.example",
		"example.co.uk": "example.co.uk", "shops.test.example.com": "shops.test.example.com",
	} {
		if got, err := e.Normalize(entered); err != nil || got != want {
			t.Errorf("%q became %q, %v, want %q", entered, got, err, want)
		}
	}
	for entered, want := range map[string]string{
		"": "Enter a domain", "localhost": "Enter a domain", "a b.example": "Enter a domain", "-a.example": "Enter",
		"a..example": "Enter", "user@example.com": "Enter", "example.com:8080": "Enter", "1.2": "Enter",
		strings.Repeat("a.", 130) + "example": "Enter", "_dmarc.example.com": "Enter", "*.example.com": "Enter",
		"127.0.0.1": "IP address", "http://[::1]/": "IP address", "co.uk": "Anyone", "github.io": "Anyone",
		"shops.test": "belongs to the service", "other.SHOPS.test": "belongs to the service",
		"api.service.example": "belongs to the service",
	} {
		if got, err := e.Normalize(entered); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q became %q, %v, want %q", entered, got, err, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	e := newEngine(f, storetest.Open(f), nil)
	for _, s := range []string{"www.example.com", "https://münchen.example/", "xn--a.example", "1.2.3.4", "ß.de"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entered string) {
		host, err := e.Normalize(entered)
		if err != nil {
			return
		}
		if len(host) > limit.Host || !strings.Contains(host, ".") ||
			strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			t.Fatalf("%q became %q", entered, host)
		}
		if again, err := e.Normalize(host); err != nil || again != host {
			t.Fatalf("%q became %q, and then %q: %v", entered, host, again, err)
		}
	})
}
