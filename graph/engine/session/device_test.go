package session

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

var (
	accountA = digest.Of([]byte("a"))
	accountB = digest.Of([]byte("b"))
)

// A cookie is valid for its account only, for a year, unmodified, and while its key is among the
// secrets.
func TestDevice(t *testing.T) {
	d, now := devices{secrets(1)}, micros.Now()
	cookie, isNew := d.cookieAfter(accountA, "", now)
	first, ok := d.known(accountA, cookie, now)
	if !isNew || !ok || len(cookie) != deviceLen {
		t.Fatalf("%q, %v, %v", cookie, isNew, ok)
	}
	end, other := now.Add(DeviceLife), devices{secrets(2)}
	foreign, _ := other.cookieAfter(accountA, "", now)
	for name, tc := range map[string]struct {
		d      devices
		of     digest.Sum
		cookie string
		at     micros.Time
		want   bool
	}{
		"genuine":               {d: d, of: accountA, cookie: cookie, at: now, want: true},
		"nearly a year old":     {d: d, of: accountA, cookie: cookie, at: end - 1, want: true},
		"a year old":            {d: d, of: accountA, cookie: cookie, at: end},
		"of another account":    {d: d, of: accountB, cookie: cookie, at: now},
		"of another server":     {d: d, of: accountA, cookie: foreign, at: now},
		"after a new secret":    {d: devices{secrets(3, 1)}, of: accountA, cookie: cookie, at: now, want: true},
		"when its secret left":  {d: devices{secrets(3)}, of: accountA, cookie: cookie, at: now},
		"without secrets":       {of: accountA, cookie: cookie, at: now},
		"none":                  {d: d, of: accountA, at: now},
		"cut":                   {d: d, of: accountA, cookie: cookie[1:], at: now},
		"longer":                {d: d, of: accountA, cookie: cookie + "A", at: now},
		"behind a foreign one":  {d: d, of: accountA, cookie: foreign + "." + cookie, at: now, want: true},
		"behind too many":       {d: d, of: accountA, cookie: strings.Repeat(foreign+".", 5) + cookie, at: now},
		"in another alphabet":   {d: d, of: accountA, cookie: strings.Repeat("+", deviceLen), at: now},
		"a MAC of nothing":      {d: d, of: accountA, cookie: strings.Repeat("A", deviceLen), at: now},
		"with dots and nothing": {d: d, of: accountA, cookie: "....", at: now},
	} {
		if _, ok := tc.d.known(tc.of, tc.cookie, tc.at); ok != tc.want {
			t.Errorf("%s: known %v, want %v", name, ok, tc.want)
		}
	}
	raw, _ := base64.RawURLEncoding.DecodeString(cookie)
	for i := range raw {
		raw[i] ^= 1
		if _, ok := d.known(accountA, base64.RawURLEncoding.EncodeToString(raw), now); ok {
			t.Errorf("changed at %d, it is still valid", i)
		}
		raw[i] ^= 1
	}
	renewed, isNew := devices{secrets(3, 1)}.cookieAfter(accountA, cookie, now.Add(DeviceLife-time.Second))
	again, ok := devices{secrets(3)}.known(accountA, renewed, now.Add(DeviceLife+time.Hour))
	if isNew || !ok || again != first {
		t.Errorf("renewed: new %v, good %v, the same browser %v", isNew, ok, again == first)
	}
}

// Several people who share a browser are known, up to a limit.
func TestDeviceShared(t *testing.T) {
	d, now := devices{secrets(1)}, micros.Now()
	cookie := ""
	account := func(i int) digest.Sum { return digest.Of([]byte{byte(i)}) }
	for i := range 2 * maxDevices {
		next, isNew := d.cookieAfter(account(i), cookie, now)
		if cookie = next; !isNew {
			t.Errorf("%d is known already", i)
		}
	}
	for range 3 { // returning people take no more room
		for i := range 2 * maxDevices {
			_, known := d.known(account(i), cookie, now)
			if want := i >= maxDevices; known != want {
				t.Errorf("%d: known %v, want %v", i, known, want)
			}
			if known {
				cookie, _ = d.cookieAfter(account(i), cookie, now)
			}
		}
	}
	if n := len(strings.Split(cookie, separator)); n != maxDevices {
		t.Errorf("%d entries", n)
	}
}

func FuzzDevice(f *testing.F) {
	d, now := devices{secrets(1, 2)}, micros.Now()
	cookie, _ := d.cookieAfter(accountA, "", now)
	f.Add(cookie)
	f.Add(cookie + "." + strings.Repeat("-", deviceLen) + ".")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := d.known(accountB, text, now); ok {
			t.Errorf("%q is valid for another account", text)
		}
		next, _ := d.cookieAfter(accountB, text, now)
		if _, ok := d.known(accountB, next, now); !ok || len(next) > maxDevices*(deviceLen+1) {
			t.Errorf("%q became %q", text, next)
		}
	})
}
