package sales_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
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

// plantSkewed fills a store with orders of two kinds, one after the other, which have nothing in
// common: what one condition leaves, another takes away. The oldest change last.
func plantSkewed(t *testing.T, ctx context.Context, r *graph.Resolver, n int) (customers [2]xid.ID) {
	customers = [2]xid.ID{xid.New(), xid.New()}
	graphtest.Plant(t, ctx, r, n, func(i int, o *db.OrderCreate) xid.ID {
		o.SetCustomerID(customers[i%2]).SetUpdatedAt(boundTime + micros.Time(10*n-i))
		if i%2 == 1 {
			o.SetStatus(state.OrderCancelled).SetFinancialStatus(state.FinancialVoided).
				SetFulfillmentStatus(state.FulfillmentFulfilled)
		}
		return xid.At(boundTime + micros.Time(i))
	})
	return customers
}

// conditions are those of the list, of which each of n orders meets half.
func conditions(customers [2]xid.ID, n int) []func(*model.OrderFilter) {
	middle := boundTime + micros.Time(n/2)
	return []func(*model.OrderFilter){
		func(f *model.OrderFilter) { f.Status = new(state.OrderCancelled) },
		func(f *model.OrderFilter) { f.FinancialStatus = new(state.FinancialPaid) },
		func(f *model.OrderFilter) { f.FulfillmentStatus = new(state.FulfillmentFulfilled) },
		func(f *model.OrderFilter) { f.CustomerID = new(xid.Customer.Format(customers[0])) },
		func(f *model.OrderFilter) { f.CreatedFrom = new(middle) },
		func(f *model.OrderFilter) { f.CreatedTo = new(middle) },
		func(f *model.OrderFilter) { f.UpdatedFrom = new(boundTime) },
	}
}

// combined are the filters of all combinations of conditions.
func combined(all []func(*model.OrderFilter)) (filters []*model.OrderFilter) {
	for set := range 1 << len(all) {
		f := &model.OrderFilter{}
		for i, add := range all {
			if set&(1<<i) != 0 {
				add(f)
			}
		}
		filters = append(filters, f)
	}
	return filters
}

func filterName(f *model.OrderFilter) string {
	var names []string
	for name, given := range map[string]bool{
		"status": f.Status != nil, "financial": f.FinancialStatus != nil, "fulfillment": f.FulfillmentStatus != nil,
		"customer": f.CustomerID != nil, "from": f.CreatedFrom != nil, "to": f.CreatedTo != nil,
		"updated": f.UpdatedFrom != nil,
	} {
		if given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "+")
}

// TestOrderBounds: whatever is asked for together, and whatever the store has, a page reads no
// more than it may, and no more of a large store than of a small one.
func TestOrderBounds(t *testing.T) {
	const first = 1
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		few, many := graphtest.BoundRows()
		other, _ := storetest.Merchant(t, r.Store)
		cost := map[string][]int64{}
		for i, ctx := range []context.Context{graphtest.As(other, viewer.Owner), ctx} {
			n := []int{few, many}[i]
			for _, f := range combined(conditions(plantSkewed(t, ctx, r, n), n)) {
				for _, sort := range []state.ListSort{state.ListNewest, state.ListOldest} {
					if sort == state.ListOldest && f.UpdatedFrom != nil {
						continue
					}
					var after *string
					for page := range 2 {
						var c *model.OrderConnection
						name := fmt.Sprintf("%s, %s, page %d", filterName(f), sort, page+1)
						cost[name] = append(cost[name], graphtest.Cost(t, ctx, r, func(ctx context.Context) {
							c = graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(withoutLines(ctx),
								new(first), after, f, nil, &sort))
						}))
						if c.Next == "" {
							break
						}
						after = &c.Next
					}
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
