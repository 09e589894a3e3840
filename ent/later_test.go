package ent_test

import (
	"context"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// mark inserts a row without needing the result.
func mark(ctx context.Context, s *ent.Store, id xid.ID) error {
	_, err := s.DB(ctx).ExecContext(ent.Later(ctx),
		"INSERT INTO search_pendings (store_id, kind, id, since) VALUES (?, 'p', ?, 1)", viewer.From(ctx).Store, id)
	return err
}

func marks(t *testing.T, ctx context.Context, s *ent.Store) int {
	t.Helper()
	n, err := s.DB(ctx).SearchPending.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Delayed statements are sent before any statement with a result, and before the commit; none is
// lost, and none survives a rollback.
func TestLater(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		waits := s.Dialect() == dialect.MySQL && !s.Sharded()
		many := func(ctx context.Context, n int) {
			for range n {
				if err := mark(ctx, s, xid.New()); err != nil {
					t.Error(err)
				}
			}
		}
		err := s.InTx(ctx, func(ctx context.Context) error {
			many(ctx, 20)
			if got := ent.Delayed(ctx); waits && got != 4 || !waits && got != 0 {
				t.Errorf("%d wait", got)
			}
			if got := marks(t, ctx, s); got != 20 || ent.Delayed(ctx) != 0 {
				t.Errorf("a query sees %d of 20, %d wait", got, ent.Delayed(ctx))
			}
			many(ctx, 3)
			if err := add(ctx, s, "a"); err != nil || ent.Delayed(ctx) != 0 {
				t.Errorf("a write: %v, %d wait", err, ent.Delayed(ctx))
			}
			many(ctx, 2)
			return nil
		})
		if got := marks(t, ctx, s); err != nil || got != 25 {
			t.Errorf("after the commit: %d of 25, %v", got, err)
		}
		err = s.InTx(ctx, func(ctx context.Context) error {
			many(ctx, 3)
			return errOurs
		})
		if got := marks(t, ctx, s); err == nil || got != 25 {
			t.Errorf("after a rollback: %d of 25, %v", got, err)
		}
	})
}

// An error of a delayed statement is an error of the transaction, wherever it surfaces, and not of
// the statement before which it was sent. Everything is rolled back.
func TestLaterFails(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		for name, then := range map[string]func(context.Context) error{
			"at the commit":  func(context.Context) error { return nil },
			"before a write": func(ctx context.Context) error { return add(ctx, s, "b") },
			"before a query": func(ctx context.Context) error {
				_, err := s.DB(ctx).Product.Query().Count(ctx)
				return err
			},
		} {
			err := s.InTx(ctx, func(ctx context.Context) error {
				id := xid.New()
				for _, id := range []xid.ID{xid.New(), id, id, xid.New()} {
					if err := mark(ctx, s, id); err != nil {
						return err
					}
				}
				return then(ctx)
			})
			if own := ent.IsDuplicate(err); err == nil || own && s.Dialect() == dialect.MySQL && !s.Sharded() ||
				marks(t, ctx, s) != 0 || count(t, ctx, s) != 0 {
				t.Errorf("%s: %v, %d marks and %d products stay", name, err, marks(t, ctx, s), count(t, ctx, s))
			}
		}
	})
}

// A delayed statement has no result.
func TestLaterHasNoResult(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		err := s.InTx(ctx, func(ctx context.Context) error {
			res, err := s.DB(ctx).ExecContext(ent.Later(ctx), "DELETE FROM search_pendings WHERE store_id = ?",
				viewer.From(ctx).Store)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if answered := err == nil; answered == (ent.Delayed(ctx) > 0) {
				t.Errorf("%d rows, %v, and %d wait", n, err, ent.Delayed(ctx))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
