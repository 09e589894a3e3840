package sales_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// orderList are the arguments of a page of orders.
type orderList struct {
	filter model.OrderFilter
	sort   state.ListSort
}

// plantSkewed fills a store with orders of two disjoint kinds, one after the other: what one
// condition matches, another excludes. The oldest change is last. It returns all combinations of
// conditions, each of which half of the orders meet.
func plantSkewed(t *testing.T, p *graphtest.Shop, n int) map[string]*orderList {
	customers := [2]xid.ID{xid.New(), xid.New()}
	graphtest.Plant(t, p.Ctx, p.Resolver, n, func(i int, o *db.OrderCreate) xid.ID {
		o.SetCustomerID(customers[i%2]).SetExternalNumber(fmt.Sprint("#", i%2)).
			SetUpdatedAt(graphtest.BoundTime + micros.Time(10*n-i))
		if i%2 == 1 {
			o.SetStatus(state.OrderCancelled).SetFinancialStatus(state.FinancialVoided).
				SetFulfillmentStatus(state.FulfillmentFulfilled)
		}
		return xid.At(graphtest.BoundTime + micros.Time(i))
	})
	middle := graphtest.BoundTime + micros.Time(n/2)
	all := graphtest.Combined(map[string]func(*orderList){
		"status":      func(l *orderList) { l.filter.Status = new(state.OrderCancelled) },
		"financial":   func(l *orderList) { l.filter.FinancialStatus = new(state.FinancialPaid) },
		"fulfillment": func(l *orderList) { l.filter.FulfillmentStatus = new(state.FulfillmentFulfilled) },
		"customer":    func(l *orderList) { l.filter.CustomerID = new(xid.Customer.Format(customers[0])) },
		"external":    func(l *orderList) { l.filter.ExternalNumber = new("#1") },
		"from":        func(l *orderList) { l.filter.CreatedFrom = new(middle) },
		"to":          func(l *orderList) { l.filter.CreatedTo = new(middle) },
		"updated":     func(l *orderList) { l.filter.UpdatedFrom = new(graphtest.BoundTime) },
		"oldest":      func(l *orderList) { l.sort = state.ListOldest },
	})
	maps.DeleteFunc(all, func(_ string, l *orderList) bool { // lists have one sort order
		f := l.filter
		return l.sort != "" && f.UpdatedFrom != nil ||
			f.ExternalNumber != nil && (l.sort != "" || f.FinancialStatus != nil || f.FulfillmentStatus != nil)
	})
	return all
}

// TestOrderBounds: whatever the filter and the store's contents, a page reads at most its bound,
// and no more from a large store than from a small one.
func TestOrderBounds(t *testing.T) {
	graphtest.Bounds(t, plantSkewed,
		func(ctx context.Context, p *graphtest.Shop, l *orderList, after *string) (*model.PageInfo, error) {
			var sort *state.ListSort
			if l.sort != "" {
				sort = &l.sort
			}
			c, err := p.Query().Orders(withoutLines(ctx), new(1), after, &l.filter, nil, sort)
			return c.PageInfo(), err
		})
}

// TestCustomerBounds is the same for customers.
func TestCustomerBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*model.CustomerFilter {
		p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
			return c.Customer.MapCreateBulk(rows, func(c *db.CustomerCreate, j int) {
				c.SetID(xid.At(graphtest.BoundTime + micros.Time(rows[j]))).
					SetEmail(fmt.Sprint(rows[j], "@example.com")).SetStatus(state.CustomerGuest).
					SetEmailMarketing(state.EmailNotSubscribed).
					SetAddresses(document.NewAddresses(nil)).SetTags(document.NewTags(nil)).
					SetUpdatedAt(graphtest.BoundTime)
			}).Exec(ctx)
		})
		return graphtest.Combined(map[string]func(*model.CustomerFilter){
			"email":   func(f *model.CustomerFilter) { f.Email = new("nobody@example.com") },
			"updated": func(f *model.CustomerFilter) { f.UpdatedFrom = new(graphtest.BoundTime) },
		})
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, f *model.CustomerFilter, after *string) (*model.PageInfo, error) {
			c, err := p.Query().Customers(ctx, new(1), after, f, nil, nil)
			return c.PageInfo(), err
		})
}
