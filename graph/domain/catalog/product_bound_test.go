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
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// plantSkewed fills a store with alternating products of two kinds that share no filter value, the
// oldest change last.
func plantSkewed(t *testing.T, p *graphtest.Shop, n int) {
	p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
		return c.Product.MapCreateBulk(rows, func(c *db.ProductCreate, j int) {
			i, status, sku := rows[j], state.ProductActive, "ODD"
			if i%2 == 0 {
				status, sku = state.ProductArchived, "EVEN"
			}
			c.SetID(xid.At(graphtest.BoundTime + micros.Time(i))).SetTitle("Mug").SetHandle(fmt.Sprint("mug-", i)).
				SetStatus(status).SetSku(sku).SetPriceMinor(1).SetCurrency("EUR").SetTags(document.NewTags(nil)).
				SetUpdatedAt(graphtest.BoundTime + micros.Time(10*n-i))
		}).Exec(ctx)
	})
}

// productFilters returns all combinations of conditions, each of which matches half of the
// products.
func productFilters() map[string]*model.ProductFilter {
	return graphtest.Combined(map[string]func(*model.ProductFilter){
		"status":  func(f *model.ProductFilter) { f.Status = new(state.ProductActive) },
		"sku":     func(f *model.ProductFilter) { f.Sku = new("EVEN") },
		"updated": func(f *model.ProductFilter) { f.UpdatedFrom = new(graphtest.BoundTime) },
	})
}

// TestProductBounds: a page keeps its bound with every combination of filters, and reads no more in
// a large store than in a small one.
func TestProductBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*model.ProductFilter {
		plantSkewed(t, p, n)
		return productFilters()
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, f *model.ProductFilter, after *string) (*model.PageInfo, error) {
			c, err := p.Query().Products(ctx, new(1), after, f, nil, nil)
			return c.PageInfo(), err
		})
}

// With every combination of filters, a walk finds all matches, each once and in order, even if a
// page scans fewer rows than there are.
func TestProductFilters(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		plantSkewed(t, p, 301)
		// One of the odd products gets the SKU of the even ones.
		p.PlantMany(t, 1, func(ctx context.Context, c *db.Client, rows []int) error {
			return c.Product.MapCreateBulk(rows, func(c *db.ProductCreate, _ int) {
				c.SetID(xid.At(graphtest.BoundTime)).SetTitle("Mug").SetHandle("mug").SetStatus(state.ProductActive).
					SetSku("EVEN").SetPriceMinor(1).SetCurrency("EUR").SetTags(document.NewTags(nil)).
					SetUpdatedAt(graphtest.BoundTime + 3010)
			}).Exec(ctx)
		})
		walked := func(first int, f *model.ProductFilter) (seen []*db.Product) {
			var after *string
			for {
				c := graphtest.Must[*model.ProductConnection](t)(p.Query().Products(p.Ctx, &first, after, f, nil, nil))
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
