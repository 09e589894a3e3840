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

// EnvRows is how many rows the larger store has in the tests that hold lists to what a page may
// read, in place of [Rows]' own number.
const EnvRows = "STOREFRONT_TEST_ROWS"

// Rows returns how many rows the larger store has in a test of what pages read: by itself so many
// that a third of them are more than two pages of one row look through.
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

// Reads returns how many rows f made MySQL or MariaDB read, in one transaction so that it
// is one session. SQLite does not tell: there it is 0.
func Reads(t testing.TB, ctx context.Context, s *ent.Store, f func(context.Context)) (n int64) {
	t.Helper()
	status := func(ctx context.Context) (sum int64) {
		if s.Dialect() != dialect.MySQL {
			return 0
		}
		rows, err := s.DB(ctx).QueryContext(ctx, "SHOW SESSION STATUS LIKE 'Handler_read%'")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var v int64
			if err := rows.Scan(&name, &v); err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return sum
	}
	err := s.InTx(ctx, func(ctx context.Context) error {
		status(ctx)
		one := status(ctx)
		own := status(ctx) - one // what asking costs itself
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

// Pages returns how many pages of a SQLite database its reads outside of transactions have looked
// at since it was opened: what they cost, which grows with the rows that they read. On others it is 0.
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
