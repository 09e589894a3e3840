package graphtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// BoundTime is when the first row was made that a test of bounds plants.
const BoundTime = micros.Time(1_650_000_000_000_000)

// Combined are the filters of all combinations of conditions, by the names of these.
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

// Bounds holds a list to what its pages may read, in two stores that plant fills with n rows and
// whose filters it returns: as many rows of 64 ranges of an index as a page shows, and two, and no
// more in the larger store than in the smaller. page reads a page of one row.
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

// withinBound holds the cost of a page of a large store against that of the same page of a small
// one, and against the bound.
func withinBound(t *testing.T, r *graph.Resolver, name string, small, large int64) {
	t.Helper()
	const bound = 64 * (1 + 2)
	if r.Store.Dialect() == dialect.MySQL && large > bound {
		t.Errorf("%s: a page of one reads %d rows", name, large)
	}
	if large > small+small/4+50 { // an index is a little deeper there
		t.Errorf("%s: a page costs %d, and %d in a larger store", name, small, large)
	}
}

// read returns what f reads outside of transactions: rows on MySQL and MariaDB, pages of the file
// on SQLite.
func read(t *testing.T, ctx context.Context, r *graph.Resolver, f func(context.Context)) int64 {
	t.Helper()
	if r.Store.Dialect() == dialect.MySQL {
		return Reads(t, ctx, r, f)
	}
	before := storetest.Pages(t, r.Store)
	f(ctx)
	return storetest.Pages(t, r.Store) - before
}
