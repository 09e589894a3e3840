package oauth_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestLostAnswer loses the result of a COMMIT that took effect. The step is not taken a second
// time, and finding its own mark does not count as a second presentation: the app gets the tokens
// that were created.
func TestLostAnswer(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return // SQLite has no connection to lose
	}
	for _, step := range []string{"exchange", "refresh"} {
		t.Run(step, func(t *testing.T) {
			p := storetest.NewProxy(t, storetest.MySQL(t))
			s, err := ent.Open(t.Context(), ent.Config{Database: p.Address})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			st := newStage(t, s)
			try, _ := st.steps(step)
			p.LoseCommit.Store(true)
			token, err := try()
			if err != nil || p.LoseCommit.Load() {
				t.Fatalf("got %v; the answer was lost: %v", err, !p.LoseCommit.Load())
			}
			if !st.opens(token.Access) || st.only().RevokedAt != nil {
				t.Error("the tokens are dead")
			}
			if _, err := st.refresh(token.Refresh); err != nil {
				t.Errorf("the refresh token: %v", err)
			}
		})
	}
}
