package transport

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
)

const (
	createCustomer = `mutation ($in: CustomerCreateInput!) { customerCreate(input: $in) {
		customer { id email version } userErrors { code } } }`
	createOrder = `mutation ($in: OrderCreateInput!) { orderCreate(input: $in) {
		order { id customer { firstName } } userErrors { code } } }`
	retryDelivery  = `mutation ($id: ID!) { webhookDeliveryRetry(id: $id) { delivery { `
	redactCustomer = `mutation ($id: ID!, $v: Long!) { customerRedact(id: $id, expectedVersion: $v) {
		customer { email displayName } userErrors { code } } }`
)

// Stored answers that contain a redacted person are deleted, and their requests are not run again;
// other stored answers remain.
func TestAnswersOfRedacted(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		owner := staffToken(f, viewer.Owner)
		type request struct {
			key, query string
			variables  map[string]any
		}
		send := func(r request) graphtest.Answer { return f.Query(owner, r.query, r.variables, keyHeader, r.key) }
		of := map[string][]request{}
		for _, name := range []string{"Ada", "Ben"} {
			joins := request{name, createCustomer, map[string]any{"in": map[string]any{
				"email": name + "@example.com", "firstName": name}}}
			id := send(joins).Ok().At("customerCreate", "customer", "id")
			order := request{name + "-buys", createOrder, map[string]any{"in": map[string]any{"customerId": id,
				"source": "test", "lines": []any{map[string]any{"title": "Mug", "quantity": 1, "unitPriceMinor": 1}}}}}
			if a := send(order).Ok(); !strings.Contains(string(a.Body), name) {
				t.Fatalf("%s", a.Body)
			}
			of[name] = []request{joins, order, {name + "-goes", redactCustomer, map[string]any{"id": id, "v": 2}}}
		}
		shop := graphtest.Shop{Resolver: f.Core, Ctx: f.Ctx}
		ids := shop.AddDeliveries(t, shop.NewEndpoint(t, f.Ctx), graphtest.DeliveryWaiting, graphtest.DeliveryWaiting)
		shows := request{"shows", retryDelivery + "attempts { response } } } }", map[string]any{"id": ids[0]}}
		hides := request{"hides", retryDelivery + "id } } }", map[string]any{"id": ids[1]}}
		send(shows).Ok()
		send(hides).Ok()
		gone := of["Ada"][2]
		first := send(gone).Ok()
		if err := f.Core.Erasures.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range append(of["Ada"][:2:2], shows) {
			a := send(r)
			if a.Status != 409 || code(a) != "idempotency_answer_gone" || bytes.Contains(a.Body, []byte("Ada")) {
				t.Errorf("%s: %d %s", r.key, a.Status, a.Body)
			}
		}
		if a := send(hides).Ok(); a.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("an answer without the person: %v", a.Header)
		}
		again := send(gone).Ok()
		if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the redaction answers %s, and again %s", first.Body, again.Body)
		}
		for _, r := range of["Ben"][:2] {
			a := send(r).Ok()
			shows := strings.Contains(strings.ToLower(string(a.Body)), "ben")
			if a.Header.Get("Idempotent-Replayed") != "true" || !shows {
				t.Errorf("%s: %v %s", r.key, a.Header, a.Body)
			}
		}
		if n := f.Store.DB(f.Ctx).Order.Query().CountX(f.Ctx); n != 2 {
			t.Errorf("%d orders, want 2", n)
		}
	})
}
