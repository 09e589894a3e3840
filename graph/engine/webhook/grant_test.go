package webhook

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

// The cache of scopes is bounded.
func TestGrantsAreOfBoundedMemory(t *testing.T) {
	e, err := New(Config{Store: new(ent.Store)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * maxGrants {
		if _, err := e.sender.grants.scopesOf(t.Context(), xid.New(), &app{id: xid.New()}); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.sender.grants.cached.Len(); got > maxGrants {
		t.Errorf("%d are cached, want at most %d", got, maxGrants)
	}
}
