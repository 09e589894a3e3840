package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestCheckRedirectURI(t *testing.T) {
	for _, good := range []string{
		"https://app.test", "https://app.test/", "https://app.test/cb?tenant=7", "https://app.test:8443/cb",
		"https://192.0.2.1/cb", "https://localhost/cb", "http://127.0.0.1", "http://127.0.0.1/cb",
		"http://127.0.0.1:8080/cb", "http://[::1]/cb", "http://[::1]:8080/cb?x=1",
		"com.example.app:/oauth2redirect", "com.example.app:/", "com.example.app://cb",
		"https://app.test/" + strings.Repeat("x", MaxRedirectURI-17),
	} {
		if wrong := CheckRedirectURI(good); wrong != "" {
			t.Errorf("%s: %s", good, wrong)
		}
	}
	for _, bad := range []string{
		"", "/cb", "app.test/cb", "//app.test/cb", "https:", "https://", "https:///cb", "https:cb", "https:app.test/cb",
		"https://:443/cb", "http://app.test/cb", "http://localhost/cb", "http://localhost:8080/cb",
		"http://127.0.0.2/cb", "http://127.0.0.1.evil.test/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb",
		"http://127.0.0.1:/cb", "http://127.0.0.1:08/cb", "http://127.1/cb", "http://[::1%25lo]/cb",
		"http://[0::1]/cb", "http://user@127.0.0.1/cb", "https://user@app.test/cb", "https://user:pass@app.test/cb",
		"https://@app.test/cb", "https://app.test/cb#", "https://app.test/cb#x", "com.example.app:/cb#x",
		"https://app.test/c b", "https://app.test/cb\n", "https://app.test/\x00",
		"https://app.test\\cb", "https://app.test/<cb>", `https://app.test/"cb"`, "https://app.test/{cb}",
		"https://äpp.test/cb", "https://app.test/ä", "https://app.test/%zz", "javascript:alert(1)", "data:text/html,x",
		"myapp:/cb", "myapp://cb", "urn:ietf:wg:oauth:2.0:oob", "file:///cb", "ftp://app.test/",
		"https://^/cb", "https://app.test/" + strings.Repeat("x", MaxRedirectURI),
	} {
		if CheckRedirectURI(bad) == "" {
			t.Errorf("%.80q is taken", bad)
		}
	}
}

func TestRegistered(t *testing.T) {
	known := []string{"https://app.test/cb", "http://127.0.0.1/cb", "http://[::1]:7777/cb?x=1", "com.example.app:/cb"}
	for uri, want := range map[string]bool{
		"https://app.test/cb": true, "https://app.test:443/cb": false, "https://app.test/cb/": false,
		"https://APP.test/cb": false, "http://127.0.0.1/cb": true, "http://127.0.0.1:1/cb": true,
		"http://127.0.0.1:65535/cb": true, "http://127.0.0.1:65536/cb": false,
		"http://127.0.0.1:1/cb?x=1": false, "http://127.0.0.1:1/cb#x": false, "http://127.0.0.1:1": false,
		"http://127.0.0.1:1@evil.test/cb": false, "http://[::1]/cb?x=1": true, "http://[::1]:1/cb?x=1": true,
		"http://[::1]:1/cb": false, "http://[::1]/cb": false, "com.example.app:/cb": true,
		"com.example.app:1/cb": false, "": false,
	} {
		if got := registered(known, uri); got != want {
			t.Errorf("%s: %v, want %v", uri, got, want)
		}
	}
	if registered(nil, "") || registered(nil, "http://127.0.0.1/cb") {
		t.Error("an app without an address has one")
	}
}

func TestHost(t *testing.T) {
	for uri, want := range map[string]string{
		"https://app.test/cb": "app.test", "https://app.test:8443/cb": "app.test:8443",
		"http://127.0.0.1:9/cb": "an app on this device", "http://[::1]/cb": "an app on this device",
		"com.example.app:/cb":           "the app com.example.app on this device",
		"com.example.app://app.test/cb": "the app com.example.app on this device",
	} {
		if got := (&Request{RedirectURI: uri}).Host(); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}

// An accepted URI leads to where the app registered, as URL parsers read it.
func FuzzRegistered(f *testing.F) {
	for _, known := range []string{
		"https://app.test/cb", "http://127.0.0.1/cb", "http://[::1]/cb?x=1", "com.example.app:/cb",
	} {
		for _, uri := range []string{
			known, "http://127.0.0.1:80@evil.test/cb", "http://[::1]:1/cb?x=1", "http://127.0.0.1:99999/cb",
			"https://app.test\\@evil.test/cb",
		} {
			f.Add(known, uri)
		}
	}
	f.Fuzz(func(t *testing.T, known, uri string) {
		if CheckRedirectURI(known) != "" || !registered([]string{known}, uri) {
			return
		}
		want, err := url.Parse(known)
		if err != nil {
			t.Fatalf("%q was registered: %v", known, err)
		}
		got, err := url.Parse(uri)
		if err != nil || got.User != nil || got.Scheme != want.Scheme || got.Hostname() != want.Hostname() ||
			got.Path != want.Path || got.RawQuery != want.RawQuery || got.Fragment != want.Fragment ||
			got.Opaque != want.Opaque {
			t.Errorf("%q was registered, %q is taken: %v", known, uri, err)
		}
		if got.Port() == want.Port() {
			return
		}
		if addr, err := netip.ParseAddr(got.Hostname()); err != nil || !addr.IsLoopback() || got.Scheme != "http" {
			t.Errorf("%q was registered, %q is taken with another port", known, uri)
		}
		if strings.ContainsAny(uri, "\\@#\r\n\t ") {
			t.Errorf("%q is taken", uri)
		}
	})
}

// The answer's URI is the registered one with parameters added, whatever the state contains.
func FuzzAnswer(f *testing.F) {
	f.Add("https://app.test/cb", "x&code=1#\r\n")
	f.Add("https://app.test/cb?tenant=7", "")
	f.Add("com.example.app:/cb", "\xff")
	f.Fuzz(func(t *testing.T, uri, state string) {
		if CheckRedirectURI(uri) != "" {
			return
		}
		to := (&Request{RedirectURI: uri, State: state, stated: true, issuer: "https://api.test"}).answer("code", "c")
		rest, ok := strings.CutPrefix(to, uri)
		q, err := url.ParseQuery(strings.TrimLeft(rest, "?&"))
		if !ok || err != nil || strings.ContainsAny(rest, "#\r\n ") || q.Get("state") != state ||
			q.Get("code") != "c" || q.Get("iss") != "https://api.test" {
			t.Errorf("%q: %v", to, err)
		}
		if i := slices.Index([]byte(rest), '?'); i > 0 || i < 0 != strings.Contains(uri, "?") {
			t.Errorf("%q", to)
		}
	})
}
