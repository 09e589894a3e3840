package state_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
)

func TestGraphQLForm(t *testing.T) {
	var b strings.Builder
	state.FulfillmentPartiallyFulfilled.MarshalGQL(&b)
	if got, want := b.String(), `"PARTIALLY_FULFILLED"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var s state.FulfillmentStatus
	if err := s.UnmarshalGQL("PARTIALLY_FULFILLED"); err != nil || s != state.FulfillmentPartiallyFulfilled {
		t.Errorf("got %q, %v", s, err)
	}
	for _, bad := range []any{"partially_fulfilled", "Partially_Fulfilled", "", "PAID", 1, nil} {
		if err := s.UnmarshalGQL(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestKnown(t *testing.T) {
	for _, tc := range []struct {
		status state.OrderStatus
		want   bool
	}{{state.OrderOpen, true}, {"OPEN", false}, {"", false}, {"paid", false}} {
		if got := tc.status.Known(); got != tc.want {
			t.Errorf("%q: got %v, want %v", tc.status, got, tc.want)
		}
	}
}
