package paymenttest_test

import (
	"net/http"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
)

// Requests without a key are refused.
func TestKey(t *testing.T) {
	s := paymenttest.New(t)
	answer, err := http.Get(s.URL + "/v1/checkout/sessions/cs_test_1")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || s.Asked("GET session") != 1 {
		t.Errorf("status %d, asked %d", answer.StatusCode, s.Asked("GET session"))
	}
}
