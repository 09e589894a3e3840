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

// eachMySQL runs f on servers only; SQLite has no such failures.
func eachMySQL(t *testing.T, f func(t *testing.T, s *ent.Store)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		if s.Dialect() == "mysql" {
			f(t, s)
		}
	})
}

// TestDeadlock makes two transactions update two rows in opposite order. The server rolls back one,
// which runs again.
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
				once.Do(func() { met.Done(); met.Wait() }) // each has locked its first row
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

// TestSwallowedDeadlock checks that a deadlock is retried even if the function ignores it.
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
			t.Errorf("got %v after %d tries, %v, %v, want only the second try's row", got, tries, err, qerr)
		}
	})
}

// TestHiddenDeadlock checks that a deadlock is retried even if the function returns an unrelated
// error.
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

// ofMySQL matches the session settings that MySQL and TiDB read, and MariaDB skips.
var ofMySQL = regexp.MustCompile(`/\*!80000 ,(.*?)\*/`)

// TestIdleTransaction checks that a stalled transaction keeps its locks for only a few seconds,
// with MariaDB's timeout and with MySQL's. Then others continue, and it runs again.
func TestIdleTransaction(t *testing.T) {
	asMySQL := ofMySQL.FindStringSubmatch(ent.IdleTime)
	if asMySQL == nil {
		t.Fatal(ent.IdleTime)
	}
	for name, as := range map[string]string{
		"server's timeout": "",
		"MySQL's timeout":  "SET @a = 1 /*M!100300 , idle_transaction_timeout = 0, " + asMySQL[1] + " */",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachMySQL(t, func(t *testing.T, s *ent.Store) { stall(t, s, as) })
		})
	}
}

// TestLockedTable checks that a write to a locked table, as during a backup, fails before most
// clients give up.
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

// stall stalls a transaction that begins with the statement as, while another one waits for
// its lock.
func stall(t *testing.T, s *ent.Store, as string) {
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
	// A session of MySQL may be idle for longer than a lock wait lasts.
	n := s.Retries()["lock_wait"]
	if n > 0 && as == "" && strings.Contains(version, "MariaDB") {
		t.Errorf("%d lock waits timed out before the lock was free", n)
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

// kill closes the connection of the transaction that ctx is in.
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

// TestLostLink loses the connection in the middle, which is harmless, and before COMMIT, after
// which the outcome is unknown.
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
			more  bool // another statement follows; otherwise COMMIT
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
