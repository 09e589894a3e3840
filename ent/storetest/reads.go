package storetest

import (
	"context"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
)

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
