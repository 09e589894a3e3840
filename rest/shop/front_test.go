package shop

import (
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// TestStateIsReadOnceASecond: a caller that found the state old and waited for another caller's
// read does not read again.
func TestStateIsReadOnceASecond(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *ent.Store) {
		ring, err := keyring.Parse(strings.Repeat("storefronts ", 4))
		if err != nil {
			t.Fatal(err)
		}
		core, err := graph.New(graphtest.Config(t, db, ring))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		s, err := New(Config{Core: core.Storefront(), Links: core.Links, Now: func() time.Time { return now },
			HandleOf: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		_, row := storetest.Merchant(t, db)
		f := &front{id: row.ID, handle: row.Handle}
		for _, want := range []uint64{1, 0, 0, 1, 0} {
			if want == 1 {
				now = now.Add(fresh)
			}
			before := db.Statements()
			st, err := s.readState(t.Context(), f)
			if n := db.Statements() - before; err != nil || st == nil || n != want {
				t.Errorf("%v, %v: %d statements, want %d", st, err, n, want)
			}
		}
	})
}
