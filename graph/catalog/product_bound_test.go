package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

const boundTime = micros.Time(1_650_000_000_000_000)

// plantSkewed fills a store with products of two kinds, one after the other, which have nothing in
// common. The oldest change last.
func plantSkewed(t *testing.T, ctx context.Context, r *graph.Resolver, n int) {
	for from := 0; from < n; from += 400 {
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			rows := make([]*db.ProductCreate, min(400, n-from))
			for j := range rows {
				i := from + j
				status, sku := state.ProductActive, "ODD"
				if i%2 == 0 {
					status, sku = state.ProductArchived, "EVEN"
				}
				rows[j] = r.Client(ctx).Product.Create().SetID(xid.At(boundTime + micros.Time(i))).SetTitle("Mug").
					SetHandle(fmt.Sprint("mug-", i)).SetStatus(status).SetSku(sku).SetPriceMinor(1).SetCurrency("EUR").
					SetTags(document.NewTags(nil)).SetUpdatedAt(boundTime + micros.Time(10*n-i))
			}
			return r.Client(ctx).Product.CreateBulk(rows...).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// productFilters are all combinations of conditions, of which a product meets half.
func productFilters() map[string]*model.ProductFilter {
	all := map[string]*model.ProductFilter{}
	for set := range 1 << 3 {
		f, name := &model.ProductFilter{}, ""
		if set&1 != 0 {
			f.Status, name = new(state.ProductActive), name+" status"
		}
		if set&2 != 0 {
			f.Sku, name = new("EVEN"), name+" sku"
		}
		if set&4 != 0 {
			f.UpdatedFrom, name = new(boundTime), name+" updated"
		}
		all[name] = f
	}
	return all
}

// TestProductBounds: whatever is asked for together, and whatever the store has, a page reads no
// more than it may, and no more of a large store than of a small one.
func TestProductBounds(t *testing.T) {
	const first = 1
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		few, many := graphtest.BoundRows()
		other, _ := storetest.Merchant(t, r.Store)
		cost := map[string][]int64{}
		for i, ctx := range []context.Context{graphtest.As(other, viewer.Owner), ctx} {
			plantSkewed(t, ctx, r, []int{few, many}[i])
			for name, f := range productFilters() {
				var after *string
				for range 2 {
					name += ", a page"
					var c *model.ProductConnection
					cost[name] = append(cost[name], graphtest.Cost(t, ctx, r, func(ctx context.Context) {
						c = graphtest.Must[*model.ProductConnection](t)(r.Query().Products(ctx, new(first), after, f,
							nil, nil))
					}))
					if c.Next == "" {
						break
					}
					after = &c.Next
				}
			}
		}
		for name, costs := range cost {
			if len(costs) == 2 {
				graphtest.WithinBound(t, r, name, first, costs[0], costs[1])
			}
		}
	})
}

// Whatever is asked for together, a walk finds what fits, each once and in order, also where a
// page looks through less than there is.
func TestProductFilters(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plantSkewed(t, ctx, r, 301)
		// One of the odd ones is sold under the code of the even ones.
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Client(ctx).Product.MapCreateBulk(make([]struct{}, 1), func(c *db.ProductCreate, _ int) {
				c.SetID(xid.At(boundTime)).SetTitle("Mug").SetHandle("mug").SetStatus(state.ProductActive).
					SetSku("EVEN").SetPriceMinor(1).SetCurrency("EUR").SetTags(document.NewTags(nil)).
					SetUpdatedAt(boundTime + 3010)
			}).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		walked := func(first int, f *model.ProductFilter) (seen []*db.Product) {
			var after *string
			for {
				c := graphtest.Must[*model.ProductConnection](t)(r.Query().Products(ctx, &first, after, f, nil, nil))
				if seen = append(seen, c.Nodes...); c.Next == "" {
					return seen
				}
				after = &c.Next
			}
		}
		all := walked(100, nil)
		if len(all) != 302 {
			t.Fatalf("%d products", len(all))
		}
		for name, f := range productFilters() {
			want := slices.DeleteFunc(slices.Clone(all), func(p *db.Product) bool {
				return f.Status != nil && *f.Status != p.Status || f.Sku != nil && *f.Sku != *p.Sku
			})
			if f.UpdatedFrom != nil {
				slices.SortFunc(want, func(a, b *db.Product) int {
					return int(a.UpdatedAt-b.UpdatedAt)*2 + a.ID.Compare(b.ID)
				})
			}
			if got := walked(1, f); !slices.EqualFunc(got, want, func(a, b *db.Product) bool { return a.ID == b.ID }) {
				t.Errorf("%s: %d products, want %d", name, len(got), len(want))
			}
		}
	})
}
