package sales

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// maxFound is how many of each kind a global search shows.
const maxFound = 20

// OrderCounts counts the orders of each status.
func (q Query) OrderCounts(ctx context.Context) (*model.OrderCounts, error) {
	counts, err := q.Counts(ctx, "orders", "status", ordersByState, string(state.OrderOpen),
		string(state.OrderCompleted), string(state.OrderCancelled))
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	return &model.OrderCounts{Open: counts[0], Completed: counts[1], Cancelled: counts[2]}, nil
}

// Search is a global search. Its fields run the queries.
func (q Query) Search(_ context.Context, query string, first int) (*model.SearchResult, error) {
	n, err := core.PageSize(&first)
	if err != nil {
		return nil, err
	}
	return &model.SearchResult{Query: query, First: min(n, maxFound)}, nil
}

// FoundFields resolves the orders and customers of a global search.
type FoundFields struct{ *Resolver }

// Orders returns the order whose number is the query, and the newest orders that match it.
func (f FoundFields) Orders(ctx context.Context, s *model.SearchResult) ([]*model.Order, error) {
	rows, err := f.numbered(ctx, s.Query)
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	found := search.Query{Kind: search.Orders, Question: search.Parse(s.Query)}
	ids, _, err := search.Page(ctx, f.Store, found, nil, s.First)
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	others, err := f.ordersOf(ctx, ids)
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	for _, o := range others {
		if !slices.ContainsFunc(rows, func(r *db.Order) bool { return r.ID == o.ID }) {
			rows = append(rows, o)
		}
	}
	shown, err := f.withLines(ctx, rows[:min(len(rows), s.First)])
	return shown, core.Explain("orders", err)
}

// numbered reads the order whose number is the text, such as "#1042", if the text is a number.
func (r *Resolver) numbered(ctx context.Context, text string) ([]*db.Order, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "#"), 10, 64)
	if err != nil {
		return nil, nil //nolint:nilerr // not a number: no error
	}
	query := r.Client(ctx).Order.Query().Where(order.Number(n))
	query.Modify(ent.ForceIndex(ordersByNumber))
	return query.Load(ctx)
}

// Customers returns the newest customers that match the query.
func (f FoundFields) Customers(ctx context.Context, s *model.SearchResult) ([]*model.Customer, error) {
	rows, _, err := f.foundCustomers(ctx, model.CustomerFilter{}, search.Parse(s.Query), nil, s.First)
	if err != nil {
		return nil, core.Explain("customers", err)
	}
	shown, err := f.shownCustomers(ctx, rows)
	return shown, core.Explain("customers", err)
}
