package ent_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
)

func TestMain(m *testing.M) {
	storetest.Overlap(8)
	m.Run()
}

// TestRequestsWaitShortly checks that while another process holds SQLite's file, writers and those
// waiting behind them get unavailable within 10 s.
func TestRequestsWaitShortly(t *testing.T) {
	t.Parallel()
	address := storetest.SQLite(t)
	s, other := storetest.OpenWithClock(t, address, micros.Now), storetest.OpenWithClock(t, address, micros.Now)
	ctx := ent.Request(t.Context())
	nothing := func(context.Context) error { return nil }
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- other.InTx(ctx, func(context.Context) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	began := time.Now()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := s.InTx(ctx, nothing); !ent.IsUnavailable(err) || time.Since(began) > 10*time.Second {
				t.Errorf("answered %v after %s", err, time.Since(began))
			}
		})
	}
	all.Wait()
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.InTx(ctx, nothing); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestRequestWaitsForRow checks that while another transaction holds a row, a request gets
// unavailable within 10 s, whether it waits before its commit or with it, and that its statements
// are rolled back.
func TestRequestWaitsForRow(t *testing.T) {
	t.Parallel()
	const raise = "UPDATE products SET version = version + 1 WHERE store_id = ? AND id = ?"
	for name, sent := range map[string]func(context.Context) context.Context{
		"before the commit": func(ctx context.Context) context.Context { return ctx }, "with it": ent.Later,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachMySQL(t, func(t *testing.T, s *ent.Store) {
				ctx, store := storetest.Merchant(t, s)
				p := makeProduct(t, ctx, s)
				write := func(ctx context.Context) error {
					return s.InTx(ctx, func(ctx context.Context) error {
						_, err := s.DB(ctx).ExecContext(sent(ctx), raise, store.ID, p.ID)
						return err
					})
				}
				err := s.Admin(ctx, func(c *sql.Conn) error {
					if _, err := c.ExecContext(ctx, "BEGIN"); err != nil {
						return err
					}
					if _, err := c.ExecContext(ctx, raise, store.ID, p.ID); err != nil {
						return err
					}
					asked, began := ent.Request(ctx), time.Now()
					for _, most := range []time.Duration{10 * time.Second, 12 * time.Second} { // in one request
						if err := write(asked); !ent.IsUnavailable(err) || time.Since(began) > most {
							t.Errorf("answered %v after %s", err, time.Since(began))
						}
					}
					_, err := c.ExecContext(ctx, "ROLLBACK")
					return err
				})
				if err := errors.Join(err, write(ctx)); err != nil {
					t.Fatal(err)
				}
				if got, err := s.DB(ctx).Product.Get(ctx, p.ID); err != nil || got.Version != 2 {
					t.Errorf("%v: version %d, want only the last change", err, got.Version)
				}
			})
		})
	}
}

// TestRequestWaitsForConnection checks that while all connections are in use, a request gets
// unavailable within 10 s, whether it reads or writes.
func TestRequestWaitsForConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		t.Parallel()
		ctx, _ := storetest.Merchant(t, s)
		p := makeProduct(t, ctx, s)
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		hold := func() (held []*sql.Rows) {
			for range s.Stats()[0].MaxOpenConnections {
				rows, err := s.DB(ctx).QueryContext(ctx, "SELECT 1")
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, rows)
			}
			return held
		}
		release := func(held []*sql.Rows) {
			for _, rows := range held {
				rows.Close()
			}
		}
		held := hold()
		load := func(ctx context.Context) error { _, err := s.DB(ctx).Product.Get(ctx, p.ID); return err }
		ways := []func(context.Context) error{load, func(ctx context.Context) error {
			rows, err := s.DB(ctx).QueryContext(ctx, "SELECT 1")
			if err == nil {
				err = rows.Close()
			}
			return err
		}}
		if s.Dialect() == dialect.MySQL { // its pool is used for writes, too
			ways = append(ways, func(ctx context.Context) error { return s.InTx(ctx, load) })
		}
		began := time.Now()
		var all sync.WaitGroup
		for i, way := range ways {
			all.Go(func() {
				if err := way(ent.Request(ctx)); !ent.IsUnavailable(err) || time.Since(began) > 10*time.Second {
					t.Errorf("way %d: answered %v after %s", i, err, time.Since(began))
				}
			})
		}
		all.Wait()
		release(held)
		release(hold()) // MySQL has ended connections that were idle so long: they are replaced here
		for i, way := range ways {
			if err := way(ent.Request(ctx)); err != nil {
				t.Errorf("way %d, afterwards: %v", i, err)
			}
		}
	})
}

// TestCrowded checks that on SQLite a transaction of a request is noted, and one of the background
// is not; on other engines writers do not wait for each other.
func TestCrowded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		write := func(ctx context.Context) {
			if err := s.InTx(ctx, func(context.Context) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if write(ent.Background(t.Context())); s.Contended() {
			t.Error("background work counts as a request")
		}
		if write(t.Context()); s.Contended() != (s.Dialect() == dialect.SQLite) {
			t.Errorf("%s: %v", s.Dialect(), s.Contended())
		}
	})
}

// TestCrowdEnds checks that soon after the last request, none is expected any more.
func TestCrowdEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		if err := s.InTx(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if s.Contended() {
			t.Error("a request is still expected")
		}
	})
}
