package storetest

import (
	"context"
	stdsql "database/sql"
	"os"
	"strconv"
	"testing"

	"entgo.io/ent/dialect"
	"modernc.org/sqlite"

	"github.com/storefront-go/storefront/ent"
)

// EnvRows overrides the number of rows of the larger store in the tests of what a page may read;
// see [Rows].
const EnvRows = "STOREFRONT_TEST_ROWS"

// Rows returns the number of rows of the larger store in a test of what pages read. By default a
// third of them are more than two pages of one row scan.
func Rows(t testing.TB) int {
	t.Helper()
	given := os.Getenv(EnvRows)
	if given == "" {
		return 2400
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 2400 {
		t.Fatalf("%s is %q, which is not a number from 2400", EnvRows, given)
	}
	return n
}

// Reads returns the number of rows that f made MySQL or MariaDB read, within one transaction and
// thus one session. On SQLite, which does not report it, it is 0.
func Reads(t testing.TB, ctx context.Context, s *ent.Store, f func(context.Context)) (n int64) {
	t.Helper()
	status := func(ctx context.Context) (sum int64) {
		if s.Dialect() != dialect.MySQL {
			return 0
		}
		err := ent.Read(ctx, s.DB(ctx), func(rows *stdsql.Rows) error {
			var name string
			var v int64
			err := rows.Scan(&name, &v)
			sum += v
			return err
		}, "SHOW SESSION STATUS LIKE 'Handler_read%'")
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	err := s.InTx(ctx, func(ctx context.Context) error {
		status(ctx)
		one := status(ctx)
		own := status(ctx) - one // the cost of the status query itself
		before := status(ctx)
		f(ctx)
		n = status(ctx) - before - own
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Pages returns the number of pages that reads of a SQLite database outside transactions have
// accessed since it was opened: their cost, which grows with the rows that they read. On other
// engines it is 0.
func Pages(t testing.TB, s *ent.Store) (n int64) {
	t.Helper()
	if s.Dialect() != dialect.SQLite {
		return 0
	}
	pool := s.Raw()
	conns := make([]*stdsql.Conn, pool.Stats().MaxOpenConnections) // all at once, so that none is counted twice
	for i := range conns {
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
	}
	for _, conn := range conns {
		err := conn.Raw(func(c any) error {
			for _, op := range []sqlite.DBStatusOp{sqlite.DBStatusCacheHit, sqlite.DBStatusCacheMiss} {
				now, _, err := c.(sqlite.DBStatus).Status(op, false)
				if err != nil {
					return err
				}
				n += int64(now)
			}
			return nil
		})
		conn.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return n
}
