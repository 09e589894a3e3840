package strict

import (
	"encoding/hex"
	"testing"
)

func TestFingerprint(t *testing.T) {
	type request struct{ method, path, body string }
	base := request{"POST", "/products", `{"title":"Café","tags":["a","b"],"price_minor":10}`}
	for _, tc := range []struct {
		name string
		a, b request
		same bool
	}{
		{"itself", base, base, true},
		{"order, space, escapes", base, request{"POST", "/products", ` { "price_minor": 10, "t\u0061gs": ["a", "b"], "title": "Caf\u00E9" } `}, true},
		{"another value", base, request{"POST", "/products", `{"title":"Cafe","tags":["a","b"],"price_minor":10}`}, false},
		{"another spelling of a number", base, request{"POST", "/products", `{"title":"Café","tags":["a","b"],"price_minor":1e1}`}, false},
		{"order of an array", base, request{"POST", "/products", `{"title":"Café","tags":["b","a"],"price_minor":10}`}, false},
		{"another method", base, request{"PUT", base.path, base.body}, false},
		{"another path", base, request{"POST", "/webhooks", base.body}, false},
		{"text moved between method and path", request{"AB", "C", ""}, request{"A", "BC", ""}, false},
		{"no body equals an empty object", request{"DELETE", "/x", ""}, request{"DELETE", "/x", " { } "}, true},
		{"null is not an empty object", request{"DELETE", "/x", ""}, request{"DELETE", "/x", "null"}, false},
		{"malformed counts by bytes", request{"POST", "/x", `{"a":1,}`}, request{"POST", "/x", `{"a":1, }`}, false},
		{"malformed equals itself", request{"POST", "/x", `{"a":1,}`}, request{"POST", "/x", `{"a":1,}`}, true},
		{"duplicates in another order", request{"POST", "/x", `{"a":1,"a":2}`}, request{"POST", "/x", `{"a":2,"a":1}`}, false},
		{"a text and its member of that name", request{"POST", "/x", `"a"`}, request{"POST", "/x", `["a"]`}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := NewBody([]byte(tc.a.body)).Fingerprint(tc.a.method, tc.a.path)
			b := NewBody([]byte(tc.b.body)).Fingerprint(tc.b.method, tc.b.path)
			if got := a == b; got != tc.same {
				t.Errorf("equal: got %v, want %v", got, tc.same)
			}
		})
	}
}

// Fingerprints are stored for a day: a retry may reach a newer version.
func TestFingerprintStays(t *testing.T) {
	for body, want := range map[string]string{
		`{"title":"Café","tags":["a","b"],"price_minor":10}`: "e7ca91eda384c1de656a37b2a28989339c4cffead553757804895009772c537b",
		"":         "b9d8602030302edc009d2ac4cbcc3c9ee94e0c234b78de2843d91f71478b2e72",
		`{"a":1,}`: "3148ee0a13fc3adc12dee1e04eb463032f0b5bca9bc023c2b185a99fa48e8713",
	} {
		got := NewBody([]byte(body)).Fingerprint("POST", "/products")
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("%s: %x, want %s", body, got, want)
		}
	}
}
