package sales

import (
	"context"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Orders lists the store's orders: newest first, oldest change first with UpdatedFrom, or the
// matches of a query. A page costs one statement, one more if some of its orders do not hold their
// lines, and a few more for a search.
func (q Query) Orders(ctx context.Context, first *int, after *string, filter *model.OrderFilter, query *string,
	sort *state.ListSort,
) (*model.OrderConnection, error) {
	f, err := readOrderFilter(filter)
	if err != nil {
		return nil, err
	}
	fields, err := q.CustomFieldConditions(ctx, state.FieldsOfOrders, f.CustomFields, f.UpdatedFrom)
	if err != nil {
		return nil, err
	}
	asked := search.ParseQuestion(query, f.Tag, fields)
	if asked != nil && f.Numbers != nil {
		return nil, numbersFault("Numbers cannot be combined with a query or custom fields.")
	}
	a, err := core.Arrange(asked.Text(), f.Tag, sort, f.UpdatedFrom, len(f.pairs()) > 0)
	if err != nil {
		return nil, err
	}
	at := func(o *db.Order) page.Position { return core.ByID(o.ID) }
	if a.ByChange() {
		at = func(o *db.Order) page.Position { return core.ByUpdate(o.UpdatedAt, o.ID) }
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*db.Order]{
		Name: "orders", Filters: a.Pairs(f.pairs()), At: at, Until: a.Until,
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.Order, err error) {
			rows, stopped, err = q.readOrders(ctx, f, asked, a, after, limit)
			return rows, err
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	if c.Next == "" && stopped != nil {
		c.Next = c.Sign(&db.Order{ID: stopped.ID, UpdatedAt: stopped.Time})
	}
	nodes, err := q.withLines(ctx, c.Nodes)
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	return &model.OrderConnection{Nodes: nodes, Next: c.Next,
		Sign: func(o *model.Order) string { return c.Sign(o.Order) }}, nil
}

// readOrders reads one page. stopped is where a search, or a page of a filter that no index fully
// serves, ended at its bound.
func (q Query) readOrders(ctx context.Context, f orderFilter, asked *search.Question, a core.Arrangement,
	after *page.Position, limit int,
) (rows []*db.Order, stopped *page.Position, err error) {
	switch {
	case asked != nil:
		ids, stopped, err := search.Page(ctx, q.Store, f.search(*asked), after, limit)
		if err != nil {
			return nil, nil, err
		}
		rows, err = q.ordersOf(ctx, ids)
		return rows, stopped, err
	case f.Numbers == nil && f.mixed():
		return q.siftOrders(ctx, f, a, after, limit)
	case f.Numbers == nil && f.hasState():
		rows, err = q.mergeOrders(ctx, f, a, after, limit)
		return rows, nil, err
	}
	query := q.Client(ctx).Order.Query()
	f.where(query)
	query.Modify(a.Window(after, limit, f.index(a)).Apply)
	rows, err = query.Load(ctx)
	return rows, nil, err
}

// ordersOf reads orders by their ids, newest first.
func (r *Resolver) ordersOf(ctx context.Context, ids []xid.ID) ([]*db.Order, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	query := r.Client(ctx).Order.Query().Where(order.IDIn(ids...))
	query.Modify(core.Window{Limit: len(ids), Index: ent.Primary}.Apply)
	return query.Load(ctx)
}

// orderFilter is a filter with its customer id parsed.
type orderFilter struct {
	model.OrderFilter
	customer xid.ID
}

// readOrderFilter parses a filter. A malformed customer id is an error; a well-formed unknown one
// matches nothing (contract, section 1).
func readOrderFilter(filter *model.OrderFilter) (f orderFilter, err error) {
	if filter == nil {
		return f, nil
	}
	f.OrderFilter = *filter
	if err := f.checkNumbers(); err != nil {
		return f, err
	}
	if f.CustomerID == nil {
		return f, nil
	}
	if f.customer, err = xid.Customer.Parse(*f.CustomerID); err != nil {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter contains a malformed id.",
			Fields: []fault.Field{{Parameter: "customer_id", Code: fault.InvalidFormat,
				Detail: "This is not the id of a customer."}}}
	}
	return f, nil
}

// checkNumbers validates the numbers of a filter. A search and a list of changes have an index of their
// own, which numbers are not part of.
func (f orderFilter) checkNumbers() error {
	detail := ""
	switch {
	case f.Numbers == nil:
	case len(f.Numbers) == 0 || len(f.Numbers) > page.MaxLimit:
		detail = "List 1 to " + strconv.Itoa(page.MaxLimit) + " numbers."
	case f.Tag != nil || f.UpdatedFrom != nil:
		detail = "Numbers cannot be combined with a tag or updatedFrom."
	}
	if detail == "" {
		return nil
	}
	return numbersFault(detail)
}

func numbersFault(detail string) error {
	return &fault.Error{Kind: fault.InvalidParameter, Detail: detail,
		Fields: []fault.Field{{Parameter: "numbers", Code: fault.UnknownValue, Detail: detail}}}
}

// pairs returns the filter as cursors encode it.
func (f orderFilter) pairs() (pairs []string) {
	add := func(name, value string) { pairs = append(pairs, name, value) }
	core.Opt(f.CustomerID, func(string) { add("customer_id", f.customer.String()) })
	core.Opt(f.UpdatedFrom, func(t micros.Time) { add("updated_from", t.String()) })
	core.Opt(f.ExternalNumber, func(s string) { add("external_number", s) })
	core.Opt(f.Status, func(s state.OrderStatus) { add("status", string(s)) })
	core.Opt(f.FinancialStatus, func(s state.FinancialStatus) { add("financial_status", string(s)) })
	core.Opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { add("fulfillment_status", string(s)) })
	core.Opt(f.CreatedFrom, func(t micros.Time) { add("created_from", t.String()) })
	core.Opt(f.CreatedTo, func(t micros.Time) { add("created_to", t.String()) })
	for _, n := range f.Numbers {
		add("number", strconv.FormatInt(n, 10))
	}
	return pairs
}

// where adds the filter's conditions. Creation times are bounds of the id, which contains them.
func (f orderFilter) where(q *db.OrderQuery) {
	core.Opt(f.CustomerID, func(string) { q.Where(order.CustomerID(f.customer)) })
	core.Opt(f.ExternalNumber, func(s string) { q.Where(order.ExternalNumber(s)) })
	core.Opt(f.Status, func(s state.OrderStatus) { q.Where(order.StatusEQ(s)) })
	core.Opt(f.FinancialStatus, func(s state.FinancialStatus) { q.Where(order.FinancialStatusEQ(s)) })
	core.Opt(f.FulfillmentStatus, func(s state.FulfillmentStatus) { q.Where(order.FulfillmentStatusEQ(s)) })
	core.Opt(f.CreatedFrom, func(t micros.Time) { q.Where(order.IDGTE(xid.First(t))) })
	core.Opt(f.CreatedTo, func(t micros.Time) { q.Where(order.IDLT(xid.First(t))) })
	if f.Numbers != nil {
		q.Where(order.NumberIn(f.Numbers...))
	}
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
