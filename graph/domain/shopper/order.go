package shopper

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// OrdersPage is how many orders a page shows.
const OrdersPage = 20

const ordersByEmail = "order_store_id_email_id"

// Orders returns a page of the orders that were placed with the proved address, newest first: those
// before the order with a public id, or the first ones if it is "". next is the id to continue
// with, "" at the end. An order has the address that it was placed with, so orders of the customer
// with another address are not among them.
func (s *Shoppers) Orders(ctx context.Context, a *Account, before string) (list []*db.Order, next string, err error) {
	return s.orders(ctx, a, before, OrdersPage)
}

func (s *Shoppers) orders(ctx context.Context, a *Account, before string, most int,
) (list []*db.Order, next string, err error) {
	w := core.Window{Limit: most + 1, Index: ordersByEmail}
	if before != "" {
		id, err := core.ParseID(xid.Order, before)
		if err != nil {
			return nil, "", err
		}
		w.After = &page.Position{ID: id}
	}
	ranges := ent.Ranges{Table: order.Table, Index: ordersByEmail, Columns: []string{order.FieldEmail}}
	for _, form := range mailbox.Forms(a.Email) {
		ranges.Values = append(ranges.Values, []any{form})
	}
	query := s.Client(ctx).Order.Query()
	query.Modify(w.Merge(ctx, ranges))
	if list, err = query.Load(ctx); err != nil {
		return nil, "", core.Explain("order", err)
	}
	core.InOrder(w, list, func(o *db.Order) page.Position { return core.ByID(o.ID) })
	if len(list) > most {
		list = list[:most]
		next = list[most-1].PublicID()
	}
	return list, next, nil
}
