package oauth_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// TestEventsOfGrants: only the end of a grant writes an event, once, in each way of ending it.
func TestEventsOfGrants(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st, log := newStage(t, s), new(storetest.Log)
		emits := func(step, want string) {
			t.Helper()
			if got := log.Since(t, s); got != want {
				t.Errorf("%s emitted %q, want %q", step, got, want)
			}
		}
		revoke := func(token apikey.Secret) {
			t.Helper()
			if err := st.Revoke(t.Context(), form(t, "client_id", st.app.ClientID, "token", token.Reveal()),
				nil); err != nil {
				t.Error(err)
			}
		}
		const ended = "app.grant_revoked"
		secret := st.consent()
		emits("the consent", "")
		first, err := st.exchange(secret)
		if err != nil {
			t.Fatal(err)
		}
		emits("the code", "")
		second, err := st.refresh(first.Refresh)
		if err != nil {
			t.Fatal(err)
		}
		emits("a refresh", "")
		revoke(second.Access)
		emits("a revoked access token", "")
		revoke(second.Refresh)
		emits("the app that gives its grant back", ended)
		revoke(second.Refresh)
		emits("giving it back again", "")

		secret = st.consent()
		if _, err := st.exchange(secret); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{ended, ""} {
			if _, err := st.exchange(secret); err == nil {
				t.Error("a code was taken twice")
			}
			emits("a code that is shown again", want)
		}
		token := st.token()
		if next, err := st.refresh(token.Refresh); err != nil || !st.opens(next.Access) {
			t.Fatal(err)
		}
		for _, want := range []string{ended, ""} {
			if _, err := st.refresh(token.Refresh); err == nil {
				t.Error("a refresh token was taken twice")
			}
			emits("a refresh token that is shown again", want)
		}
	})
}
