package search_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

// mark changes the email address of orders and marks them, in one transaction.
func mark(t *testing.T, ctx context.Context, s *ent.Store, email string, ids ...xid.ID) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error {
		err := s.DB(ctx).Order.Update().Where(order.IDIn(ids...)).SetEmail(email).Exec(ctx)
		for _, id := range ids {
			if err == nil {
				err = search.Index{Client: s.DB(ctx), Engine: s.Dialect()}.Mark(ctx, search.Orders, id)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSettle: a marked row is found by its current words only, before and after its words are
// written, in every store, and pages show each row once.
func TestSettle(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		k := search.NewKeeper(s)
		k.Bound(20) // the words of a few orders
		plant(t, ctx, s, 90, func(int) (string, []string) { return "open", []string{"outdated"} })
		plant(t, other, s, 2, func(int) (string, []string) { return "open", []string{"outdated"} })
		all, err := s.DB(ctx).Order.Query().Order(order.ByID()).IDs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		few, err := s.DB(other).Order.Query().IDs(other)
		if err != nil {
			t.Fatal(err)
		}
		mark(t, ctx, s, "new@example.com", all[20:65]...)
		mark(t, ctx, s, "new@example.com", all[30]) // again: still one row
		mark(t, other, s, "new@example.com", few...)
		expect := func(outdated, current, pending int) {
			t.Helper()
			for text, want := range map[string]int{"outdated": outdated, "new@": current} {
				q := search.Query{Kind: search.Orders, Question: search.Parse(text), Limit: 10}
				if got := len(walk(t, ctx, s, q, want)); got != want {
					t.Errorf("%q finds %d, want %d", text, got, want)
				}
			}
			if found(t, other, s, "new@") != 2 || found(t, other, s, "outdated") != 0 {
				t.Error("another store finds something else")
			}
			if n, err := s.DB(ctx).SearchPending.Query().Count(ctx); err != nil || n != pending {
				t.Errorf("%d are pending, want %d: %v", n, pending, err)
			}
		}
		expect(45, 45, 45)
		if age, err := k.Age(t.Context()); err != nil || age <= 0 {
			t.Errorf("the oldest is pending for %s, %v", age, err)
		}
		for range 2 {
			if err := k.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			expect(45, 45, 0)
		}
		if age, err := k.Age(t.Context()); err != nil || age != 0 {
			t.Errorf("the oldest is pending for %s, %v", age, err)
		}

		// A process that read an order as pending and is late writes no outdated words.
		mark(t, ctx, s, "newer@example.com", all[20])
		if err := k.Some(ctx, all[20]); err != nil {
			t.Fatal(err)
		}
		mark(t, ctx, s, "newest@example.com", all[20])
		if err := k.Some(ctx, all[20:22]...); err != nil {
			t.Fatal(err)
		}
		if found(t, ctx, s, "newer@") != 0 || found(t, ctx, s, "newest@") != 1 || found(t, ctx, s, "new@") != 44 {
			t.Error("the words differ from the row")
		}
	})
}

// TestFreshBound: a search reads only the newest pending items.
func TestFreshBound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, search.MaxFresh+50, func(int) (string, []string) { return "open", []string{"outdated"} })
		all, err := s.DB(ctx).Order.Query().Order(order.ByID()).IDs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		mark(t, ctx, s, "new@example.com", all...)
		q := search.Query{Kind: search.Orders, Question: search.Parse("new"), Limit: 60}
		if got := len(walk(t, ctx, s, q, search.MaxFresh)); got != search.MaxFresh {
			t.Errorf("%d are found", got)
		}
		if err := search.NewKeeper(s).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(walk(t, ctx, s, q, len(all))); got != len(all) {
			t.Errorf("%d of %d are found", got, len(all))
		}
	})
}

// The words of items are deleted by their own index. The primary key, which SQLite would choose,
// leads through all words of the store.
func TestRemovalReadsItsOwn(t *testing.T) {
	s := storetest.Open(t)
	for _, n := range []int{1, 2, 20} {
		values := make([]any, 1+n)
		for i := range values {
			values[i] = xid.New()
		}
		var plan string
		err := ent.Read(t.Context(), s.DB(t.Context()), func(rows *sql.Rows) error {
			var id, parent, unused int
			return rows.Scan(&id, &parent, &unused, &plan)
		}, "EXPLAIN QUERY PLAN "+search.Removal(s.Dialect(), n), values...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, "searchterm_store_id_id_term (store_id=? AND id=?)") {
			t.Errorf("%d items: %s", n, plan)
		}
	}
}
