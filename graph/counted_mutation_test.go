package graph_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// A mutation that is counted in a row without an owner accepts an idempotency key, which the
// dashboard always sends.
func TestCountedMutationTakesAKey(t *testing.T) {
	w := newCaller(t, storetest.Open(t))
	for range 2 {
		a := w.api.Query(w.token, `mutation { emailSenderSet(address: "shop@example.com") {
			emailSending { sender { address } } userErrors { code } } }`, nil, "Idempotency-Key", "k1")
		if len(a.Errors) > 0 || !strings.Contains(string(a.Body), `"address":"shop@example.com"`) {
			t.Errorf("answered %s", a.Body)
		}
	}
}
