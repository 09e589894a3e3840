package ucp

import (
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// FuzzTool feeds arguments to all tools. They are refused with an answer of the protocol, or become a
// request of the REST binding below its root.
func FuzzTool(f *testing.F) {
	for _, arguments := range []string{``, `{}`, `[]`, `null`, `{"id": "x", "checkout": {}, "idempotency_key": "k"}`,
		`{"id": "../x", "catalog": null}`, `{"meta": {"ucp-agent": {"profile": "a\r\nb\"; version=9"}}, "catalog": {}}`,
		`{"id": "x", "meta": {"idempotency-key": "k"}, "payment": {"instruments": [null, {"id": "i"}]}}`} {
		f.Add(arguments)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		outer := httptest.NewRequestWithContext(t.Context(), "POST", mcpPath, nil)
		for _, tool := range tools {
			r, err := tool.request(t.Context(), outer, &sdk.CallToolParamsRaw{Arguments: []byte(arguments)})
			if err != nil {
				if _, ok := err.(*refusal); !ok { //nolint:errorlint // not wrapped
					t.Fatalf("%s %q: %v", tool.name, arguments, err)
				}
				continue
			}
			path := r.URL.Path
			if !strings.HasPrefix(path, root+"/") || strings.Count(path, "/") != strings.Count(tool.path, "/") {
				t.Errorf("%s %q becomes %s", tool.name, arguments, path)
			}
			agent := r.Header.Get(agentHeader)
			if strings.ContainsAny(agent, "\r\n") || strings.Count(agent, ";") != 1 {
				t.Errorf("%s %q comes from %q", tool.name, arguments, agent)
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
		{Path: "/mcp", Want: true},
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
