package ent_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

var errOurs = errors.New("sold out")

func count(t *testing.T, ctx context.Context, s *ent.Store) int {
	t.Helper()
	n, err := s.DB(ctx).Product.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func add(ctx context.Context, s *ent.Store, handle string) error {
	return newProduct(s.DB(ctx), handle).Exec(ctx)
}

func TestInTx(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		var order []string
		err := s.InTx(ctx, func(ctx context.Context) error {
			ent.OnCommit(ctx, func() { order = append(order, "first") })
			if err := add(ctx, s, "a"); err != nil {
				return err
			}
			err := s.InTx(ctx, func(ctx context.Context) error { // joins
				ent.OnCommit(ctx, func() { order = append(order, "second") })
				return add(ctx, s, "b")
			})
			if n := count(t, ctx, s); n != 2 {
				t.Errorf("inside: got %d rows, want its own two", n)
			}
			order = append(order, "end of closure")
			return err
		})
		if want := []string{"end of closure", "first", "second"}; err != nil || !slices.Equal(order, want) {
			t.Errorf("got %v, %v, want %v", order, err, want)
		}
		if n := count(t, ctx, s); n != 2 {
			t.Errorf("after: got %d rows, want 2", n)
		}
		ran := false
		if ent.OnCommit(ctx, func() { ran = true }); !ran {
			t.Error("OnCommit without a transaction did not run at once")
		}
	})
}

func TestInTxRollsBack(t *testing.T) {
	tests := []struct {
		name string
		f    func(ctx context.Context, s *ent.Store) error
	}{
		{"the closure's error", func(ctx context.Context, s *ent.Store) error { return errOurs }},
		{"a swallowed joined error", func(ctx context.Context, s *ent.Store) error {
			s.InTx(ctx, func(context.Context) error { return errOurs })
			return nil
		}},
	}
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				ctx, _ := storetest.Merchant(t, s)
				err := s.InTx(ctx, func(ctx context.Context) error {
					ent.OnCommit(ctx, func() { t.Error("OnCommit ran") })
					if err := add(ctx, s, "a"); err != nil {
						return err
					}
					return tc.f(ctx, s)
				})
				if !errors.Is(err, errOurs) {
					t.Errorf("got %v, want the error", err)
				}
				if n := count(t, ctx, s); n != 0 {
					t.Errorf("got %d rows, want none", n)
				}
			})
		}
	})
}

func TestInTxPanicRollsBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			s.InTx(ctx, func(ctx context.Context) error {
				if err := add(ctx, s, "a"); err != nil {
					t.Error(err)
				}
				panic("bug")
			})
		}()
		if n := count(t, ctx, s); n != 0 {
			t.Errorf("got %d rows, want none", n)
		}
		if err := s.InTx(ctx, func(ctx context.Context) error { return add(ctx, s, "b") }); err != nil {
			t.Errorf("the next transaction: %v", err)
		}
	})
}

// TestInTxOutlivesItsCaller checks that a begun transaction is completed even if the client
// disconnects.
func TestInTxOutlivesItsCaller(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		caller, leave := context.WithCancel(ctx)
		err := s.InTx(caller, func(ctx context.Context) error {
			leave()
			if d, ok := ctx.Deadline(); !ok || time.Until(d) > 15*time.Second {
				t.Errorf("got deadline %v, %t, want its own within 15 s", d, ok)
			}
			return add(ctx, s, "a")
		})
		if n := count(t, ctx, s); n != 1 || err != nil {
			t.Errorf("got %d rows, %v, want it committed", n, err)
		}
		if err := s.InTx(caller, func(ctx context.Context) error { return add(ctx, s, "b") }); !errors.Is(err,
			context.Canceled) {
			t.Errorf("not yet begun: got %v, want canceled", err)
		}
	})
}

// TestDeadTransaction checks that no statement runs after an error of the database, since it could
// commit by itself.
func TestDeadTransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		err := s.InTx(ctx, func(ctx context.Context) error {
			if err := add(ctx, s, "a"); err != nil {
				return err
			}
			if _, err := s.DB(ctx).ExecContext(ctx, "UPDATE nowhere SET x = 1"); err == nil || s.Broken(ctx) == nil {
				t.Errorf("got %v, and the transaction is not broken", err)
			}
			if err := add(ctx, s, "b"); err == nil {
				t.Error("a statement ran after the error")
			}
			return nil
		})
		if err == nil || ent.IsUnavailable(err) {
			t.Errorf("got %v, want the database's error", err)
		}
		if n := count(t, ctx, s); n != 0 {
			t.Errorf("got %d rows, want none", n)
		}
	})
}

func TestNoWriteOutsideTx(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		writes := map[string]func() error{
			"create": func() error { return newProduct(s.DB(ctx), "a").Exec(ctx) },
			"update": func() error { return s.DB(ctx).Product.Update().SetTitle("x").Exec(ctx) },
			"delete": func() error { _, err := s.DB(ctx).Product.Delete().Exec(ctx); return err },
			"exec":   func() error { _, err := s.DB(ctx).ExecContext(ctx, "DELETE FROM products"); return err },
			"query":  func() error { _, err := s.DB(ctx).QueryContext(ctx, "DELETE FROM products"); return err },
			"tx":     func() error { _, err := s.DB(ctx).Tx(ctx); return err },
		}
		for name, f := range writes {
			t.Run(name, func(t *testing.T) {
				if err := f(); !errors.Is(err, ent.ErrNoTx) {
					t.Errorf("got %v, want %v", err, ent.ErrNoTx)
				}
			})
		}
	})
}

// TestReadersOnlyRead checks that SQLite itself rejects a write disguised as a query.
func TestReadersOnlyRead(t *testing.T) {
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.DB(t.Context()).QueryContext(t.Context(),
		"WITH x AS (SELECT 1) INSERT INTO store_handles (handle, store_id) SELECT 'a', x'00' FROM x")
	if err == nil {
		rows.Next()
		err = rows.Err()
		rows.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestTxOfAnotherStore(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	ctx, shop := storetest.Merchant(t, a)
	err := a.InTx(ctx, func(ctx context.Context) error {
		n, err := b.DB(ctx).Store.Query().Count(viewer.Operator(ctx, shop.ID))
		if n != 0 {
			t.Errorf("the transaction of one database served another: %d stores", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCountStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		before := s.Statements()
		counted, counter := ent.CountStatements(ctx)
		count(t, counted, s)
		count(t, ctx, s)
		err := s.InTx(counted, func(ctx context.Context) error { return add(ctx, s, "a") })
		if err != nil || counter.N() != 2 {
			t.Errorf("got %d, %v, want the query and the insert", counter.N(), err)
		}
		if got := s.Statements() - before; got != 3 {
			t.Errorf("in all: got %d, want 3", got)
		}
	})
}

func TestServer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		now, err := s.ServerTime(t.Context())
		if d := time.Since(now).Abs(); d > 5*time.Second || err != nil {
			t.Errorf("server time is off by %v, %v", d, err)
		}
		if v, err := s.Version(t.Context()); err != nil || !strings.ContainsAny(v, "0123456789") {
			t.Errorf("got version %q, %v", v, err)
		}
		for _, p := range s.Stats() {
			if p.MaxOpenConnections == 0 || p.InUse != 0 {
				t.Errorf("pool %s: %+v", p.Name, p.DBStats)
			}
		}
	})
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		s.Close()
		if _, err := s.DB(ctx).Product.Query().Count(ctx); !ent.IsUnavailable(err) {
			t.Errorf("read: got %v, want unavailable", err)
		}
		if err := s.InTx(ctx, func(context.Context) error { return nil }); !ent.IsUnavailable(err) {
			t.Errorf("write: got %v, want unavailable", err)
		}
		if err := s.Ping(ctx); !ent.IsUnavailable(err) {
			t.Errorf("ping: got %v, want unavailable", err)
		}
	})
}

func TestOpenUnavailable(t *testing.T) {
	tests := []struct{ name, address string }{
		{"no server", "mysql://u:secret@unix(" + filepath.Join(t.TempDir(), "s") + ")/shop"},
		{"no folder", "sqlite:" + filepath.Join(t.TempDir(), "missing", "shop.db")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ent.Open(t.Context(), ent.Config{Database: tc.address})
			if !ent.IsUnavailable(err) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want unavailable, without the password", err)
			}
		})
	}
}

// TestFullPool checks that waiting for the writer ends with the caller's deadline.
func TestFullPool(t *testing.T) {
	s := storetest.Open(t)
	ctx, _ := storetest.Merchant(t, s)
	err := s.InTx(ctx, func(context.Context) error {
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		// The outer context is not in the transaction, so a second one waits.
		err := s.InTx(short, func(context.Context) error { return nil })
		if !ent.IsUnavailable(err) {
			t.Errorf("got %v, want unavailable", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSetIDIsKept(t *testing.T) {
	s := storetest.Open(t)
	ctx, _ := storetest.Merchant(t, s)
	id := xid.New()
	err := s.InTx(ctx, func(ctx context.Context) error {
		p, err := newProduct(s.DB(ctx), "a").SetID(id).Save(ctx)
		if err == nil && (p.ID != id || p.CreatedAt() != id.Time()) {
			t.Errorf("got id %v of %v", p.ID, p.CreatedAt())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
