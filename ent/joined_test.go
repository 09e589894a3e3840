package ent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// proxied runs f with a store whose messages to the database are recorded.
func proxied(t *testing.T, f func(t *testing.T, p *storetest.Proxy, s *ent.Store)) {
	if !storetest.HaveMySQL(t) {
		return // SQLite has no messages
	}
	p := storetest.NewProxy(t, storetest.MySQL(t))
	s, err := ent.Open(t.Context(), ent.Config{Database: p.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Sharded() {
		return // vtgate gets each statement separately
	}
	f(t, p, s)
}

// BEGIN is sent with the first statement of a transaction, and COMMIT with the delayed ones;
// without others it is a single message.
func TestJoinedMessages(t *testing.T) {
	proxied(t, func(t *testing.T, p *storetest.Proxy, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		note := func(ctx context.Context) error { return mark(ctx, s, xid.New()) }
		write := func(ctx context.Context) error { return add(ctx, s, xid.New().String()) }
		read := func(ctx context.Context) error {
			_, err := s.DB(ctx).Product.Query().Count(ctx)
			return err
		}
		fail := func(context.Context) error { return errOurs }
		for _, tc := range []struct {
			name  string
			steps []func(context.Context) error
			want  string // the first words of the messages
		}{
			{"nothing", nil, ""},
			{"nothing, rolled back", []func(context.Context) error{fail}, ""},
			{"a write", []func(context.Context) error{write}, "START INSERT|COMMIT"},
			{"a read", []func(context.Context) error{read}, "START|SELECT|COMMIT"},
			{"a note", []func(context.Context) error{note}, "START INSERT COMMIT"},
			{"writes and notes", []func(context.Context) error{write, note, write, note, note},
				"START INSERT|INSERT|INSERT|INSERT INSERT COMMIT"},
			{"a write, rolled back", []func(context.Context) error{write, note, fail}, "START INSERT|ROLLBACK"},
		} {
			p.Queries()
			err := s.InTx(ctx, func(ctx context.Context) error {
				for _, step := range tc.steps {
					if err := step(ctx); err != nil {
						return err
					}
				}
				return nil
			})
			if back := strings.HasSuffix(tc.name, "back"); back != errors.Is(err, errOurs) || !back && err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			var got []string
			for _, q := range p.Queries() {
				var words []string
				for part := range strings.SplitSeq(q, "; ") {
					word, _, _ := strings.Cut(part, " ")
					words = append(words, word)
				}
				got = append(got, strings.Join(words, " "))
			}
			got = slices.DeleteFunc(got, func(q string) bool { return q == "SET" }) // of a new connection
			if strings.Join(got, "|") != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			}
		}
	})
}

// If the answer to a message with COMMIT is lost, a keyed transaction finds out the outcome, and
// one without a key reports it as uncertain.
func TestJoinedCommitIsLost(t *testing.T) {
	proxied(t, func(t *testing.T, p *storetest.Proxy, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		for i, inTx := range []func(context.Context, func(context.Context) error) error{s.InTx, s.InTxKeyed} {
			p.LoseCommit.Store(true)
			var tries int
			err := inTx(ctx, func(ctx context.Context) error {
				tries++
				if err := add(ctx, s, "a"+xid.New().String()); err != nil {
					return err
				}
				return mark(ctx, s, xid.New())
			})
			if i == 0 && (tries != 1 || !errors.Is(err, ent.ErrUncertain)) || i == 1 && (tries != 2 || err != nil) {
				t.Errorf("%d tries, %v", tries, err)
			}
		}
		if got, products := marks(t, ctx, s), count(t, ctx, s); got != 3 || products != 3 {
			t.Errorf("%d marks, %d products", got, products)
		}
	})
}

// If the connection is lost before the first statement, the transaction is just retried.
func TestJoinedBeginIsLost(t *testing.T) {
	proxied(t, func(t *testing.T, p *storetest.Proxy, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		var tries int
		err := s.InTx(ctx, func(ctx context.Context) error {
			if tries++; tries == 1 {
				p.Cut()
			}
			return add(ctx, s, "a")
		})
		if err != nil || tries != 2 || count(t, ctx, s) != 1 {
			t.Errorf("%d tries, %v, %d products", tries, err, count(t, ctx, s))
		}
	})
}

// A text of several statements is refused, however it is run. Semicolons of values are not meant.
func TestOneStatement(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return
	}
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.MySQL(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, _ := storetest.Merchant(t, s)
	read := func(ctx context.Context, text string) error {
		rows, err := s.DB(ctx).QueryContext(ctx, text)
		if err == nil {
			err = rows.Close()
		}
		return err
	}
	write := func(ctx context.Context, text string) error {
		_, err := s.DB(ctx).ExecContext(ctx, text)
		return err
	}
	for name, err := range map[string]error{
		"a read": read(ctx, "SELECT 1; DELETE FROM products"),
		"a read in a transaction": s.InTx(ctx, func(ctx context.Context) error {
			return read(ctx, "SELECT 1; DELETE FROM products")
		}),
		"a write": s.InTx(ctx, func(ctx context.Context) error {
			return write(ctx, "DELETE FROM orders; DELETE FROM products")
		}),
		"a delayed write": s.InTx(ctx, func(ctx context.Context) error {
			return write(ent.Later(ctx), "DELETE FROM orders; DELETE FROM products")
		}),
	} {
		if err == nil || !strings.Contains(err.Error(), "semicolon") {
			t.Errorf("%s: %v", name, err)
		}
	}
	err = s.InTx(ctx, func(ctx context.Context) error { return add(ctx, s, "a; DELETE FROM products") })
	if err != nil || count(t, ctx, s) != 1 {
		t.Errorf("a value: %v, %d products", err, count(t, ctx, s))
	}
}
