package corpus_test

import (
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// The codes and tokens are those that the token endpoint takes; see
// TestTokensAreTheCores of the baseline.
func TestApp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		c, err := corpus.Fill(t.Context(), s, corpus.Size{Orders: 300, Stores: 2, Share: 60, Products: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		app, err := corpus.Register(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := app.Codes(t.Context(), 501)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := app.Tokens(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		distinct := map[apikey.Secret]bool{}
		for _, secret := range append(codes, tokens...) {
			distinct[secret] = true
		}
		if len(distinct) != 504 {
			t.Errorf("got %d secrets, want 504", len(distinct))
		}
		counts(t, s, map[string]int{"apps": 1, "oauth_clients": 1, "grants": 504, "credentials": 504 + 2})
		if err := app.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		counts(t, s, map[string]int{"apps": 0, "oauth_clients": 0, "grants": 0, "credentials": 2})
	})
}

func counts(t *testing.T, s *ent.Store, want map[string]int) {
	t.Helper()
	for table, n := range want {
		var got int
		if err := s.Raw().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&got); err != nil ||
			got != n {
			t.Errorf("%s: got %d rows, %v, want %d", table, got, err, n)
		}
	}
}
