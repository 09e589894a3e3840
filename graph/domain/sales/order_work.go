package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// workWindow is the highest count of orders that need work.
const workWindow = 1000

// OrderWork counts the orders of the viewer's store that need work.
func (q Query) OrderWork(ctx context.Context) (*model.OrderWork, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	w := &model.OrderWork{}
	open := new(state.OrderOpen)
	for _, c := range []struct {
		to **model.BoundedCount
		of model.OrderFilter
	}{
		{&w.ToShip, model.OrderFilter{Status: open, FinancialStatus: new(state.FinancialPaid),
			FulfillmentStatus: new(state.FulfillmentUnfulfilled)}},
		{&w.PartlyShipped, model.OrderFilter{Status: open,
			FulfillmentStatus: new(state.FulfillmentPartiallyFulfilled)}},
		{&w.Unpaid, model.OrderFilter{FinancialStatus: new(state.FinancialPending)}},
		{&w.PartlyPaid, model.OrderFilter{Status: open, FinancialStatus: new(state.FinancialPartiallyPaid)}},
	} {
		counts, err := q.CountRanges(ctx, orderFilter{OrderFilter: c.of}.ranges(), workWindow)
		if err != nil {
			return nil, core.Explain("orders", err)
		}
		n := 0
		for _, one := range counts {
			n += one
		}
		*c.to = &model.BoundedCount{Count: min(n, workWindow), More: n > workWindow}
	}
	return w, nil
}
