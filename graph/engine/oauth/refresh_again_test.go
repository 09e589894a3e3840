package oauth_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// A rotated refresh token gets the same answer again, in any process, until a token of that answer
// is used or its time is over. Then it ends the family.
func TestRefreshAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		// between runs after the first refresh; use says whether the family then ends.
		between func(t *testing.T, st *stage, before, next *oauth.Token)
		ends    bool
	}{
		"nothing": {func(*testing.T, *stage, *oauth.Token, *oauth.Token) {}, false},
		"the previous access token is used": {func(_ *testing.T, st *stage, before, _ *oauth.Token) {
			st.opens(before.Access)
			st.elsewhere().opens(before.Access)
		}, false},
		"the new access token is used": {func(_ *testing.T, st *stage, _, next *oauth.Token) {
			st.opens(next.Access)
		}, true},
		"the new access token is used in another process": {func(_ *testing.T, st *stage, _, next *oauth.Token) {
			st.elsewhere().opens(next.Access)
		}, true},
		"the new access token is revoked": {func(t *testing.T, st *stage, _, next *oauth.Token) {
			err := st.Revoke(t.Context(), form(t, "token", next.Access.Reveal(), "client_id", st.app.ClientID), nil)
			if err != nil {
				t.Fatal(err)
			}
		}, true},
		"the new refresh token is used": {func(t *testing.T, st *stage, _, next *oauth.Token) {
			if _, err := st.refresh(next.Refresh); err != nil {
				t.Fatal(err)
			}
		}, true},
		"30 seconds pass": {func(t *testing.T, st *stage, _, _ *oauth.Token) { st.age(oauth.AnswerLife) }, true},
		"29 seconds pass": {func(t *testing.T, st *stage, _, _ *oauth.Token) { st.age(oauth.AnswerLife - time.Second) },
			false},
		"30 seconds pass and a purge": {func(t *testing.T, st *stage, _, _ *oauth.Token) {
			st.age(oauth.AnswerLife)
			if _, err := st.Purge(t.Context()); err != nil || st.only().Answer != nil {
				t.Fatalf("the answer is kept: %v", err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *ent.Store) {
				st := newStage(t, s)
				before := st.token()
				next, err := st.refresh(before.Refresh)
				if err != nil {
					t.Fatal(err)
				}
				tt.between(t, st, before, next)
				again, err := st.elsewhere().refresh(before.Refresh)
				if tt.ends {
					if code(err) != oauth.InvalidGrant || st.only().RevokedAt == nil {
						t.Errorf("got %v, and the family lives", err)
					}
					return
				}
				if diff := cmp.Diff(next, again); err != nil || diff != "" || st.only().RevokedAt != nil {
					t.Errorf("another answer: %v (-first +again):\n%s", err, diff)
				}
			})
		})
	}
}

// age makes the last refresh older than it is.
func (st *stage) age(by time.Duration) {
	st.t.Helper()
	err := st.store.InTx(st.person, func(ctx context.Context) error {
		return st.store.DB(ctx).Grant.Update().Where(grant.AnswerNotNil()).
			SetAnswerToken(xid.First(micros.Now().Add(-by))).Exec(ctx)
	})
	if err != nil {
		st.t.Fatal(err)
	}
}

// The same answer is returned only to the same request, and any other request changes nothing.
func TestRefreshAgainOtherwise(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	token, other := st.token(), st.register("orders.read", callback)
	next, err := st.refresh(token.Refresh, "scope", "orders.read")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.refresh(token.Refresh); code(err) != oauth.InvalidScope {
		t.Errorf("for other scopes: %v", err)
	}
	_, err = st.Token(t.Context(), form(t, "grant_type", "refresh_token", "refresh_token", token.Refresh.Reveal(),
		"client_id", other.ClientID), nil)
	if code(err) != oauth.InvalidGrant || st.only().RevokedAt != nil {
		t.Errorf("of another client: %v", err)
	}
	again, err := st.refresh(token.Refresh, "scope", "orders.read")
	if diff := cmp.Diff(next, again); err != nil || diff != "" {
		t.Errorf("another answer: %v (-first +again):\n%s", err, diff)
	}
}
