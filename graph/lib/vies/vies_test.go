package vies_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/vies"
)

// A valid id has a consultation, an invalid one is unknown, and everything else is no answer.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name, answer, want string
		status             int
		unknown            bool
	}{
		{name: "issued", status: 200, answer: `{"valid": true, "requestIdentifier": "WAPIAAAA1"}`, want: "WAPIAAAA1"},
		{name: "not issued", status: 200, answer: `{"valid": false, "requestIdentifier": ""}`, unknown: true},
		{name: "no answer of the country", status: 200,
			answer: `{"actionSucceed": false, "errorWrappers": [{"error": "MS_UNAVAILABLE"}]}`},
		{name: "a number that is too long", status: 200,
			answer: `{"valid": true, "requestIdentifier": "` + strings.Repeat("W", 65) + `"}`},
		{name: "a fault", status: 500, answer: `{"valid": false}`},
		{name: "another document", status: 200, answer: `<html>`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(tc.status)
				w.Write([]byte(tc.answer))
			}))
			defer s.Close()
			got, err := (&vies.Client{Base: s.URL}).Check(t.Context(), "ATU12345678", "DE136695976")
			if got != tc.want || (err == nil) != (tc.want != "") || errors.Is(err, vies.ErrUnknown) != tc.unknown {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// A service that cannot be reached is asked once.
func TestUnreachable(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	c := &vies.Client{Base: s.URL}
	for range 3 {
		if _, err := c.Check(t.Context(), "ATU12345678", "DE136695976"); err == nil || errors.Is(err, vies.ErrUnknown) {
			t.Error(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
