package oauth_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/oauth"
)

// Fifty at once with one code, and with one refresh token: at most one succeeds,
// and the grant ends revoked.
func TestRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		secret := st.consent()
		st.race(t, func() (*oauth.Token, error) { return st.exchange(secret) })
	})
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		token := st.token()
		st.race(t, func() (*oauth.Token, error) { return st.refresh(token.Refresh) })
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
