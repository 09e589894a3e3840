package transport

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
)

const createHook = `mutation($in: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $in) {
	webhookEndpoint { id secretHint version } secret userErrors { code path } } }`

// With an idempotency key a secret is shown again; without a key it is not stored. A ping accepts
// no key.
func TestWebhookSecretsAndKeys(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.WebhooksWrite, scope.OrdersRead)
		in := map[string]any{"in": map[string]any{"url": "https://hooks.example.com/",
			"events": []string{"order.paid"}}}
		first := f.Query(key, createHook, in, keyHeader, "k1").Ok()
		again := f.Query(key, createHook, in, keyHeader, "k1").Ok()
		if !bytes.Equal(first.Body, again.Body) || !strings.Contains(string(first.Body), `"whsec_`) ||
			again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("answers\n%s\n%s", first.Body, again.Body)
		}
		row := f.Store.DB(f.Ctx).WebhookEndpoint.Query().OnlyX(f.Ctx)
		rotate := `mutation { webhookEndpointRotateSecret(id: "` + row.PublicID() +
			`", expectedVersion: 1) { secret userErrors { code } } }`
		second := f.Query(key, rotate, nil, keyHeader, "k2").Ok()
		if again := f.Query(key, rotate, nil, keyHeader, "k2").Ok(); !bytes.Equal(second.Body, again.Body) ||
			!strings.Contains(string(second.Body), `"whsec_`) {
			t.Errorf("answers\n%s\n%s", second.Body, again.Body)
		}
		for _, kept := range f.Store.DB(f.Ctx).Idempotency.Query().AllX(f.Ctx) {
			if bytes.Contains(kept.Answer, []byte("whsec_")) {
				t.Error("a secret is stored unencrypted")
			}
		}
		if strings.Contains(f.Log.String(), "whsec_") {
			t.Errorf("the log has a secret: %s", f.Log)
		}
		test := `mutation { webhookEndpointTest(id: "` + row.PublicID() + `") { delivery { id } userErrors { code } } }`
		if a := f.Query(key, test, nil, keyHeader, "k3"); code(a) != "idempotency_not_supported" {
			t.Errorf("a ping with a key: %d %s", a.Status, a.Body)
		}
		in["in"].(map[string]any)["headers"] = []any{map[string]any{"name": "Authorization", "value": "Bearer 1"}}
		literal := `mutation { webhookEndpointUpdate(id: "` + row.PublicID() +
			`", expectedVersion: 1, input: {headers: [{name: "X-Key", value: "1"}]}) { userErrors { code } } }`
		for query, variables := range map[string]map[string]any{createHook: in, literal: nil} {
			if a := f.Query(key, query, variables, keyHeader, "k4"); code(a) != "idempotency_not_supported" {
				t.Errorf("headers with a key: %d %s", a.Status, a.Body)
			}
		}
		ping := `webhookEndpointTest(id: "` + row.PublicID() + `") { userErrors { code } }`
		for _, two := range []string{"a: " + ping + " b: " + ping, ping + " ... { b: " + ping + " }",
			ping + ` webhookEndpointDelete(id: "x") { deletedId }`} {
			if a := f.Query(key, "mutation { "+two+" }", nil); code(a) != "invalid_request" {
				t.Errorf("a ping with another mutation: %d %s", a.Status, a.Body)
			}
		}
		change := `passwordChange(current: "a", next: "b") { changed userErrors { code } }`
		if a := f.Query(staffToken(f, viewer.Support), "mutation { a: "+change+" ... { b: "+change+" } }",
			nil); code(a) != "invalid_request" {
			t.Errorf("two changes of a password: %d %s", a.Status, a.Body)
		}
		if a := f.Query(staffToken(f, viewer.Support), createHook, in); code(a) != "insufficient_scope" {
			t.Errorf("support registered: %s", a.Body)
		}
		in["in"] = map[string]any{"url": "https://hooks.example.com/",
			"events": []string{"order.paid", "customer.created"}}
		if a := f.Query(key, createHook, in).Ok(); !strings.Contains(string(a.Body), `"insufficient_scope"`) ||
			strings.Contains(string(a.Body), "whsec_") {
			t.Errorf("an event without its scope: %s", a.Body)
		}
		in["in"] = map[string]any{"url": "https://hooks.example.com/", "events": []string{"order.paid", "x"}}
		if a := f.Query(key, createHook, in).Ok(); !strings.Contains(string(a.Body), `"path":["input","events","1"]`) {
			t.Errorf("an unknown event: %s", a.Body)
		}
	})
}
