package session

import (
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// The former session of a browser ends behind the transaction that makes the new one: it may
// be another person's, and on Vitess the deletion would keep the new row waiting.
func TestFormerEndsBehind(t *testing.T) {
	for _, address := range addresses(t) {
		var mu sync.Mutex
		deletes, inserts := map[any]bool{}, map[any]bool{}
		s, err := ent.Open(t.Context(), ent.Config{Database: address, Inspect: func(q ent.Statement) error {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(q.Query, "DELETE FROM `sessions`") {
				deletes[q.Tx] = true
			}
			if strings.HasPrefix(q.Query, "INSERT INTO `sessions`") {
				inserts[q.Tx] = true
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		p := newPlace(t, s)
		former := p.signIn("")
		if p.who(p.signIn(former)) == nil || p.who(former) != nil {
			t.Error("the former session lives")
		}
		if len(deletes) == 0 || len(inserts) == 0 {
			t.Errorf("%d deletions, %d sessions", len(deletes), len(inserts))
		}
		for tx := range deletes {
			if inserts[tx] {
				t.Error("one transaction ends a session and begins one")
			}
		}
	}
}

func addresses(t *testing.T) []string {
	t.Helper()
	list := []string{storetest.SQLite(t)}
	if storetest.HaveMySQL(t) {
		list = append(list, storetest.MySQL(t))
	}
	return list
}
