package shelf_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/shelfwalk"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/goods"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/shelf"
)

// To put one product on its shelves again, and to take it off, is to read its own rows and
// those of no other.
func TestPutReads(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 400)
		if err := shelf.NewKeeper(s).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := s.DB(ctx).Product.Query().Where(product.Handle("item-200")).Load(ctx)
		if err == nil {
			err = goods.Load(ctx, s.DB(ctx), rows...)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := rows[0]
		p.Title = "Another thing"
		for name, f := range map[string]func(context.Context, shelf.Rack) error{
			"put":  func(ctx context.Context, r shelf.Rack) error { return r.Put(ctx, p, true) },
			"drop": func(ctx context.Context, r shelf.Rack) error { return r.Drop(ctx, p.ID) },
		} {
			read := storetest.Reads(t, ctx, s, func(ctx context.Context) {
				err := s.InTx(ctx, func(ctx context.Context) error {
					return f(ctx, shelf.Rack{Client: s.DB(ctx), Engine: s.Dialect()})
				})
				if err != nil {
					t.Error(err)
				}
			})
			if read > 40 {
				t.Errorf("%s reads %d rows", name, read)
			}
		}
	})
}

// SQLite does not tell how much it reads, but how: never all words or places of a store.
func TestPutPlans(t *testing.T) {
	var seen []ent.Statement
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(st ent.Statement) error {
		seen = append(seen, st)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx, _ := storetest.Merchant(t, s)
	plant(t, ctx, s, 3)
	for range 2 {
		err := s.InTx(ctx, func(ctx context.Context) error {
			return s.DB(ctx).ShelfWalk.Update().Where(shelfwalk.FormGT(0)).SetForm(0).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		if err := shelf.NewKeeper(s).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, st := range seen {
		if !strings.Contains(st.Query, "`search_") && !strings.Contains(st.Query, "`listings`") ||
			strings.HasPrefix(st.Query, "INSERT") {
			continue
		}
		n++
		plan := graphtest.ExplainQuery(t, s, st)
		if !strings.Contains(plan, "AND id=?") && !strings.Contains(plan, "spelling=?") {
			t.Errorf("%s\n%s", st.Query, plan)
		}
	}
	if n == 0 {
		t.Error("nothing was read")
	}
}
