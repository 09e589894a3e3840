package graphtest

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph"
)

// The store of the plan tests: most rows in one microsecond, most of one status,
// so that a planner that trusts its guesses reads them all.
const (
	PlanRows = 4000
	PlanTie  = micros.Time(1_650_000_000_000_000)
)

// Reads returns how many rows f made the engine read, in one transaction so that
// it is one session.
func Reads(t *testing.T, ctx context.Context, r *graph.Resolver, f func(context.Context)) (n int64) {
	t.Helper()
	status := func(ctx context.Context) (sum int64) {
		rows, err := r.Client(ctx).QueryContext(ctx, "SHOW SESSION STATUS LIKE 'Handler_read%'")
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
		return sum
	}
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
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

// ExplainQuery returns the plan of a statement, whose values SQLite's planner
// does not look at.
func ExplainQuery(t *testing.T, s *ent.Store, st ent.Statement) string {
	t.Helper()
	args := make([]any, st.Args)
	for i := range args {
		args[i] = []byte{0}
	}
	rows, err := s.Raw().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+st.Query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused sql.NullInt64
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	return strings.Join(plan, "; ")
}
