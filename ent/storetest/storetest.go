// Package storetest opens migrated databases for tests: SQLite always, MariaDB if it is installed,
// and MySQL if one is given or unpacked.
//
// Every statement of such a store is checked by the statement lint (see [Lint]); a violation fails
// the test that ran it.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Environment variables of the tests.
const (
	// EnvMySQL is the mysql:// address of a server on which databases may be created, or the folder
	// of an unpacked MySQL, to use instead of MariaDB.
	EnvMySQL = "STOREFRONT_TEST_MYSQL"
	// EnvUnpacked is the folder of an unpacked MySQL to use in addition to MariaDB; see .ci/mysql.
	EnvUnpacked = "STOREFRONT_TEST_MYSQLD"
	// EnvRequire set to 1 makes a missing server a failure.
	EnvRequire = "STOREFRONT_REQUIRE_MYSQL"
)

// Open returns a store on a migrated SQLite file that is removed after the test.
func Open(t testing.TB) *ent.Store {
	t.Helper()
	return open(t, SQLite(t))
}

// Unlinted is [Open] for benchmarks: without the lint, which takes longer than the statements that
// it checks.
func Unlinted(b *testing.B) *ent.Store {
	b.Helper()
	return openWith(b, ent.Config{Database: SQLite(b)})
}

// UnlintedMySQL is [Unlinted] on MySQL or MariaDB: check [HaveMySQL] first.
func UnlintedMySQL(b *testing.B) *ent.Store {
	b.Helper()
	return openWith(b, ent.Config{Database: MySQL(b)})
}

// Each runs f on SQLite, on MariaDB or the given server if there is one, and on the additional
// MySQL that the environment names, each with a migrated, empty database.
func Each(t *testing.T, f func(t *testing.T, s *ent.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, Open(t)) })
	if HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { f(t, open(t, MySQL(t))) })
	}
	if os.Getenv(EnvUnpacked) != "" {
		t.Run("mysqld", func(t *testing.T) { f(t, open(t, databaseOf(t, additional))) })
	}
}

// LimitFormats makes a database readable by programs that only know the given formats: until the test
// ends, nothing is written in other formats. Call it before the first transaction of s.
func LimitFormats(t testing.TB, s *ent.Store, known ...ent.Format) {
	t.Helper()
	err := s.Admin(t.Context(), func(c *sql.Conn) error {
		for _, f := range ent.Formats() {
			if slices.Contains(known, f) {
				continue
			}
			if _, err := c.ExecContext(t.Context(), "DELETE FROM "+ent.FormatTable+" WHERE name = ?", f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := migrate.Finalize(context.WithoutCancel(t.Context()), s); err != nil {
			t.Error(err)
		}
	})
}

// Conflict returns the error of a database that did not do a commit, so that the transaction is
// retried.
func Conflict() error { return &mysql.MySQLError{Number: 1180} }

// OpenWithClock is [Open] at an address, with another clock of queues. Each call for a file of [SQLite]
// simulates another process.
func OpenWithClock(t testing.TB, address string, clock func() micros.Time) *ent.Store {
	t.Helper()
	return openWith(t, ent.Config{Database: address, Inspect: lintInspector(t), Clock: clock})
}

func open(t testing.TB, address string) *ent.Store {
	t.Helper()
	return openWith(t, ent.Config{Database: address, Inspect: lintInspector(t)})
}

func openWith(t testing.TB, c ent.Config) *ent.Store {
	t.Helper()
	if c.Clock == nil && time.Now().Year() == 2000 {
		c.Clock = micros.Now // the fake time of testing/synctest, which starts in that year
	}
	s, err := ent.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("open test database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close test database: %v", err)
		}
	})
	return s
}

// Merchant creates a store in EUR with a random handle, and returns a context in which the operator
// works in it.
func Merchant(t testing.TB, s *ent.Store) (context.Context, *db.Store) {
	t.Helper()
	id := xid.New()
	ctx := viewer.Operator(t.Context(), id)
	handle := "shop-" + strings.ToLower(rand.Text()[:10])
	var store *db.Store
	err := s.InTx(ctx, func(ctx context.Context) (err error) {
		c := s.DB(ctx)
		if _, err = c.StoreHandle.Create().SetID(handle).SetStoreID(id).Save(ctx); err != nil {
			return err
		}
		store, err = c.Store.Create().SetID(id).SetHandle(handle).SetName("Test shop").SetCurrency("EUR").
			SetTimezone("Europe/Berlin").SetUpdatedAt(micros.Now()).Save(ctx)
		return err
	})
	if err != nil {
		t.Fatalf("create a store: %v", err)
	}
	return ctx, store
}

// EachShard returns the combined results of f on every shard, for [ent.Store.Seek].
func EachShard[T any](t testing.TB, s *ent.Store, f func(ctx context.Context) ([]T, error)) (all []T) {
	t.Helper()
	all, err := ent.Gather(viewer.Everywhere(t.Context()), s, f)
	if err != nil {
		t.Fatalf("look on every shard: %v", err)
	}
	return all
}

// AllStores returns a client and a context with which a test reads the rows of all stores and
// people, as background work does on a shard.
func AllStores(t testing.TB, s *ent.Store) (*db.Client, context.Context) {
	t.Helper()
	var all context.Context
	err := s.EachShard(viewer.Everywhere(t.Context()), func(ctx context.Context) error { all = ctx; return nil })
	if err != nil {
		t.Fatalf("find the shard: %v", err)
	}
	return s.Seek(all), all
}
