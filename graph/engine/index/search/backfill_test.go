package search_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

// TestBackfill: the rows of every store get the current words and keep no old ones.
func TestBackfill(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		outdated := func(int) (string, []string) { return "open", []string{"outdated"} }
		plant(t, ctx, s, 45, outdated)
		plant(t, other, s, 3, outdated)
		k := search.NewKeeper(s)
		k.Bound(3)
		if err := k.Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := terms(t, ctx, s), terms(t, other, s); a != 45 || b != 3 {
			t.Errorf("there are %d and %d terms", a, b)
		}
		if found(t, ctx, s, "outdated") != 0 || found(t, other, s, "nobody@example.com") != 3 {
			t.Error("the words differ")
		}
	})
}

// TestWrites: writing the words of one row reads only its own words.
func TestWrites(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 500, words)
		rows, err := s.DB(ctx).Order.Query().Limit(1).Load(ctx)
		if err != nil {
			t.Fatal(err)
		}
		id := rows[0].ID
		for name, f := range map[string]func(context.Context, search.Index) error{
			"mark":   func(ctx context.Context, x search.Index) error { return x.Mark(ctx, search.Orders, id) },
			"settle": func(ctx context.Context, _ search.Index) error { return search.NewKeeper(s).Some(ctx, id) },
			"person": func(ctx context.Context, x search.Index) error { return x.ForgetPerson(ctx, id) },
			"forget": func(ctx context.Context, x search.Index) error { return x.Forget(ctx, search.Orders, id) },
		} {
			read := storetest.Reads(t, ctx, s, func(ctx context.Context) {
				err := s.InTx(ctx, func(ctx context.Context) error {
					return f(ctx, search.Index{Client: s.DB(ctx), Engine: s.Dialect()})
				})
				if err != nil {
					t.Error(err)
				}
			})
			if read > 25 {
				t.Errorf("%s reads %d rows", name, read)
			}
		}
	})
}

func terms(t *testing.T, ctx context.Context, s *ent.Store) int {
	t.Helper()
	n, err := s.DB(ctx).SearchTerm.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// found counts the orders that are found, up to 99.
func found(t *testing.T, ctx context.Context, s *ent.Store, text string) int {
	t.Helper()
	ids, _ := page(t, ctx, s, search.Query{Kind: search.Orders, Question: search.Parse(text), Limit: 99})
	return len(ids)
}
