package ucp

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/domain/cart"
)

// FuzzRead feeds bodies to the decoder of sessions. A body is refused with an answer of the protocol,
// or what it asks for can be read.
func FuzzRead(f *testing.F) {
	for _, body := range []string{``, `{}`, `{`, `[]`, `null`, `{"line_items": null, "buyer": {"consent": {"a": true}}}`,
		`{"fulfillment": {"methods": [{"destinations": [{"address_country": "DE"}], "groups": [{}, null]}]}}`,
		`{"fulfillment": {"methods": [null]}}`, `{"discounts": {"codes": [null, "x"]}}`, "{\"a\": \"\xff\"}"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", root+sessionsPath, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		c := &call{w: httptest.NewRecorder(), r: r}
		var in checkoutInput
		if err := c.read(&in); err != nil {
			if _, ok := err.(*refusal); !ok { //nolint:errorlint // not wrapped
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if in.Fulfillment != nil {
			for _, m := range in.Fulfillment.Methods {
				m.fill(&cart.Wish{})
			}
		}
	})
}

func TestOwns(t *testing.T) {
	for _, c := range []struct {
		Path, Agent string
		Want        bool
	}{
		{Path: "/.well-known/ucp", Want: true},
		{Path: "/ucp/checkout-sessions", Want: true},
		{Path: "/ucps"},
		{Path: "/orders/x"},
		{Path: "/orders/x", Agent: "x", Want: true},
		{Path: "/", Agent: "x"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", c.Path, nil)
		r.Header.Set("UCP-Agent", c.Agent)
		if got := Owns(r); got != c.Want {
			t.Errorf("%s for %q: %t", c.Path, c.Agent, got)
		}
	}
}
