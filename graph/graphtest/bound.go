package graphtest

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// BoundTime is the creation time of the first row in tests of bounds.
const BoundTime = micros.Time(1_650_000_000_000_000)

// Combined returns a filter for each combination of the conditions, keyed by their names.
func Combined[F any](conditions map[string]func(*F)) map[string]*F {
	names, all := slices.Sorted(maps.Keys(conditions)), map[string]*F{}
	for set := range 1 << len(names) {
		f, given := new(F), []string(nil)
		for i, name := range names {
			if set&(1<<i) != 0 {
				conditions[name](f)
				given = append(given, name)
			}
		}
		all[strings.Join(given, "+")] = f
	}
	return all
}

// Bounds checks how many rows the pages of a list read: at most page size + 2 of each of 64 index
// ranges, and in a large store no more than in a small one. plant fills a store with n rows and
// returns the filters to test; page reads a page of one row.
func Bounds[F any](t *testing.T, plant func(t *testing.T, p *Shop, n int) map[string]*F,
	page func(ctx context.Context, p *Shop, f *F, after *string) (*model.PageInfo, error),
) {
	t.Helper()
	EachShop(t, func(t *testing.T, p *Shop) {
		large := storetest.Rows(t)
		cost := map[string][]int64{}
		for _, n := range []int{large / 3, large} {
			shop := p.Other(t)
			for name, f := range plant(t, shop, n) {
				var info *model.PageInfo
				for i := 1; i <= 2 && (info == nil || info.HasNextPage); i++ {
					var after *string
					if info != nil {
						after = info.EndCursor
					}
					which := fmt.Sprintf("%s, page %d", name, i)
					cost[which] = append(cost[which], read(t, shop.Ctx, p.Resolver, func(ctx context.Context) {
						info = Must[*model.PageInfo](t)(page(ctx, shop, f, after))
					}))
				}
			}
		}
		for name, costs := range cost {
			if len(costs) == 2 {
				withinBound(t, p.Resolver, name, costs[0], costs[1])
			}
		}
	})
}

// withinBound compares the cost of a page in a large store with its cost in a small store and with
// the bound.
func withinBound(t *testing.T, r *graph.Resolver, name string, small, large int64) {
	t.Helper()
	const bound = 64 * (1 + 2)
	if r.Store.Dialect() == dialect.MySQL && large > bound {
		t.Errorf("%s: a page of one reads %d rows", name, large)
	}
	if large > small+small/4+50 { // the index of the large store is a little deeper
		t.Errorf("%s: a page costs %d, and %d in a larger store", name, small, large)
	}
}

// read returns how much f reads outside of transactions: rows on MySQL and MariaDB, pages of the
// file on SQLite.
func read(t *testing.T, ctx context.Context, r *graph.Resolver, f func(context.Context)) int64 {
	t.Helper()
	if r.Store.Dialect() == dialect.MySQL {
		return Reads(t, ctx, r, f)
	}
	before := storetest.Pages(t, r.Store)
	f(ctx)
	return storetest.Pages(t, r.Store) - before
}

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
