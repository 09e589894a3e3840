package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Customers lists the store's customers: newest first, oldest change first with UpdatedFrom, or the
// matches of a query.
func (q Query) Customers(ctx context.Context, first *int, after *string, filter *model.CustomerFilter, query *string,
	sort *state.ListSort,
) (*model.CustomerConnection, error) {
	f := model.CustomerFilter{}
	if filter != nil {
		f = *filter
	}
	core.Opt(f.Email, func(s string) { f.Email = new(mailbox.Fold(s)) })
	fields, err := q.CustomFieldConditions(ctx, state.FieldsOfCustomers, f.CustomFields, f.UpdatedFrom)
	if err != nil {
		return nil, err
	}
	asked := search.ParseQuestion(query, f.Tag, fields)
	a, err := core.Arrange(asked.Text(), f.Tag, sort, f.UpdatedFrom, f.Email != nil)
	if err != nil {
		return nil, err
	}
	at := func(c *model.Customer) page.Position { return core.ByID(c.ID) }
	if a.ByChange() {
		at = func(c *model.Customer) page.Position { return core.ByUpdate(c.UpdatedAt, c.ID) }
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*model.Customer]{
		Name: "customers", Filters: a.Pairs(customerFilters(f)), At: at, Until: a.Until,
		Read: func(ctx context.Context, after *page.Position, limit int) (shown []*model.Customer, err error) {
			var rows []*db.Customer
			if asked != nil {
				rows, stopped, err = q.foundCustomers(ctx, f, *asked, after, limit)
			} else {
				rows, err = q.readCustomers(ctx, f, a, after, limit)
			}
			if err != nil {
				return nil, err
			}
			return q.shownCustomers(ctx, rows)
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.Customer{Customer: &db.Customer{ID: stopped.ID}})
	}
	return c, err
}

const customersByEmail = "customer_store_id_email"

// readCustomers reads one page. An email address has few customers at most, one for each of its
// [mailbox.Forms], so its index needs no further column.
func (q Query) readCustomers(
	ctx context.Context, f model.CustomerFilter, a core.Arrangement, after *page.Position, limit int,
) ([]*db.Customer, error) {
	query, index := q.Client(ctx).Customer.Query(), ent.Primary
	if a.ByChange() {
		index = "customer_store_id_updated_at_id"
	}
	if f.Email != nil {
		query.Where(customer.EmailIn(mailbox.Forms(*f.Email)...))
		index = customersByEmail
	}
	query.Modify(a.Window(after, limit, index).Apply)
	return query.Load(ctx)
}

// foundCustomers reads one page of the customers that match a query. stopped is where the search
// ended at its bound.
func (r *Resolver) foundCustomers(ctx context.Context, f model.CustomerFilter, asked search.Question,
	after *page.Position, limit int,
) (rows []*db.Customer, stopped *page.Position, err error) {
	found := search.Query{Kind: search.Customers, Question: asked}
	core.Opt(f.Email, func(s string) { // at most one customer, checked by the search itself
		found.Conditions = []search.Condition{{Text: "o.email = ?", Arg: s}}
		found.Newest = ent.Ranges{Index: customersByEmail, Columns: []string{customer.FieldEmail}, Values: [][]any{{s}}}
	})
	ids, stopped, err := search.Page(ctx, r.Store, found, after, limit)
	if err != nil || len(ids) == 0 {
		return nil, stopped, err
	}
	query := r.Client(ctx).Customer.Query().Where(customer.IDIn(ids...))
	query.Modify(core.Window{Limit: len(ids), Index: ent.Primary}.Apply)
	rows, err = query.Load(ctx)
	return rows, stopped, err
}

func customerFilters(f model.CustomerFilter) (pairs []string) {
	core.Opt(f.Email, func(s string) { pairs = append(pairs, "email", s) })
	core.Opt(f.UpdatedFrom, func(t micros.Time) { pairs = append(pairs, "updated_from", t.String()) })
	return pairs
}

// Customer returns one customer of the viewer's store.
func (q Query) Customer(ctx context.Context, id string) (*model.Customer, error) {
	uid, err := core.ParseID(xid.Customer, id)
	if err != nil {
		return nil, err
	}
	row, err := q.customer(ctx, uid)
	if err != nil {
		return nil, core.Explain("customer", err)
	}
	shown, err := q.shownCustomers(ctx, []*db.Customer{row})
	if err != nil {
		return nil, core.Explain("customer", err)
	}
	return shown[0], nil
}

func (r *Resolver) customer(ctx context.Context, id xid.ID) (*db.Customer, error) {
	return core.Only(r.Client(ctx).Customer.Query().Where(customer.ID(id)).Load(ctx))
}

// shownCustomers adds the store's currency to customers.
func (r *Resolver) shownCustomers(ctx context.Context, rows []*db.Customer) ([]*model.Customer, error) {
	currency, err := r.currency(ctx)
	if err != nil {
		return nil, err
	}
	shown := make([]*model.Customer, len(rows))
	for i, row := range rows {
		shown[i] = &model.Customer{Customer: row, Currency: currency}
	}
	return shown, nil
}

// currency returns the store's currency. Credentials carry it; the operator's
// contexts do not, and cost a query.
func (r *Resolver) currency(ctx context.Context) (string, error) {
	if v := viewer.From(ctx); v != nil && v.Currency != "" {
		return v.Currency, nil
	}
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return "", err
	}
	return s.Currency, nil
}
