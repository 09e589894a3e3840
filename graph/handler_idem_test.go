package graph

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
)

const keyHeader = "Idempotency-Key"

// products counts what there is.
func (f *face) products() int {
	f.t.Helper()
	return must[int](f.t)(f.store.DB(f.ctx).Product.Query().Count(f.ctx))
}

func TestReplay(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		key := f.key(scope.ProductsWrite)
		first := f.product(key, "Lamp", keyHeader, "k1").ok()
		again := f.product(key, "Lamp", keyHeader, "k1").ok()
		if !bytes.Equal(first.body, again.body) || f.products() != 1 {
			t.Errorf("%d products; answers\n%s\n%s", f.products(), first.body, again.body)
		}
		if first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("replayed: first %q, again %q", first.header.Get("Idempotent-Replayed"), again.header.Get("Idempotent-Replayed"))
		}
		if again.header.Get("Content-Type") != first.header.Get("Content-Type") {
			t.Errorf("content type %q", again.header.Get("Content-Type"))
		}
		if a := f.product(key, "Chair", keyHeader, "k1"); a.status != 409 || a.code() != "idempotency_key_reused" {
			t.Errorf("another body: %d %s", a.status, a.body)
		}
		other := f.product(f.key(scope.ProductsWrite), "Lamp", keyHeader, "k1").ok()
		if bytes.Equal(other.body, first.body) {
			t.Error("another principal got the answer")
		}
		// The order of members does not matter.
		swapped := f.send("POST", f.url, key, fmt.Sprintf(`{"variables": {"in": {"priceMinor": 1250, "currency": "EUR", "title": "Lamp"}}, "query": %q}`, createProduct), keyHeader, "k1")
		if !bytes.Equal(swapped.body, first.body) {
			t.Errorf("the same with its members swapped: %s", swapped.body)
		}
	})
}

// User errors are kept, and nothing of what was written before them.
func TestUserErrorsAreKept(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		key := f.key(scope.ProductsWrite)
		for i := range 2 {
			a := f.product(key, " ", keyHeader, "k1").ok()
			if !strings.Contains(string(a.body), "too_short") || (a.header.Get("Idempotent-Replayed") == "true") != (i == 1) {
				t.Errorf("try %d: %v %s", i, a.header, a.body)
			}
		}
		if n := f.products(); n != 0 {
			t.Errorf("%d products", n)
		}
	})
}

// Refusals of rights are judged anew: the key stays free.
func TestRefusalsAreNotKept(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		reader := f.key(scope.ProductsRead)
		for range 2 {
			if a := f.product(reader, "Lamp", keyHeader, "k1"); a.code() != "insufficient_scope" || a.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%v %s", a.header, a.body)
			}
		}
		writer := f.key(scope.ProductsWrite)
		bad := f.query(writer, `mutation { productCreate(input: {title: "T", currency: "EUR", priceMinor: 1.5}) { product { id } } }`, nil, keyHeader, "k2")
		if bad.code() != codeArgument {
			t.Errorf("%s", bad.body)
		}
		f.product(writer, "Lamp", keyHeader, "k2").ok()
	})
}

func TestKeyRules(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		owner := f.staff(viewer.Owner)
		one := `productDelete(id: "x", expectedVersion: 1) { userErrors { code } }`
		for _, tc := range []struct {
			name, document, key string
			status              int
			code                string
		}{
			{"one field", "mutation { " + one + " }", "a", 200, ""},
			{"with __typename", "mutation { __typename " + one + " }", "b", 200, ""},
			{"two fields", "mutation { a: " + one + " b: " + one + " }", "c", 400, "invalid_request"},
			{"two in a fragment", "mutation { ...F } fragment F on Mutation { a: " + one + " b: " + one + " }", "d", 400, "invalid_request"},
			{"one of two left out", "mutation { a: " + one + " ... @skip(if: true) { b: " + one + " } }", "e", 200, ""},
			{"none", "mutation { __typename }", "f", 400, "invalid_request"},
			{"a key's secret", `mutation { apiKeyCreate(input: {name: "n", scopes: ["products.read"]}) { secret } }`, "g", 400, "idempotency_not_supported"},
			{"a rotated secret", `mutation { x: apiKeyRotate(id: "x") { secret } }`, "h", 400, "idempotency_not_supported"},
			{"a token", `mutation { staffTokenCreate(name: "n") { token } }`, "i", 400, "idempotency_not_supported"},
			{"a password", `mutation { ... { staffAdd(input: {email: "a@b.example", name: "n", role: SUPPORT}) { password } } }`, "j", 400, "idempotency_not_supported"},
			{"a query", `{ products { nodes { id } } }`, "k", 200, ""},
			{"a bad key", "mutation { " + one + " }", strings.Repeat("x", 256), 400, "idempotency_key_invalid"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				a := f.query(owner, tc.document, nil, keyHeader, tc.key)
				if a.status != tc.status || a.code() != tc.code {
					t.Errorf("%d %q, want %d %q: %s", a.status, a.code(), tc.status, tc.code, a.body)
				}
			})
		}
	})
}

func TestTwins(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		key := f.key(scope.ProductsWrite)
		bodies := make([][]byte, 20)
		var wg sync.WaitGroup
		for i := range bodies {
			wg.Go(func() { bodies[i] = f.product(key, "Lamp", keyHeader, "twin").body })
		}
		wg.Wait()
		for _, b := range bodies {
			if !bytes.Equal(b, bodies[0]) {
				t.Errorf("answers differ:\n%s\n%s", bodies[0], b)
			}
		}
		if n := f.products(); n != 1 {
			t.Errorf("%d products", n)
		}
	})
}
