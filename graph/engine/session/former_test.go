package session

import (
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// The browser's previous session ends after the transaction that creates the new one: it may be
// another person's, and on Vitess its deletion would block the new row.
func TestFormerEndsBehind(t *testing.T) {
	addresses := []string{storetest.SQLite(t)}
	if storetest.HaveMySQL(t) {
		addresses = append(addresses, storetest.MySQL(t))
	}
	for _, address := range addresses {
		var mu sync.Mutex
		var seen []string
		note := func(what string) { mu.Lock(); defer mu.Unlock(); seen = append(seen, what) }
		s, err := ent.Open(t.Context(), ent.Config{Database: address,
			Inspect: func(q ent.Statement) error {
				if verb, _, _ := strings.Cut(q.Query, "`sessions`"); verb == "DELETE FROM " || verb == "INSERT INTO " {
					note(verb)
				}
				return nil
			},
			Committed: func() error { note("COMMIT"); return nil }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		p := newPlace(t, s)
		former := p.signIn("")
		seen = nil
		if p.who(p.signIn(former)) == nil || p.who(former) != nil {
			t.Error("the former session lives")
		}
		if got, want := strings.Join(seen, ","), "INSERT INTO ,COMMIT,DELETE FROM ,COMMIT"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
