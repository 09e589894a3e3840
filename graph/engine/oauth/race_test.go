package oauth_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// Fifty concurrent requests with one code: at most one succeeds, and the grant ends up revoked.
func TestRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		secret := st.consent()
		st.race(t, func() (*oauth.Token, error) { return st.exchange(secret) })
	})
}

// Fifty concurrent requests with one refresh token, in two processes: all get the same valid
// tokens.
func TestRefreshAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		token, servers := st.token(), []*stage{st, st.elsewhere()}
		var wg sync.WaitGroup
		var got [50]*oauth.Token
		start := make(chan struct{})
		for i := range got {
			wg.Go(func() {
				<-start
				var err error
				if got[i], err = servers[i%2].refresh(token.Refresh); err != nil {
					t.Errorf("a worker gets %v", err)
				}
			})
		}
		close(start)
		wg.Wait()
		for _, other := range got[1:] {
			if diff := cmp.Diff(got[0], other); diff != "" {
				t.Fatalf("two answers (-one +other):\n%s", diff)
			}
		}
		if !st.opens(got[0].Access) {
			t.Error("the tokens are dead")
		}
		if _, err := st.refresh(got[0].Refresh); err != nil {
			t.Errorf("the next refresh: %v", err)
		}
	})
}

func (st *stage) race(t *testing.T, try func() (*oauth.Token, error)) {
	t.Helper()
	var wg sync.WaitGroup
	var won atomic.Int32
	var token atomic.Pointer[oauth.Token]
	start := make(chan struct{})
	for range 50 {
		wg.Go(func() {
			<-start
			switch got, err := try(); {
			case err == nil:
				won.Add(1)
				token.Store(got)
			case code(err) != oauth.InvalidGrant:
				t.Errorf("a loser gets %v", err)
			}
		})
	}
	close(start)
	wg.Wait()
	if n := won.Load(); n > 1 {
		t.Errorf("%d successes", n)
	}
	if st.only().RevokedAt == nil {
		t.Error("the grant lives")
	}
	if got := token.Load(); got != nil && st.opens(got.Access) {
		t.Error("the winner's token lives")
	}
}
