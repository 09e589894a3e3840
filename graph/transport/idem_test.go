package transport

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
)

const keyHeader = "Idempotency-Key"

// products counts the products.
func products(f *graphtest.Endpoint) int {
	f.T.Helper()
	return graphtest.Must[int](f.T)(f.Store.DB(f.Ctx).Product.Query().Count(f.Ctx))
}

func TestReplay(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		first := product(f, key, "Lamp", keyHeader, "k1").Ok()
		again := product(f, key, "Lamp", keyHeader, "k1").Ok()
		if !bytes.Equal(first.Body, again.Body) || products(f) != 1 {
			t.Errorf("%d products; answers\n%s\n%s", products(f), first.Body, again.Body)
		}
		if first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("replayed: first %q, again %q", first.Header.Get("Idempotent-Replayed"),
				again.Header.Get("Idempotent-Replayed"))
		}
		if again.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
			t.Errorf("content type %q", again.Header.Get("Content-Type"))
		}
		if a := product(f, key, "Chair", keyHeader, "k1"); a.Status != 409 || code(a) != "idempotency_key_reused" {
			t.Errorf("another body: %d %s", a.Status, a.Body)
		}
		other := product(f, keyFor(f, scope.ProductsWrite), "Lamp", keyHeader, "k1").Ok()
		if bytes.Equal(other.Body, first.Body) {
			t.Error("another principal got the stored answer")
		}
		// The order of members does not matter.
		swapped := f.Send("POST", f.URL, key,
			fmt.Sprintf(`{"variables": {"in": {"priceMinor": 1250, "currency": "EUR", "title": "Lamp"}}, "query": %q}`,
				createProduct), keyHeader, "k1")
		if !bytes.Equal(swapped.Body, first.Body) {
			t.Errorf("the same request with members swapped: %s", swapped.Body)
		}
	})
}

// A caller who lost a right does not get the stored answer.
func TestReplayPassesTheGate(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		product(f, key, "Lamp", keyHeader, "k1").Ok()
		narrow := func(scopes string) {
			write(f, func(ctx context.Context) error {
				return f.Store.DB(ctx).APIKey.Update().SetScopes(scopes).Exec(ctx)
			})
			f.Core.Keys.Forget(viewer.From(f.Ctx).Store)
		}
		narrow(scope.ProductsRead)
		a := product(f, key, "Lamp", keyHeader, "k1")
		if code(a) != "insufficient_scope" || a.Header.Get("Idempotent-Replayed") != "" ||
			bytes.Contains(a.Body, []byte("prod_")) {
			t.Errorf("%v %s", a.Header, a.Body)
		}
		narrow(scope.ProductsWrite)
		if a := product(f, key, "Lamp", keyHeader, "k1").Ok(); a.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%v %s", a.Header, a.Body)
		}
	})
}

// A replay shows neither the secret of an endpoint nor an export if the caller may no longer read
// the events or rows, however the request is written.
func TestReplayChecksScopes(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.WebhooksWrite, scope.ExportsWrite, scope.OrdersRead)
		send := func(query, name string) graphtest.Answer {
			return f.Send("POST", f.URL, key, fmt.Sprintf(`{"query": %q}`, query), keyHeader, name)
		}
		create := `mutation { a: webhookEndpointCreate(input: {url: "https://hook.example/in", events: "order.paid"})` +
			` { s: secret webhookEndpoint { id } } }`
		id := regexp.MustCompile("whk_[0-9a-z]{26}").FindString(string(send(create, "create").Ok().Body))
		writes := map[string]string{"create": create,
			"rotate": `mutation { webhookEndpointRotateSecret(id: "` + id + `", expectedVersion: 1) { secret } }`,
			"export": `mutation { exportStart(input: {kind: ORDERS}) { export { id } } }`}
		firsts := map[string][]byte{}
		for name, query := range writes {
			firsts[name] = send(query, name).Ok().Body
		}
		narrow := func(scopes ...string) {
			write(f, func(ctx context.Context) error {
				return f.Store.DB(ctx).APIKey.Update().SetScopes(strings.Join(scopes, " ")).Exec(ctx)
			})
			f.Core.Keys.Forget(viewer.From(f.Ctx).Store)
		}
		narrow(scope.WebhooksWrite, scope.ExportsWrite)
		for name, query := range writes {
			if a := send(query, name); code(a) != "insufficient_scope" || bytes.Contains(a.Body, []byte("whsec_")) {
				t.Errorf("%s: %v %s", name, a.Header, a.Body)
			}
		}
		narrow(scope.WebhooksWrite, scope.ExportsWrite, scope.OrdersRead)
		for name, query := range writes {
			if a := send(query, name).Ok(); !bytes.Equal(a.Body, firsts[name]) {
				t.Errorf("%s: %s, then %s", name, firsts[name], a.Body)
			}
		}
	})
}

// A replay passes the gates of every field in the answer.
func TestAdmitted(t *testing.T) {
	const document = `{ order(id: "x") { id ... { ...F } } } fragment F on Order { customer { id } notes { body } }`
	doc, errs := gqlparser.LoadQueryWithRules(graph.Schema(), document, nil)
	if errs != nil {
		t.Fatal(errs)
	}
	as := func(kind viewer.Kind, role viewer.Role, scopes ...string) context.Context {
		return viewer.With(t.Context(), &viewer.Viewer{Kind: kind, Role: role, Scopes: scope.Of(scopes...)})
	}
	for _, tc := range []struct {
		name string
		ctx  context.Context
		want string
	}{
		{name: "all", ctx: as(viewer.Staff, viewer.Support, scope.OrdersRead, scope.CustomersRead)},
		{name: "the field itself", ctx: as(viewer.Staff, viewer.Support, scope.CustomersRead),
			want: "insufficient_scope"},
		{name: "one in a fragment", ctx: as(viewer.Staff, viewer.Support, scope.OrdersRead),
			want: "insufficient_scope"},
		{name: "a role", ctx: as(viewer.Staff, viewer.Developer, scope.OrdersRead, scope.CustomersRead),
			want: "forbidden"},
		{name: "a key", ctx: as(viewer.APIKey, "", scope.OrdersRead, scope.CustomersRead), want: "forbidden"},
	} {
		if got := graphtest.FaultOf(admitted(tc.ctx, doc.Operations[0].SelectionSet)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// User errors are stored, and the writes before them are rolled back.
func TestUserErrorsAreStored(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		for i := range 2 {
			a := product(f, key, " ", keyHeader, "k1").Ok()
			if !strings.Contains(string(a.Body), "too_short") ||
				(a.Header.Get("Idempotent-Replayed") == "true") != (i == 1) {
				t.Errorf("try %d: %v %s", i, a.Header, a.Body)
			}
		}
		if n := products(f); n != 0 {
			t.Errorf("%d products", n)
		}
	})
}

// Refusals for missing rights are not stored: the key stays free.
func TestRefusalsAreNotStored(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		reader := keyFor(f, scope.ProductsRead)
		for range 2 {
			if a := product(f, reader, "Lamp", keyHeader, "k1"); code(a) != "insufficient_scope" ||
				a.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		}
		writer := keyFor(f, scope.ProductsWrite)
		bad := f.Query(writer,
			`mutation { productCreate(input: {title: "T", currency: "EUR", priceMinor: 1.5}) { product { id } } }`, nil,
			keyHeader, "k2")
		if code(bad) != codeArgument {
			t.Errorf("%s", bad.Body)
		}
		product(f, writer, "Lamp", keyHeader, "k2").Ok()
	})
}

func TestKeyRules(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		owner := staffToken(f, viewer.Owner)
		one := `productDelete(id: "x", expectedVersion: 1) { userErrors { code } }`
		for _, tc := range []struct {
			name, document, key string
			status              int
			code                string
		}{
			{name: "one field", document: "mutation { " + one + " }", key: "a", status: 200},
			{name: "with __typename", document: "mutation { __typename " + one + " }", key: "b", status: 200},
			{name: "two fields", document: "mutation { a: " + one + " b: " + one + " }", key: "c", status: 400,
				code: "invalid_request"},
			{name: "two in a fragment",
				document: "mutation { ...F } fragment F on Mutation { a: " + one + " b: " + one + " }", key: "d",
				status: 400, code: "invalid_request"},
			{name: "one of two left out",
				document: "mutation { a: " + one + " ... @skip(if: true) { b: " + one + " } }", key: "e", status: 200},
			{name: "none", document: "mutation { __typename }", key: "f", status: 400, code: "invalid_request"},
			{name: "a key's secret",
				document: `mutation { apiKeyCreate(input: {name: "n", scopes: ["products.read"]}) { secret } }`,
				key:      "g", status: 400, code: "idempotency_not_supported"},
			{name: "a rotated secret", document: `mutation { x: apiKeyRotate(id: "x") { secret } }`, key: "h",
				status: 400, code: "idempotency_not_supported"},
			{name: "a token", document: `mutation { staffTokenCreate(name: "n") { token } }`, key: "i", status: 400,
				code: "idempotency_not_supported"},
			{name: "a link",
				document: `mutation { ... { staffInvite(input: {email: "a@b.example", role: SUPPORT}) { link } } }`,
				key:      "j", status: 400, code: "idempotency_not_supported"},
			{name: "a query", document: `{ products { nodes { id } } }`, key: "k", status: 200},
			{name: "a bad key", document: "mutation { " + one + " }", key: strings.Repeat("x", 256), status: 400,
				code: "idempotency_key_invalid"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				a := f.Query(owner, tc.document, nil, keyHeader, tc.key)
				if a.Status != tc.status || code(a) != tc.code {
					t.Errorf("%d %q, want %d %q: %s", a.Status, code(a), tc.status, tc.code, a.Body)
				}
			})
		}
	})
}

func TestTwins(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		bodies := make([][]byte, 20)
		var wg sync.WaitGroup
		for i := range bodies {
			wg.Go(func() { bodies[i] = product(f, key, "Lamp", keyHeader, "twin").Body })
		}
		wg.Wait()
		for _, b := range bodies {
			if !bytes.Equal(b, bodies[0]) {
				t.Errorf("answers differ:\n%s\n%s", bodies[0], b)
			}
		}
		if n := products(f); n != 1 {
			t.Errorf("%d products", n)
		}
	})
}
