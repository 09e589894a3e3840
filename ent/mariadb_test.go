package ent_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// eachMySQL runs f where there is a server; SQLite has no such failures.
func eachMySQL(t *testing.T, f func(t *testing.T, s *ent.Store)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		if s.Dialect() == "mysql" {
			f(t, s)
		}
	})
}

// TestDeadlock makes two transactions take two rows in opposite order. The
// server ends one, and that one runs again.
func TestDeadlock(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		a, b := makeProduct(t, ctx, s), makeProduct(t, ctx, s)
		var tries, commits atomic.Int64
		var met, done sync.WaitGroup
		met.Add(2)
		work := func(first, second xid.ID) {
			var once sync.Once
			err := s.InTx(ctx, func(ctx context.Context) error {
				tries.Add(1)
				ent.OnCommit(ctx, func() { commits.Add(1) })
				if err := bump(ctx, s, first); err != nil {
					return err
				}
				once.Do(func() { met.Done(); met.Wait() }) // each holds its first row
				return bump(ctx, s, second)
			})
			if err != nil {
				t.Error(err)
			}
		}
		done.Go(func() { work(a.ID, b.ID) })
		done.Go(func() { work(b.ID, a.ID) })
		done.Wait()
		if tries.Load() < 3 || commits.Load() != 2 || s.Retries()["conflict"] == 0 {
			t.Errorf("got %d tries, %d commits, %v retries, want a third try and two commits", tries.Load(),
				commits.Load(), s.Retries())
		}
		for _, id := range []xid.ID{a.ID, b.ID} {
			if p, err := s.DB(ctx).Product.Get(ctx, id); err != nil || p.Version != 3 {
				t.Errorf("got version %d, %v, want both changes", p.Version, err)
			}
		}
	})
}

func bump(ctx context.Context, s *ent.Store, id xid.ID) error {
	return s.DB(ctx).Product.Update().Where(product.ID(id)).AddVersion(1).Exec(ctx)
}

// TestSwallowedDeadlock: the server has rolled back, whatever the closure says.
func TestSwallowedDeadlock(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		tries := 0
		err := s.InTx(ctx, func(ctx context.Context) error {
			if tries++; tries == 1 {
				if err := add(ctx, s, "first try"); err != nil {
					return err
				}
				s.DB(ctx).ExecContext(ctx, "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213")
			}
			add(ctx, s, fmt.Sprintf("try %d", tries))
			return nil
		})
		got, qerr := s.DB(ctx).Product.Query().Select(product.FieldHandle).Strings(ctx)
		if err != nil || qerr != nil || tries != 2 || len(got) != 1 || got[0] != "try 2" {
			t.Errorf("got %v after %d tries, %v, %v, want the second try's row alone", got, tries, err, qerr)
		}
	})
}

// TestHiddenDeadlock: an answer made of a deadlock is tried again, though its
// chain of causes does not show it.
func TestHiddenDeadlock(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		tries := 0
		err := s.InTx(ctx, func(ctx context.Context) error {
			if tries++; tries > 1 {
				return nil
			}
			s.DB(ctx).ExecContext(ctx, "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213")
			return errOurs
		})
		if tries != 2 || err != nil {
			t.Errorf("got %d tries, %v, want a second one", tries, err)
		}
	})
}

// ofMySQL is what MySQL and TiDB read of a session's settings, and MariaDB skips.
var ofMySQL = regexp.MustCompile(`/\*!80000 ,(.*?)\*/`)

// TestIdleTransaction: a transaction that stands still keeps its locks for a few seconds,
// as MariaDB ends it and as MySQL does. Others go on then, and it runs again.
func TestIdleTransaction(t *testing.T) {
	asMySQL := ofMySQL.FindStringSubmatch(ent.IdleTime)
	if asMySQL == nil {
		t.Fatal(ent.IdleTime)
	}
	for name, as := range map[string]string{
		"the server's own way": "",
		"MySQL's way":          "SET @a = 1 /*M!100300 , idle_transaction_timeout = 0, " + asMySQL[1] + " */",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachMySQL(t, func(t *testing.T, s *ent.Store) { standStill(t, s, as) })
		})
	}
}

// TestLockedTable: a write to a table that is locked as a whole, as by a backup, is answered
// within the patience of most clients.
func TestLockedTable(t *testing.T) {
	t.Parallel()
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		err := s.Admin(ctx, func(c *sql.Conn) error {
			if _, err := c.ExecContext(ctx, "LOCK TABLES products WRITE"); err != nil {
				return err
			}
			began := time.Now()
			err := s.InTx(ctx, func(ctx context.Context) error { return add(ctx, s, "a") })
			if took := time.Since(began); !ent.IsUnavailable(err) || took > 10*time.Second {
				t.Errorf("answered %v after %s", err, took)
			}
			_, err = c.ExecContext(ctx, "UNLOCK TABLES")
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// standStill lets a transaction that begins with a statement stand still, and another one
// wait for its lock.
func standStill(t *testing.T, s *ent.Store, as string) {
	ctx, _ := storetest.Merchant(t, s)
	p := makeProduct(t, ctx, s)
	locked, changed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(changed)
		<-locked
		if err := s.InTx(ctx, func(ctx context.Context) error { return bump(ctx, s, p.ID) }); err != nil {
			t.Error(err)
		}
	}()
	tries := 0
	err := s.InTx(ctx, func(ctx context.Context) error {
		if tries++; tries == 1 && as != "" {
			if _, err := s.DB(ctx).ExecContext(ctx, as); err != nil {
				return err
			}
		}
		if err := bump(ctx, s, p.ID); err != nil {
			return err
		}
		if tries == 1 {
			close(locked)
			<-changed
		}
		return add(ctx, s, "after")
	})
	if got, _ := s.DB(ctx).Product.Get(ctx, p.ID); err != nil || tries != 2 || got.Version != 3 {
		t.Errorf("%v, version %d after %d tries, want 3 after 2", err, got.Version, tries)
	}
	version, err := s.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// One of MySQL's sessions may be silent for longer than a wait for a lock takes.
	n := s.Retries()["lock_wait"]
	if n > 0 && as == "" && strings.Contains(version, "MariaDB") {
		t.Errorf("%d waits for the lock were over before it was free", n)
	}
}

func TestFinalIsNotRetried(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		tries := 0
		err := s.InTx(ctx, func(ctx context.Context) error {
			tries++
			_, err := s.DB(ctx).ExecContext(ctx, "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205")
			return ent.Final(err)
		})
		if tries != 1 || !ent.IsLockTimeout(err) {
			t.Errorf("got %d tries, %v, want one and the lock wait", tries, err)
		}
	})
}

// kill ends the connection of the transaction that ctx is in.
func kill(ctx context.Context, s *ent.Store) error {
	rows, err := s.DB(ctx).QueryContext(ctx, "SELECT CONNECTION_ID()")
	if err != nil {
		return err
	}
	var id int64
	for rows.Next() {
		err = rows.Scan(&id)
	}
	rows.Close()
	if err != nil {
		return err
	}
	return s.Admin(context.WithoutCancel(ctx), func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("KILL CONNECTION %d", id))
		return err
	})
}

// TestLostLink loses the connection in the middle, which is harmless, and
// before COMMIT, whose outcome is then unknown.
func TestLostLink(t *testing.T) {
	type transaction func(context.Context, func(context.Context) error) error
	run := func(ctx context.Context, inTx transaction, s *ent.Store, more bool) (tries int, err error) {
		err = inTx(ctx, func(ctx context.Context) error {
			if tries++; tries > 1 {
				return add(ctx, s, "a")
			}
			if err := errors.Join(add(ctx, s, "a"), kill(ctx, s)); err != nil || !more {
				return err
			}
			return add(ctx, s, "b")
		})
		return tries, err
	}
	eachMySQL(t, func(t *testing.T, s *ent.Store) {
		tests := []struct {
			name  string
			inTx  transaction
			more  bool // a statement follows; else COMMIT does
			tries int
			rows  int
		}{
			{name: "in the middle", inTx: s.InTx, more: true, tries: 2, rows: 1},
			{name: "at commit", inTx: s.InTx, tries: 1},
			{name: "at commit, keyed", inTx: s.InTxKeyed, tries: 2, rows: 1},
		}
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				ctx, _ := storetest.Merchant(t, s)
				tries, err := run(ctx, tc.inTx, s, tc.more)
				if tries != tc.tries || (err == nil) != (tc.rows > 0) || err != nil && !ent.IsUnavailable(err) {
					t.Errorf("got %d tries, %v, want %d", tries, err, tc.tries)
				}
				if n := count(t, ctx, s); n != tc.rows {
					t.Errorf("got %d rows, want %d", n, tc.rows)
				}
			})
		}
	})
}
