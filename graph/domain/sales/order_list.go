package sales

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// The indexes of orders. The state indexes start with all three states, so that any combination of
// states is a set of ranges, 18 at most, of which a page reads the first rows.
const (
	ordersByChange      = "order_store_id_updated_at_id"
	ordersByCustomer    = "order_store_id_customer_id_id"
	ordersByExternal    = "order_store_id_external_number_id"
	ordersByNumber      = "order_store_id_number"
	ordersByState       = "order_states_id"
	ordersByStateChange = "order_states_updated_at_id"
)

// hasState reports whether the filter has any of the three states.
func (f orderFilter) hasState() bool {
	return f.Status != nil || f.FinancialStatus != nil || f.FulfillmentStatus != nil
}

// isCreated reports whether the filter has a creation time.
func (f orderFilter) isCreated() bool { return f.CreatedFrom != nil || f.CreatedTo != nil }

// mixed reports whether no single index serves the whole filter. A customer usually has few orders,
// and an order that changed is usually recent: an index for each combination would cost every order
// more than it saves.
func (f orderFilter) mixed() bool {
	switch {
	case f.ExternalNumber != nil:
		return f.hasState() || f.UpdatedFrom != nil || f.CustomerID != nil
	case f.CustomerID != nil:
		return f.hasState() || f.UpdatedFrom != nil
	}
	return f.UpdatedFrom != nil && f.isCreated()
}

// lead returns the part of a mixed filter that matches the fewest orders, and the index that serves
// it.
func (f orderFilter) lead() (part orderFilter, index string) {
	part.CreatedFrom, part.CreatedTo, index = f.CreatedFrom, f.CreatedTo, ent.Primary
	switch {
	case f.ExternalNumber != nil:
		part.ExternalNumber, index = f.ExternalNumber, ordersByExternal
	case f.CustomerID != nil:
		part.CustomerID, part.customer, index = f.CustomerID, f.customer, ordersByCustomer
	}
	return part, index
}

// index returns the index of a filter that has numbers, or is neither mixed nor has states.
func (f orderFilter) index(a core.Arrangement) string {
	switch {
	case f.Numbers != nil: // one row each, which the other conditions filter
		return ordersByNumber
	case f.ExternalNumber != nil:
		return ordersByExternal
	case f.CustomerID != nil:
		return ordersByCustomer
	case a.ByChange():
		return ordersByChange
	}
	return ent.Primary
}

// ranges returns the index ranges of the states.
func (f orderFilter) ranges() ent.Ranges {
	r := ent.Ranges{Table: order.Table, Index: ordersByState,
		Columns: []string{order.FieldStatus, order.FieldFinancialStatus, order.FieldFulfillmentStatus},
		Values: ent.Product(values(f.Status, state.OrderStatuses()),
			values(f.FinancialStatus, state.FinancialStatuses()),
			values(f.FulfillmentStatus, state.FulfillmentStatuses()))}
	if f.UpdatedFrom != nil {
		r.Index = ordersByStateChange
	}
	return r
}

// values returns the given value, or all of them.
func values[T ~string](given *T, all []T) (list []any) {
	if given != nil {
		return []any{string(*given)}
	}
	for _, v := range all {
		list = append(list, string(v))
	}
	return list
}

// created returns the bounds of the id, which contains the creation time.
func (f orderFilter) created() (list []core.Bound) {
	core.Opt(f.CreatedFrom, func(t micros.Time) { list = append(list, core.Bound{Sign: ">=", Arg: xid.First(t)}) })
	core.Opt(f.CreatedTo, func(t micros.Time) { list = append(list, core.Bound{Sign: "<", Arg: xid.First(t)}) })
	return list
}

// at returns the position of an order in the list.
func (f orderFilter) at(o *db.Order) page.Position {
	if f.UpdatedFrom != nil {
		return core.ByUpdate(o.UpdatedAt, o.ID)
	}
	return core.ByID(o.ID)
}

// mergeOrders reads one page of a filter with states.
func (q Query) mergeOrders(ctx context.Context, f orderFilter, a core.Arrangement, after *page.Position, limit int) (
	[]*db.Order, error,
) {
	query, ranges := q.Client(ctx).Order.Query(), f.ranges()
	w := a.Window(after, limit, ranges.Index)
	if len(ranges.Values) == 1 {
		f.where(query)
		query.Modify(w.Apply)
		return query.Load(ctx)
	}
	query.Modify(w.Merge(ctx, ranges, f.created()...))
	rows, err := query.Load(ctx)
	core.InOrder(w, rows, f.at)
	return rows, err
}

// siftOrders reads one page of a mixed filter. Of a list by change it reads everything that the
// leading part matches, if that is little; else it reads a window and filters that.
func (q Query) siftOrders(ctx context.Context, f orderFilter, a core.Arrangement, after *page.Position, limit int) (
	[]*db.Order, *page.Position, error,
) {
	part, index := f.lead()
	w, n := a.Window(after, limit, index), core.ScanLimit(limit)
	if f.UpdatedFrom != nil {
		n = core.ProbedScanLimit(limit)
		few, err := q.fewOrders(ctx, part, index, n)
		if err != nil {
			return nil, nil, err
		}
		if w.Index = ordersByChange; few {
			w.Index = index
			rows, err := q.ordersTo(ctx, f, w, nil)
			return rows, nil, err
		}
	}
	return core.Sift(limit, n, func(n int) (*page.Position, error) { return q.orderFloor(ctx, f, w, n) },
		func(to *page.Position) ([]*db.Order, error) { return q.ordersTo(ctx, f, w, to) })
}

// ordersTo reads the matching orders of a window, up to a position.
func (q Query) ordersTo(ctx context.Context, f orderFilter, w core.Window, to *page.Position) ([]*db.Order, error) {
	query := q.Client(ctx).Order.Query()
	f.where(query)
	query.Modify(w.Apply, w.To(to))
	return query.Load(ctx)
}

// fewOrders reports whether at most n orders match the leading part of a filter.
func (q Query) fewOrders(ctx context.Context, part orderFilter, index string, n int) (bool, error) {
	query := q.Client(ctx).Order.Query()
	part.where(query)
	query.Modify(core.Window{Limit: n + 1, Index: index}.Apply)
	ids, err := query.IDs(ctx)
	return len(ids) <= n, err
}

// orderFloor returns the position of the last of the next n rows of the window, by the conditions
// that its index serves alone; nil if fewer are left.
func (q Query) orderFloor(ctx context.Context, f orderFilter, w core.Window, n int) (*page.Position, error) {
	query := q.Client(ctx).Order.Query()
	if part, index := f.lead(); w.Index == index {
		part.where(query)
	}
	var rows []struct {
		ID      xid.ID      `sql:"id"`
		Updated micros.Time `sql:"updated_at"`
	}
	w.Limit = n
	err := query.Modify(w.Apply, func(s *sql.Selector) {
		s.Select(s.C(order.FieldID), s.C(order.FieldUpdatedAt))
	}).Scan(ctx, &rows)
	if err != nil || len(rows) < n {
		return nil, err
	}
	last := rows[n-1]
	return new(f.at(&db.Order{ID: last.ID, UpdatedAt: last.Updated})), nil
}

// search returns a search within the filter.
func (f orderFilter) search(asked search.Question) search.Query {
	s := search.Query{Kind: search.Orders, Question: asked}
	add := func(text string, arg any) {
		s.Conditions = append(s.Conditions, search.Condition{Text: text, Arg: arg})
	}
	core.Opt(f.Status, func(v state.OrderStatus) { add("o.status = ?", string(v)) })
	core.Opt(f.FinancialStatus, func(v state.FinancialStatus) { add("o.financial_status = ?", string(v)) })
	core.Opt(f.FulfillmentStatus, func(v state.FulfillmentStatus) { add("o.fulfillment_status = ?", string(v)) })
	core.Opt(f.ExternalNumber, func(v string) { add("o.external_number = ?", v) })
	core.Opt(f.CustomerID, func(string) { add("o.customer_id = ?", f.customer) })
	switch {
	case f.ExternalNumber != nil:
		s.Newest = ent.Ranges{Index: ordersByExternal, Columns: []string{order.FieldExternalNumber},
			Values: [][]any{{*f.ExternalNumber}}}
	case f.CustomerID != nil:
		s.Newest = ent.Ranges{Index: ordersByCustomer, Columns: []string{order.FieldCustomerID},
			Values: [][]any{{f.customer}}}
	case f.hasState():
		s.Newest = f.ranges()
	}
	core.Opt(f.CreatedFrom, func(t micros.Time) { s.From = xid.First(t) })
	core.Opt(f.CreatedTo, func(t micros.Time) { s.To = xid.First(t) })
	return s
}

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
