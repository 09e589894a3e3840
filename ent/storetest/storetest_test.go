package storetest

import (
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
)

// TestEach checks that every run gets an empty database, even a reused one.
func TestEach(t *testing.T) {
	Sequential(t) // the race step runs one engine
	engines := map[string]int{}
	for range 2 {
		Each(t, func(t *testing.T, s *ent.Store) {
			engines[s.Dialect()]++
			_, store := Merchant(t, s)
			c, all := AllStores(t, s)
			found, err := c.StoreHandle.Query().All(all)
			if err != nil || len(found) != 1 || found[0].StoreID != store.ID {
				t.Errorf("got %v, %v, want only the store created here", found, err)
			}
		})
	}
	want := 0
	if HaveMySQL(t) {
		want += 2
	}
	if os.Getenv(EnvUnpacked) != "" {
		want += 2
	}
	if engines["sqlite3"] != 2 || engines["mysql"] != want {
		t.Errorf("ran %v", engines)
	}
}

// TestParallelDatabases checks that concurrent tests get different databases.
func TestParallelDatabases(t *testing.T) {
	if !HaveMySQL(t) {
		return
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 3 {
		address := MySQL(t)
		mu.Lock()
		if seen[address] {
			t.Errorf("%s was handed out twice", address)
		}
		seen[address] = true
		mu.Unlock()
	}
}

// TestFakeTime checks that a store works in a synctest bubble.
func TestFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Open(t)
		ctx, store := Merchant(t, s)
		time.Sleep(24 * time.Hour)
		if got, err := s.DB(ctx).Store.Query().Only(ctx); err != nil || got.ID != store.ID {
			t.Errorf("got %v, %v, want the store after a day", got, err)
		}
		if age := time.Since(store.CreatedAt().Time()); age < 24*time.Hour {
			t.Errorf("the store is %v old", age)
		}
	})
}
