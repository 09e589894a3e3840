package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// withLines prepares the orders of a page for display, with their lines unless GraphQL asks for
// none.
func (r *Resolver) withLines(ctx context.Context, rows []*db.Order) ([]*model.Order, error) {
	var lines []*db.OrderLine
	var err error
	switch {
	case isPacked(ctx):
		lines, err = r.ownLines(ctx, lineset.Lacking(rows))
	case core.Selects(ctx, "lineItems") || core.Selects(ctx, "refundPreviewMinor"):
		lines, err = r.LinesOf(ctx, rows)
	}
	if err != nil {
		return nil, err
	}
	return r.assemble(rows, lines), nil
}

// LinesOf returns all lines of the orders, grouped by order and sorted by position. They come from
// the order rows, and with one more statement from their own rows for orders that do not hold them.
func (r *Resolver) LinesOf(ctx context.Context, rows []*db.Order) ([]*db.OrderLine, error) {
	lines, rest, err := lineset.OfAll(rows)
	if err != nil {
		return nil, err
	}
	more, err := r.ownLines(ctx, rest)
	return append(lines, more...), err
}

// ownLines reads the line rows of some orders, by (order_id, position).
func (r *Resolver) ownLines(ctx context.Context, orders []xid.ID) ([]*db.OrderLine, error) {
	if len(orders) == 0 {
		return nil, nil
	}
	q := r.Client(ctx).OrderLine.Query().Where(orderline.OrderIDIn(orders...)).
		Order(orderline.ByOrderID(), orderline.ByPosition())
	q.Modify(ent.ForceIndex(ent.Primary))
	return q.Load(ctx)
}

// assemble gives every order its lines, which are sorted by order, and the loader of their other
// children.
func (r *Resolver) assemble(rows []*db.Order, lines []*db.OrderLine) []*model.Order {
	var (
		shared = model.NewSiblings((&siblings{Resolver: r, orders: rows, lines: lines}).relations)
		shown  = make([]*model.Order, len(rows))
		slab   = make([]model.Order, len(rows))
		of     = make(map[xid.ID]*model.Order, len(rows))
		placed = make(map[xid.ID]*model.Placed, len(rows))
	)
	for i, o := range rows {
		slab[i] = model.Order{Order: o, Siblings: shared}
		shown[i] = &slab[i]
		of[o.ID], placed[o.ID] = shown[i], &model.Placed{Order: o}
	}
	items, pointers := make([]model.LineItem, len(lines)), make([]*model.LineItem, len(lines))
	for first, i := 0, 0; i < len(lines); i++ {
		items[i] = model.LineItem{OrderLine: lines[i], Siblings: shared, Of: placed[lines[i].OrderID]}
		pointers[i] = &items[i]
		if i+1 == len(lines) || lines[i+1].OrderID != lines[i].OrderID {
			of[lines[i].OrderID].Lines = pointers[first : i+1 : i+1]
			first = i + 1
		}
	}
	return shown
}

// siblings are the orders of one page. Their children are loaded together.
type siblings struct {
	*Resolver
	orders []*db.Order
	lines  []*db.OrderLine
}

// relations returns the loaders of the page's related rows.
func (s *siblings) relations() *model.Relations {
	return &model.Relations{
		Customers: model.NewBatch(s.customerIDs, s.customers),
		Products:  model.NewBatch(s.productIDs, s.products),
		Notes: model.NewFamily(func(first int) *model.Batch[xid.ID, []*model.OrderNote] {
			return model.NewBatch(s.notedIDs, s.notes(first))
		}),
		ShopperNotes: model.NewBatch(s.notedIDs, s.shopperNotes),
		Payments:     model.NewBatch(s.orderIDs, s.payments),
		Fulfillments: model.NewBatch(s.orderIDs, s.fulfillments),
		Refunds:      model.NewBatch(s.orderIDs, s.refunds),
		Holds:        model.NewBatch(s.orderIDs, s.holds),
		Acts:         model.NewBatch(s.orderIDs, s.acts),
		Emails:       model.NewBatch(s.orderIDs, s.emails),
		Exchanged:    model.NewBatch(s.exchangedIDs, s.exchanged),
	}
}

func (s *siblings) orderIDs() []xid.ID {
	return core.IDs(s.orders, func(o *db.Order) *xid.ID { return &o.ID })
}

func (s *siblings) customerIDs() []xid.ID {
	return core.IDs(s.orders, func(o *db.Order) *xid.ID { return o.CustomerID })
}

func (s *siblings) productIDs() []xid.ID {
	return core.IDs(s.lines, func(l *db.OrderLine) *xid.ID { return l.ProductID })
}

// notedIDs leaves out the orders that are known to have no notes.
func (s *siblings) notedIDs() []xid.ID {
	return core.IDs(s.orders, func(o *db.Order) *xid.ID {
		if o.NotesCount == 0 {
			return nil
		}
		return &o.ID
	})
}

func (s *siblings) exchangedIDs() []xid.ID {
	return core.IDs(s.orders, func(o *db.Order) *xid.ID { return o.ExchangeOf })
}

// exchanged loads the orders in exchange for whose returns the orders were created.
func (s *siblings) exchanged(ctx context.Context, ids []xid.ID) (map[xid.ID]*model.Order, error) {
	rows, err := s.ordersOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown, err := s.withLines(ctx, rows)
	of := make(map[xid.ID]*model.Order, len(shown))
	for _, o := range shown {
		of[o.ID] = o
	}
	return of, err
}

// customers loads the customers. Their amounts are in the store's currency, which is the orders'
// currency.
func (s *siblings) customers(ctx context.Context, ids []xid.ID) (map[xid.ID]*model.Customer, error) {
	if len(ids) == 0 {
		return map[xid.ID]*model.Customer{}, nil
	}
	q := s.Client(ctx).Customer.Query().Where(customer.IDIn(ids...))
	q.Modify(ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	of := make(map[xid.ID]*model.Customer, len(rows))
	for _, c := range rows {
		of[c.ID] = &model.Customer{Customer: c, Currency: s.orders[0].Currency}
	}
	return of, err
}

// holds loads the payment holds of the orders.
func (s *siblings) holds(ctx context.Context, ids []xid.ID) (map[xid.ID]*db.PaymentHold, error) {
	rows, err := s.Client(ctx).PaymentHold.Query().Where(paymenthold.IDIn(ids...)).Load(ctx)
	of := make(map[xid.ID]*db.PaymentHold, len(rows))
	for _, h := range rows {
		of[h.ID] = h
	}
	return of, err
}

func (s *siblings) products(ctx context.Context, ids []xid.ID) (map[xid.ID]*db.Product, error) {
	rows, err := s.productsOf(ctx, ids)
	if err == nil {
		err = variants.Load(ctx, s.Client(ctx), rows...)
	}
	if err == nil && (core.Selects(ctx, "images") || core.Selects(ctx, "image")) {
		err = images.Load(ctx, s.Client(ctx), s.StoreURL, rows...)
	}
	of := make(map[xid.ID]*db.Product, len(rows))
	for _, p := range rows {
		of[p.ID] = p
	}
	return of, err
}

// productsOf reads the given products, as far as they exist.
func (r *Resolver) productsOf(ctx context.Context, ids []xid.ID) ([]*db.Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := r.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	q.Modify(ent.ForceIndex(ent.Primary))
	return q.Load(ctx)
}

type packed struct{}

// WithPacked returns a context in which orders with packed lines are loaded without unpacking them:
// the caller unpacks them when it writes the order.
func WithPacked(ctx context.Context) context.Context { return context.WithValue(ctx, packed{}, true) }

func isPacked(ctx context.Context) bool { return ctx.Value(packed{}) != nil }
