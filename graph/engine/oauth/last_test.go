package oauth_test

import (
	"context"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// OnLastGrant is called for an app's last grant only, in the transaction that ends it: if it fails,
// the grant is not ended.
func TestLastGrant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		first := st.consent()
		if _, err := st.exchange(first); err != nil {
			t.Fatal(err)
		}
		second := st.token()
		other := st.app
		st.app = st.register("products.read", callback)
		st.token() // of another app
		st.app = other

		if _, err := st.exchange(first); code(err) != "invalid_grant" { // ends the first family
			t.Fatal(err)
		}
		if len(st.orphaned) != 0 {
			t.Errorf("called after the first of two: %v", st.orphaned)
		}
		keep := st.OnLastGrant
		st.OnLastGrant = func(context.Context, xid.ID) error { return errors.New("not now") }
		if err := st.Revoke(t.Context(), form(t, "token", second.Refresh.Reveal(), "client_id", st.app.ClientID),
			nil); err == nil {
			t.Error("the grant ended although OnLastGrant failed")
		}
		if !st.opens(second.Access) {
			t.Error("the access token is dead")
		}
		st.OnLastGrant = keep
		for range 2 { // the second time there is nothing left to end
			if err := st.Revoke(t.Context(), form(t, "token", second.Refresh.Reveal(), "client_id", st.app.ClientID),
				nil); err != nil {
				t.Fatal(err)
			}
		}
		if len(st.orphaned) != 1 || st.orphaned[0] != st.app.ID {
			t.Errorf("called for %v", st.orphaned)
		}
	})
}
