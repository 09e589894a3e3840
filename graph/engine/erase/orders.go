package erase

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const ordersIndex = "order_store_id_customer_id_id"

// orders redacts the next orders of the customer and their events. Once an order's row is clean,
// later events are clean too.
func (e *Engine) orders(ctx context.Context, t *task) (*place, error) {
	ids, err := e.ordersOf(ctx, t.ID, t.at().position)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	err = e.Store.InTx(ctx, func(ctx context.Context) error {
		c := e.Store.DB(ctx)
		if _, err := Orders(ctx, c, t.ID, order.IDIn(ids...)); err != nil {
			return err
		}
		if _, err := notes(ctx, c, ids); err != nil { // also of orders without other personal data
			return err
		}
		return search.Index{Client: c, Engine: e.Store.Dialect()}.ForgetPerson(ctx, ids...)
	})
	if err != nil {
		return nil, err
	}
	if err := e.rewrite(ctx, ids); err != nil {
		return nil, err
	}
	return &place{position: ids[len(ids)-1]}, nil
}

func (e *Engine) ordersOf(ctx context.Context, customer, after xid.ID) ([]xid.ID, error) {
	query := e.Store.DB(ctx).Order.Query().Where(order.CustomerID(customer), order.IDGT(after)).
		Order(order.ByID()).Limit(batch)
	query.Modify(ent.ForceIndex(ordersIndex))
	ids, err := query.IDs(ctx)
	return ids, fault.Wrap("read orders of the customer", err)
}

// All redacts the rows of a customer's orders in the transaction of ctx, up to pages batches, and
// reports whether none is left.
func All(ctx context.Context, c *db.Client, customer xid.ID, pages int) (clean bool, err error) {
	for range pages {
		n, err := Orders(ctx, c, customer)
		if err != nil || n < batch {
			return err == nil, err
		}
	}
	return false, nil
}

// Forget removes a customer from the search index of their first orders, up to pages batches, in
// the transaction of ctx.
func Forget(ctx context.Context, words search.Index, customer xid.ID, pages int) error {
	query := words.Client.Order.Query().Where(order.CustomerID(customer)).Order(order.ByID()).Limit(pages * batch)
	query.Modify(ent.ForceIndex(ordersIndex))
	ids, err := query.IDs(ctx)
	if err != nil {
		return fmt.Errorf("read orders to forget: %w", err)
	}
	return words.ForgetPerson(ctx, ids...)
}

// Orders redacts the next batch of a customer's orders that hold personal data, among the chosen
// ones, in the transaction of ctx. It emits an event for each and returns how many it redacted.
func Orders(ctx context.Context, c *db.Client, customer xid.ID, chosen ...predicate.Order) (int, error) {
	query := c.Order.Query().Where(chosen...).Where(order.CustomerID(customer),
		order.Or(order.EmailNotNil(), order.BillingAddressNotNil(), order.ShippingAddressNotNil(),
			order.CustomFieldsNotNil())).
		Order(order.ByID()).Limit(batch)
	// The rows are locked, so that exactly what is read here is changed.
	query.Modify(ent.ForceIndex(ordersIndex), ent.ForUpdate)
	orders, err := query.Load(ctx)
	if err != nil {
		return 0, fmt.Errorf("read orders to redact: %w", err)
	}
	if len(orders) == 0 {
		return 0, nil
	}
	return len(orders), redact(ctx, c, orders)
}

type orderEdit = change.Edit[*db.Order, *db.OrderUpdate]

func redact(ctx context.Context, c *db.Client, orders []*db.Order) error {
	lines, err := linesOf(ctx, c, orders)
	if err != nil {
		return err
	}
	if err := redactRelated(ctx, c, orders); err != nil {
		return err
	}
	v := change.Versioned[*db.Order, *db.OrderUpdate]{
		Kind: xid.Order,
		Head: func(o *db.Order) change.Head {
			return change.Head{Store: o.StoreID, ID: o.ID, Version: &o.Version, Sequence: &o.EventSequence,
				UpdatedAt: &o.UpdatedAt}
		},
		Update: func(_ context.Context, id xid.ID, version int64) *db.OrderUpdate {
			return c.Order.Update().Where(order.ID(id), order.Version(version))
		},
		Object: func(o *db.Order) []byte {
			return wire.AppendOrder(nil, o, len(lines[o.ID]), func(i int) *db.OrderLine { return lines[o.ID][i] })
		},
		Finish: func(e *orderEdit) {
			e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
		},
	}
	for _, o := range orders {
		if err := v.Write(ctx, c, o, "", redactOrder); err != nil {
			return fmt.Errorf("redact order: %w", err)
		}
	}
	return nil
}

func redactOrder(_ context.Context, e *orderEdit) error {
	o := e.Row
	if o.Email != nil {
		e.Changed = append(e.Changed, "email")
	}
	if o.BillingAddress != nil {
		e.Changed = append(e.Changed, "billing_address")
	}
	if o.ShippingAddress != nil {
		e.Changed = append(e.Changed, "shipping_address")
	}
	if o.VatID != nil { // a person can be a company
		e.Changed = append(e.Changed, "vat_id")
	}
	if o.CustomFields != nil {
		e.Changed = append(e.Changed, "custom_fields")
	}
	o.Email, o.BillingAddress, o.ShippingAddress, o.VatID, o.VatConsultation = nil, nil, nil, nil, nil
	o.CustomFields = nil
	e.Update.ClearEmail().ClearBillingAddress().ClearShippingAddress().ClearVatID().ClearVatConsultation().
		ClearCustomFields().Modify(lineset.Keep)
	return nil
}

func linesOf(ctx context.Context, c *db.Client, orders []*db.Order) (map[xid.ID][]*db.OrderLine, error) {
	rows, rest, err := lineset.OfAll(orders)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		query := c.OrderLine.Query().Where(orderline.OrderIDIn(rest...)).
			Order(orderline.ByOrderID(), orderline.ByPosition())
		query.Modify(ent.ForUpdate)
		more, err := query.Load(ctx)
		if err != nil {
			return nil, fmt.Errorf("read lines to redact: %w", err)
		}
		rows = append(rows, more...)
	}
	lines := map[xid.ID][]*db.OrderLine{}
	for _, l := range rows {
		lines[l.OrderID] = append(lines[l.OrderID], l)
	}
	return lines, nil
}
