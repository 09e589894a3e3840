package sales

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// workWindow is how many orders of a state are looked at for those that need something: no
// index has two states.
const workWindow = 1000

const (
	financialIndex = "order_store_id_financial_status_id"
	goodsIndex     = "order_store_id_fulfillment_status_id"
)

// states are those of an order.
type states struct {
	Status    state.OrderStatus     `sql:"status"`
	Financial state.FinancialStatus `sql:"financial_status"`
}

func (s states) open() bool { return s.Status == state.OrderOpen }

// OrderWork counts the orders of the viewer's store that need something.
func (q Query) OrderWork(ctx context.Context) (*model.OrderWork, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	w := &model.OrderWork{}
	for _, c := range []struct {
		to    **model.BoundedCount
		index string
		of    predicate.Order
		needs func(states) bool
	}{
		{&w.ToShip, goodsIndex, order.FulfillmentStatusEQ(state.FulfillmentUnfulfilled),
			func(s states) bool { return s.open() && s.Financial == state.FinancialPaid }},
		{&w.PartlyShipped, goodsIndex, order.FulfillmentStatusEQ(state.FulfillmentPartiallyFulfilled), states.open},
		{&w.Unpaid, financialIndex, order.FinancialStatusEQ(state.FinancialPending),
			func(states) bool { return true }},
		{&w.PartlyPaid, financialIndex, order.FinancialStatusEQ(state.FinancialPartiallyPaid), states.open},
	} {
		n, err := q.countStates(ctx, c.index, c.of, c.needs)
		if err != nil {
			return nil, core.Explain("orders", err)
		}
		*c.to = n
	}
	return w, nil
}

// countStates counts those of the newest orders of a state that need something.
func (q Query) countStates(
	ctx context.Context, index string, of predicate.Order, needs func(states) bool,
) (*model.BoundedCount, error) {
	var rows []states
	err := q.Client(ctx).Order.Query().Where(of).Modify(ent.ForceIndex(index), func(s *sql.Selector) {
		s.Select(s.C(order.FieldStatus), s.C(order.FieldFinancialStatus)).
			OrderBy(sql.Desc(s.C(order.FieldID))).Limit(workWindow + 1)
	}).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	n := &model.BoundedCount{More: len(rows) > workWindow}
	for _, row := range rows[:min(len(rows), workWindow)] {
		if needs(row) {
			n.Count++
		}
	}
	return n, nil
}
