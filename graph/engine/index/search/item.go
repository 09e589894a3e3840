package search

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// item is a searchable row with its current terms.
type item struct {
	id xid.ID
	// number is the number of an order as typed, or "".
	number string
	terms  terms
}

// has reports whether all words of a query begin terms of the item or are its number.
func (t item) has(k Kind, words []string) bool {
	for _, w := range words {
		if (t.number == "" || strings.TrimLeft(w, "0") != t.number) && !t.terms.begin(string(k)+w) {
			return false
		}
	}
	return true
}

func (t terms) begin(head string) bool {
	for term := range t {
		if strings.HasPrefix(term, head) {
			return true
		}
	}
	return false
}

// selection chooses the rows of a kind's table to read, and may lock them.
type selection func(*sql.Selector)

func byIDs(ids []xid.ID) selection {
	return func(s *sql.Selector) {
		ent.ForceIndex(ent.Primary)(s)
		list := make([]any, len(ids))
		for i, id := range ids {
			list[i] = id
		}
		s.Where(sql.In(s.C("id"), list...)).OrderBy(s.C("id"))
	}
}

// after selects the next rows of a table.
func after(id xid.ID) selection {
	return func(s *sql.Selector) {
		ent.ForceIndex(ent.Primary)(s)
		s.Where(sql.GT(s.C("id"), id)).OrderBy(s.C("id")).Limit(walkBatch)
	}
}

// reader reads items with their current terms. If lock is [ent.ForUpdate], it locks their rows
// before it reads anything else: a concurrent change waits, and then marks the row again.
type reader struct {
	client *db.Client
	lock   func(*sql.Selector)
}

// items reads items of a kind in the order of their ids.
func (r reader) items(ctx context.Context, k Kind, pick selection) ([]item, error) {
	read := map[Kind]func(context.Context, selection) ([]item, error){
		Customers: r.customers, Products: r.products, Orders: r.orders,
	}
	list, err := read[k](ctx, pick)
	if err != nil {
		return nil, fmt.Errorf("read %s for the search: %w", tables[k], err)
	}
	return list, nil
}

func (r reader) customers(ctx context.Context, pick selection) (list []item, err error) {
	query := r.client.Customer.Query()
	query.Modify(pick, r.lock)
	rows, err := query.Load(ctx)
	fields := r.fieldsOf(ctx, state.FieldsOfCustomers)
	for _, c := range rows {
		t, failed := ofCustomer(c)
		if failed == nil {
			failed = fields(t, Customers, true, c.CustomFields)
		}
		list, err = append(list, item{id: c.ID, terms: t}), cmp.Or(err, failed)
	}
	return list, err
}

func (r reader) products(ctx context.Context, pick selection) (list []item, err error) {
	query := r.client.Product.Query()
	query.Modify(pick, r.lock)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, err
	}
	fields, own := r.fieldsOf(ctx, state.FieldsOfProducts), r.fieldsOf(ctx, state.FieldsOfVariants)
	for some, err := range variants.Groups(rows) {
		if err == nil {
			err = variants.Load(ctx, r.client, some...)
		}
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			t, err := ofProduct(p)
			if err == nil {
				err = fields(t, Products, false, p.CustomFields)
			}
			for _, v := range variants.Of(p) {
				if err == nil {
					err = own(t, Products, false, v.CustomFields)
				}
			}
			if err != nil {
				return nil, err
			}
			list, p.Variants = append(list, item{id: p.ID, terms: t}), nil
		}
	}
	return list, nil
}

func (r reader) orders(ctx context.Context, pick selection) (list []item, err error) {
	query := r.client.Order.Query()
	query.Modify(pick, r.lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	lines, buyers, err := r.parts(ctx, rows)
	if err != nil {
		return nil, err
	}
	sent, err := r.sent(ctx, rows)
	if err != nil {
		return nil, err
	}
	fields := r.fieldsOf(ctx, state.FieldsOfOrders)
	for _, o := range rows {
		var buyer *db.Customer
		if o.CustomerID != nil {
			buyer = buyers[*o.CustomerID]
		}
		t, err := ofOrder(o, lines[o.ID], sent[o.ID], buyer)
		if err == nil && (buyer == nil || buyer.Status != state.CustomerRedacted) {
			err = fields(t, Orders, true, o.CustomFields)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, item{id: o.ID, number: strconv.FormatInt(o.Number, 10), terms: t})
	}
	return list, nil
}

func (r reader) sent(ctx context.Context, rows []*db.Order) (map[xid.ID][]*db.Fulfillment, error) {
	var ids []xid.ID
	for _, o := range rows {
		if o.FulfillmentStatus != state.FulfillmentUnfulfilled {
			ids = append(ids, o.ID)
		}
	}
	sent := map[xid.ID][]*db.Fulfillment{}
	if len(ids) == 0 {
		return sent, nil
	}
	query := r.client.Fulfillment.Query().Where(fulfillment.OrderIDIn(ids...))
	query.Modify(ent.ForceIndex("fulfillment_store_id_order_id_id"))
	list, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the shipments of orders: %w", err)
	}
	for _, f := range list {
		sent[f.OrderID] = append(sent[f.OrderID], f)
	}
	return sent, nil
}

// parts reads the customers of orders, and then the lines. The customers are locked, so that a
// concurrent redaction removes the names after they were written here.
func (r reader) parts(ctx context.Context, rows []*db.Order) (
	lines map[xid.ID][]*db.OrderLine, buyers map[xid.ID]*db.Customer, err error,
) {
	var people []xid.ID
	for _, o := range rows {
		if o.CustomerID != nil {
			people = append(people, *o.CustomerID)
		}
	}
	buyers, lines = map[xid.ID]*db.Customer{}, map[xid.ID][]*db.OrderLine{}
	if len(people) > 0 {
		query := r.client.Customer.Query().Where(customer.IDIn(people...))
		query.Modify(ent.ForceIndex(ent.Primary), r.lock)
		found, err := query.Load(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("read the customers of orders: %w", err)
		}
		for _, c := range found {
			buyers[c.ID] = c
		}
	}
	all, rest, err := lineset.OfAll(rows)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 {
		query := r.client.OrderLine.Query().Where(orderline.OrderIDIn(rest...))
		query.Modify(ent.ForceIndex(ent.Primary))
		more, err := query.Load(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("read the lines of orders: %w", err)
		}
		all = append(all, more...)
	}
	for _, l := range all {
		lines[l.OrderID] = append(lines[l.OrderID], l)
	}
	return lines, buyers, nil
}
