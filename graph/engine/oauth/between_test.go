package oauth_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// TestBetween runs a change between the look-up of a code or a refresh token and its step: the step
// is not taken.
func TestBetween(t *testing.T) {
	for name, tc := range map[string]struct {
		meanwhile func(*testing.T, *stage, func() (*oauth.Token, error))
		reason    state.GrantEnd
		tokens    int // that were issued meanwhile
	}{
		"the store ends the grant": {func(t *testing.T, st *stage, _ func() (*oauth.Token, error)) { st.revoke(t) },
			state.GrantEndedByStore, 0},
		"another request takes it": {func(t *testing.T, st *stage, try func() (*oauth.Token, error)) {
			if got, err := try(); err != nil || !st.opens(got.Access) {
				t.Error(err)
			}
		}, "", 1},
	} {
		for step, reused := range map[string]state.GrantEnd{
			"exchange": state.GrantCodeReused, "refresh": state.GrantTokenReused,
		} {
			t.Run(name+"/"+step, func(t *testing.T) {
				interrupted(t, func(t *testing.T, st *stage, interrupt func(func())) {
					try, had := st.steps(step)
					interrupt(func() { tc.meanwhile(t, st, try) })
					if _, err := try(); code(err) != oauth.InvalidGrant {
						t.Errorf("got %v, want invalid_grant", err)
					}
					want := tc.reason
					if want == "" {
						want = reused
					}
					if g := st.only(); g.RevokedReason == nil || *g.RevokedReason != want {
						t.Errorf("ended by %v, want %s", g.RevokedReason, want)
					}
					n, err := st.store.DB(st.person).AccessToken.Query().Where(accesstoken.StoreID(st.id)).
						Count(st.person)
					if err != nil || n != had+tc.tokens {
						t.Errorf("%d access tokens, %v, want %d", n, err, had+tc.tokens)
					}
				})
			})
		}
	}
}

// steps returns the step of a new grant, and how many access tokens there were before it.
func (st *stage) steps(name string) (try func() (*oauth.Token, error), had int) {
	st.t.Helper()
	if name == "refresh" {
		token := st.token()
		return func() (*oauth.Token, error) { return st.refresh(token.Refresh) }, 1
	}
	secret := st.consent()
	return func() (*oauth.Token, error) { return st.exchange(secret) }, 0
}

// revoke ends the grant like a person of the store.
func (st *stage) revoke(t *testing.T) {
	t.Helper()
	g := st.only()
	err := st.store.InTx(st.person, func(ctx context.Context) error {
		_, err := oauth.End(ctx, st.store.DB(ctx), g, st.app, state.GrantEndedByStore, st.OnLastGrant)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// interrupted runs f on every engine. The function passed to interrupt runs once, before the next
// look-up of a client: after that of the code or token, and before the transaction.
func interrupted(t *testing.T, f func(t *testing.T, st *stage, interrupt func(func()))) {
	t.Helper()
	addresses := map[string]string{"sqlite": storetest.SQLite(t)}
	if storetest.HaveMySQL(t) {
		addresses["mysql"] = storetest.MySQL(t)
	}
	for engine, address := range addresses {
		t.Run(engine, func(t *testing.T) {
			var next func()
			s, err := ent.Open(t.Context(), ent.Config{Database: address, Inspect: func(s ent.Statement) error {
				if run := next; run != nil && strings.Contains(s.Query, "FROM oauth_clients") {
					next = nil
					run()
				}
				return storetest.Lint(s)
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			f(t, newStage(t, s), func(run func()) { next = run })
		})
	}
}
