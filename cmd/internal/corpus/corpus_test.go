package corpus_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

func TestFill(t *testing.T) {
	size := corpus.Size{Orders: 1000, Stores: 5, Share: 60, Ties: 50, Products: 120}
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		c, err := corpus.Fill(t.Context(), s, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			query string
			want  int
		}{
			{"SELECT COUNT(*) FROM orders", 1000},
			{"SELECT COUNT(*) FROM products", 600},
			{"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY store_id) q", 600},
			{"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY placed_at) q", 50},
		} {
			var got int
			if err := s.Raw().QueryRowContext(t.Context(), tc.query).Scan(&got); err != nil || got != tc.want {
				t.Errorf("%s: got %d, %v, want %d", tc.query, got, err, tc.want)
			}
		}
		marks(t, s, c)
		if _, err := apikey.NewKeeper(s).Authenticate(t.Context(), c.Shops[4].Key, apikey.Key); err != nil {
			t.Errorf("the last shop's key: %v", err)
		}
	})
}

// marks checks that each mark has as many newer orders as it says.
func marks(t *testing.T, s *ent.Store, c *corpus.Corpus) {
	t.Helper()
	store, err := xid.Store.Parse(c.Shops[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for rank, text := range c.Shops[0].Marks {
		at, err := corpus.Position(text)
		if err != nil {
			t.Fatal(err)
		}
		var newer int
		err = s.Raw().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM orders WHERE store_id = ? AND id > ?",
			store[:], at.ID[:]).Scan(&newer)
		if err != nil || newer != rank-1 {
			t.Errorf("mark %d: %d orders are newer, %v", rank, newer, err)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	path, size := filepath.Join(t.TempDir(), "corpus.json"), corpus.Million.Scaled(1000)
	if _, found, err := corpus.Load(path, size); found || err != nil {
		t.Fatalf("nothing was saved, but Load says %v, %v", found, err)
	}
	c := &corpus.Corpus{
		Version: corpus.Version, Size: size, Shops: []corpus.Shop{{ID: "a", Marks: map[int]string{3: "b"}}},
	}
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	got, found, err := corpus.Load(path, size)
	if err != nil || !found {
		t.Fatalf("Load: %v, %v", found, err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Error(diff)
	}
	if _, found, err = corpus.Load(path, corpus.Million); found || err != nil {
		t.Errorf("another size: %v, %v, want not found", found, err)
	}
}
