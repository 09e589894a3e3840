package oauth_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// Deliveries use the same scopes of an app as its tokens: for each scope that the app is registered
// for, including the read scope implied by a write.
func TestAppScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		for _, e := range scope.All() {
			t.Run(e.Name, func(t *testing.T) {
				st.app = st.register(strings.Join([]string{e.Name, scope.WebhooksWrite}, " "), callback)
				v, err := st.keys.Authenticate(t.Context(), st.token().Access.Reveal(), "sfa_")
				if err != nil {
					t.Fatal(err)
				}
				held, err := oauth.AppScopes(st.person, s.DB(st.person), st.app.StoreID, st.app.ID)
				if err != nil || held != v.Scopes || !held.Covers(scope.Of(e.Name).Effective()) {
					t.Errorf("deliveries may have %s, tokens %s: %v", held, v.Scopes, err)
				}
			})
		}
	})
}
