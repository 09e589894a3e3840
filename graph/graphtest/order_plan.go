package graphtest

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
)

// The store of the plan tests has most rows in one microsecond and in one status, so that a planner
// that trusts its estimates reads all rows.
const (
	PlanRows = 4000
	PlanTie  = micros.Time(1_650_000_000_000_000)
)

// Reads returns how many rows the engine read while f ran.
func Reads(t *testing.T, ctx context.Context, r *graph.Resolver, f func(context.Context)) int64 {
	t.Helper()
	return storetest.Reads(t, ctx, r.Store, f)
}

// ExplainQuery returns SQLite's plan of a statement. The values of its arguments do not matter to
// the planner.
func ExplainQuery(t *testing.T, s *ent.Store, st ent.Statement) string {
	t.Helper()
	args := make([]any, len(st.Values))
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
