package wire

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
		{name: "itself", a: base, b: base, same: true},
		{name: "order, space, escapes", a: base,
			b: request{"POST", "/products",
				` { "price_minor": 10, "t\u0061gs": ["a", "b"], "title": "Caf\u00E9" } `},
			same: true},
		{name: "another value", a: base,
			b: request{"POST", "/products", `{"title":"Cafe","tags":["a","b"],"price_minor":10}`}},
		{name: "another spelling of a number", a: base,
			b: request{"POST", "/products", `{"title":"Café","tags":["a","b"],"price_minor":1e1}`}},
		{name: "order of an array", a: base,
			b: request{"POST", "/products", `{"title":"Café","tags":["b","a"],"price_minor":10}`}},
		{name: "another method", a: base, b: request{"PUT", base.path, base.body}},
		{name: "another path", a: base, b: request{"POST", "/webhooks", base.body}},
		{name: "text moved between method and path", a: request{"AB", "C", ""}, b: request{"A", "BC", ""}},
		{name: "no body equals an empty object", a: request{"DELETE", "/x", ""}, b: request{"DELETE", "/x", " { } "},
			same: true},
		{name: "null is not an empty object", a: request{"DELETE", "/x", ""}, b: request{"DELETE", "/x", "null"}},
		{name: "malformed counts by bytes", a: request{"POST", "/x", `{"a":1,}`},
			b: request{"POST", "/x", `{"a":1, }`}},
		{name: "malformed equals itself", a: request{"POST", "/x", `{"a":1,}`}, b: request{"POST", "/x", `{"a":1,}`},
			same: true},
		{name: "duplicates in another order", a: request{"POST", "/x", `{"a":1,"a":2}`},
			b: request{"POST", "/x", `{"a":2,"a":1}`}},
		{name: "a text and its member of that name", a: request{"POST", "/x", `"a"`},
			b: request{"POST", "/x", `["a"]`}},
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

// Fingerprints are stored for a day, so a retry may reach a newer version.
func TestFingerprintIsStable(t *testing.T) {
	for body, want := range map[string]string{
		`{"title":"Café","tags":["a","b"],` +
			`"price_minor":10}`: "e7ca91eda384c1de656a37b2a28989339c4cffead553757804895009772c537b",
		"":         "b9d8602030302edc009d2ac4cbcc3c9ee94e0c234b78de2843d91f71478b2e72",
		`{"a":1,}`: "3148ee0a13fc3adc12dee1e04eb463032f0b5bca9bc023c2b185a99fa48e8713",
	} {
		got := NewBody([]byte(body)).Fingerprint("POST", "/products")
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("%s: %x, want %s", body, got, want)
		}
	}
}
