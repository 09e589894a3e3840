package sales

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/page"
	"github.com/storefront-go/storefront/graph/wire"
)

// redactBatch is how many orders one statement of a redaction changes.
const redactBatch = 90

// CustomerRedact removes the person for good: their fields, and the e-mail and
// addresses of their orders, all in one transaction. Their counters stay, since the
// store's books need them.
func (m Mutation) CustomerRedact(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomerPayload, error) {
	return m.changeCustomer(ctx, id, expectedVersion, "customer.redact",
		func(ctx context.Context, e *customerEdit) error {
			row := e.Row
			err := core.Allowed("customer", row.Status, state.CustomerRedacted, state.CustomerGuest,
				state.CustomerActive, state.CustomerDisabled)
			if err != nil {
				return err
			}
			e.Changed = []string{"status"}
			e.Emit(event.CustomerRedacted)
			row.Email, row.Phone, row.FirstName, row.LastName, row.Locale, row.Note = nil, nil, nil, nil, nil, nil
			row.DefaultAddress, row.Addresses, row.Tags = nil, document.NewAddresses(nil), document.NewTags(nil)
			row.Status, row.EmailMarketing = state.CustomerRedacted, state.EmailNotSubscribed
			e.Update.ClearEmail().ClearPhone().ClearFirstName().ClearLastName().ClearLocale().ClearNote().
				ClearDefaultAddress().SetAddresses(row.Addresses).SetTags(row.Tags).
				SetStatus(row.Status).SetEmailMarketing(row.EmailMarketing)
			return m.redactOrders(ctx, row.ID)
		})
}

// redactOrders walks the customer's orders that hold anything about them.
func (m Mutation) redactOrders(ctx context.Context, customer xid.ID) error {
	var after *page.Position
	for {
		orders, err := m.lockOrders(ctx, customer, after)
		if err != nil || len(orders) == 0 {
			return err
		}
		if err := m.redactPage(ctx, orders); err != nil {
			return err
		}
		after = new(core.ByID(orders[len(orders)-1].ID))
	}
}

// lockOrders reads the next orders to redact. They are locked: what is read is
// what is changed.
func (m Mutation) lockOrders(ctx context.Context, customer xid.ID, after *page.Position) ([]*db.Order, error) {
	query := m.Client(ctx).Order.Query().Where(
		order.CustomerID(customer),
		order.Or(order.EmailNotNil(), order.BillingAddressNotNil(), order.ShippingAddressNotNil()),
	)
	query.Modify(core.Window{After: after, Limit: redactBatch, Index: "order_store_id_customer_id_id"}.Apply,
		ent.ForUpdate)
	orders, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read orders to redact: %w", err)
	}
	return orders, nil
}

// redactPage changes some orders with one statement and emits an event for each.
func (m Mutation) redactPage(ctx context.Context, orders []*db.Order) error {
	ids := make([]xid.ID, len(orders))
	at := micros.Now()
	for i, o := range orders {
		ids[i] = o.ID
		at = max(at, core.UpdateTime(o.UpdatedAt))
	}
	lines, err := m.lockLines(ctx, ids)
	if err != nil {
		return err
	}
	n, err := m.Client(ctx).Order.Update().Where(order.IDIn(ids...)).
		ClearEmail().ClearBillingAddress().ClearShippingAddress().
		AddVersion(1).AddEventSequence(1).SetUpdatedAt(at).Save(ctx)
	if err != nil {
		return fmt.Errorf("redact orders: %w", err)
	}
	if n != len(orders) {
		return fmt.Errorf("redact orders: %d of %d changed", n, len(orders))
	}
	for _, o := range orders {
		if err := m.announceRedacted(ctx, o, lines[o.ID], at); err != nil {
			return err
		}
	}
	return nil
}

// lockLines reads the lines of locked orders as they are now.
func (m Mutation) lockLines(ctx context.Context, orders []xid.ID) (map[xid.ID][]*db.OrderLine, error) {
	query := m.Client(ctx).OrderLine.Query().Where(orderline.OrderIDIn(orders...)).
		Order(orderline.ByOrderID(), orderline.ByPosition())
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read lines to redact: %w", err)
	}
	lines := map[xid.ID][]*db.OrderLine{}
	for _, l := range rows {
		lines[l.OrderID] = append(lines[l.OrderID], l)
	}
	return lines, nil
}

// announceRedacted writes order.updated of an order that was redacted.
func (m Mutation) announceRedacted(ctx context.Context, o *db.Order, lines []*db.OrderLine, at micros.Time) error {
	var changed []string
	if o.Email != nil {
		changed = append(changed, "email")
	}
	if o.BillingAddress != nil {
		changed = append(changed, "billing_address")
	}
	if o.ShippingAddress != nil {
		changed = append(changed, "shipping_address")
	}
	o.Email, o.BillingAddress, o.ShippingAddress = nil, nil, nil
	o.Version++
	o.EventSequence++
	o.UpdatedAt = at
	object := wire.AppendOrder(nil, o, len(lines), func(i int) *db.OrderLine { return lines[i] })
	return m.Announce(ctx, orderResource(o),
		outbox.Entry{Type: event.OrderUpdated, Changed: changed, Object: object})
}
