package state_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/state"
)

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
