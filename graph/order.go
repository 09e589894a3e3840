package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Orders lists the store's orders: newest first, or with UpdatedFrom the oldest
// change first. A page costs two statements, the orders and all their lines.
func (q Query) Orders(ctx context.Context, first *int, after *string, filter *model.OrderFilter) (*model.OrderConnection, error) {
	f, err := readOrderFilter(filter)
	if err != nil {
		return nil, err
	}
	at := func(o *db.Order) page.Position { return byID(o.ID) }
	if f.UpdatedFrom != nil {
		at = func(o *db.Order) page.Position { return byUpdate(o.UpdatedAt, o.ID) }
	}
	c, err := connect(ctx, q.Resolver, list[*db.Order]{
		name: "orders", filters: f.pairs(), at: at,
		read: func(ctx context.Context, after *page.Position, limit int) ([]*db.Order, error) {
			query := q.client(ctx).Order.Query()
			f.where(query)
			query.Modify(window{after, limit, f.index(), f.UpdatedFrom}.apply)
			return query.Load(ctx)
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	nodes, err := q.withLines(ctx, c.Nodes)
	if err != nil {
		return nil, explain("orders", err)
	}
	return &model.OrderConnection{Nodes: nodes, Next: c.Next,
		Sign: func(o *model.Order) string { return c.Sign(o.Order) }}, nil
}

// orderFilter is a filter with its customer's id read.
type orderFilter struct {
	model.OrderFilter
	customer xid.ID
}

// readOrderFilter refuses a malformed customer id; a well-formed unknown one
// finds nothing (contract, section 1).
func readOrderFilter(filter *model.OrderFilter) (f orderFilter, err error) {
	if filter == nil {
		return f, nil
	}
	f.OrderFilter = *filter
	if f.CustomerID == nil {
		return f, nil
	}
	if f.customer, err = xid.Customer.Parse(*f.CustomerID); err != nil {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter holds a malformed id.",
			Fields: []fault.Field{{Parameter: "customer_id", Code: fault.InvalidFormat, Detail: "This is not the id of a customer."}}}
	}
	return f, nil
}

// pairs is the filter as cursors name it.
func (f orderFilter) pairs() (pairs []string) {
	add := func(name, value string) { pairs = append(pairs, name, value) }
	opt(f.CustomerID, func(string) { add("customer_id", f.customer.String()) })
	opt(f.UpdatedFrom, func(t micros.Time) { add("updated_from", t.String()) })
	opt(f.Status, func(s state.OrderStatus) { add("status", string(s)) })
	opt(f.FinancialStatus, func(s state.FinancialStatus) { add("financial_status", string(s)) })
	opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { add("fulfillment_status", string(s)) })
	opt(f.CreatedFrom, func(t micros.Time) { add("created_from", t.String()) })
	opt(f.CreatedTo, func(t micros.Time) { add("created_to", t.String()) })
	return pairs
}

// where adds the filter's conditions. Times of creation are bounds of the id,
// which carries them.
func (f orderFilter) where(q *db.OrderQuery) {
	opt(f.CustomerID, func(string) { q.Where(order.CustomerID(f.customer)) })
	opt(f.Status, func(s state.OrderStatus) { q.Where(order.StatusEQ(s)) })
	opt(f.FinancialStatus, func(s state.FinancialStatus) { q.Where(order.FinancialStatusEQ(s)) })
	opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { q.Where(order.FulfillmentStatusEQ(s)) })
	opt(f.CreatedFrom, func(t micros.Time) { q.Where(order.IDGTE(xid.First(t))) })
	opt(f.CreatedTo, func(t micros.Time) { q.Where(order.IDLT(xid.First(t))) })
}

// index is the one that leads: of several filters the one that leaves the fewest
// rows, as a rule. A customer's orders by change are few enough to sort.
func (f orderFilter) index() string {
	switch {
	case f.CustomerID != nil:
		return "order_store_id_customer_id_id"
	case f.UpdatedFrom != nil:
		return "order_store_id_updated_at_id"
	case f.Status != nil:
		return "order_store_id_status_id"
	case f.FinancialStatus != nil:
		return "order_store_id_financial_status_id"
	case f.FulfillmentStatus != nil:
		return "order_store_id_fulfillment_status_id"
	}
	return primary
}

// Order returns one order of the viewer's store.
func (q Query) Order(ctx context.Context, id string) (*model.Order, error) {
	uid, err := parseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	o, err := q.order(ctx, uid)
	if err != nil {
		return nil, explain("order", err)
	}
	shown, err := q.withLines(ctx, []*db.Order{o})
	if err != nil {
		return nil, explain("order", err)
	}
	return shown[0], nil
}

func (r *Resolver) order(ctx context.Context, id xid.ID) (*db.Order, error) {
	return only(r.client(ctx).Order.Query().Where(order.ID(id)).Load(ctx))
}
