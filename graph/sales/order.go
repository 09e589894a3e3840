package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Orders lists the store's orders: newest first, or with UpdatedFrom the oldest
// change first. A page costs two statements, the orders and all their lines.
func (q Query) Orders(
	ctx context.Context, first *int, after *string, filter *model.OrderFilter,
) (*model.OrderConnection, error) {
	f, err := readOrderFilter(filter)
	if err != nil {
		return nil, err
	}
	at := func(o *db.Order) page.Position { return core.ByID(o.ID) }
	if f.UpdatedFrom != nil {
		at = func(o *db.Order) page.Position { return core.ByUpdate(o.UpdatedAt, o.ID) }
	}
	c, err := core.Connect(ctx, q.Core, core.List[*db.Order]{
		Name: "orders", Filters: f.pairs(), At: at,
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.Order, error) {
			query := q.Client(ctx).Order.Query()
			f.where(query)
			query.Modify(core.Window{After: after, Limit: limit, Index: f.index(), UpdatedFrom: f.UpdatedFrom}.Apply)
			return query.Load(ctx)
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	nodes, err := q.withLines(ctx, c.Nodes)
	if err != nil {
		return nil, core.Explain("orders", err)
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
			Fields: []fault.Field{{Parameter: "customer_id", Code: fault.InvalidFormat,
				Detail: "This is not the id of a customer."}}}
	}
	return f, nil
}

// pairs is the filter as cursors name it.
func (f orderFilter) pairs() (pairs []string) {
	add := func(name, value string) { pairs = append(pairs, name, value) }
	core.Opt(f.CustomerID, func(string) { add("customer_id", f.customer.String()) })
	core.Opt(f.UpdatedFrom, func(t micros.Time) { add("updated_from", t.String()) })
	core.Opt(f.Status, func(s state.OrderStatus) { add("status", string(s)) })
	core.Opt(f.FinancialStatus, func(s state.FinancialStatus) { add("financial_status", string(s)) })
	core.Opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { add("fulfillment_status", string(s)) })
	core.Opt(f.CreatedFrom, func(t micros.Time) { add("created_from", t.String()) })
	core.Opt(f.CreatedTo, func(t micros.Time) { add("created_to", t.String()) })
	return pairs
}

// where adds the filter's conditions. Times of creation are bounds of the id,
// which carries them.
func (f orderFilter) where(q *db.OrderQuery) {
	core.Opt(f.CustomerID, func(string) { q.Where(order.CustomerID(f.customer)) })
	core.Opt(f.Status, func(s state.OrderStatus) { q.Where(order.StatusEQ(s)) })
	core.Opt(f.FinancialStatus, func(s state.FinancialStatus) { q.Where(order.FinancialStatusEQ(s)) })
	core.Opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { q.Where(order.FulfillmentStatusEQ(s)) })
	core.Opt(f.CreatedFrom, func(t micros.Time) { q.Where(order.IDGTE(xid.First(t))) })
	core.Opt(f.CreatedTo, func(t micros.Time) { q.Where(order.IDLT(xid.First(t))) })
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
	return ent.Primary
}

// Order returns one order of the viewer's store.
func (q Query) Order(ctx context.Context, id string) (*model.Order, error) {
	uid, err := core.ParseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	o, err := q.order(ctx, uid)
	if err != nil {
		return nil, core.Explain("order", err)
	}
	shown, err := q.withLines(ctx, []*db.Order{o})
	if err != nil {
		return nil, core.Explain("order", err)
	}
	return shown[0], nil
}

func (r *Resolver) order(ctx context.Context, id xid.ID) (*db.Order, error) {
	return core.Only(r.Client(ctx).Order.Query().Where(order.ID(id)).Load(ctx))
}
