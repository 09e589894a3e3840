package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// Names of the indexes that read an order's children.
const (
	noteIndex        = "note_store_id_order_id_id"
	paymentIndex     = "payment_store_id_order_id_id"
	fulfillmentIndex = "fulfillment_store_id_order_id_id"
	refundIndex      = "paymentrefund_store_id_order_id_id"
	actIndex         = "audit_store_id_resource_id_id"
	emailIndex       = "mail_store_id_order_id_id"
)

// OrderFields resolves the relations of an order. Each costs one statement per page of orders.
type OrderFields struct{ *Resolver }

// Customer returns the customer of the order, or nil if it has none.
func (o OrderFields) Customer(ctx context.Context, order *model.Order) (*model.Customer, error) {
	if order.CustomerID == nil {
		return nil, nil
	}
	c, err := order.Relations().Customers.Get(ctx, *order.CustomerID)
	return c, core.Explain("customer", err)
}

// Notes returns the newest notes.
func (o OrderFields) Notes(ctx context.Context, order *model.Order, first *int) ([]*model.OrderNote, error) {
	limit, err := core.PageSize(first)
	if err != nil {
		return nil, err
	}
	notes, err := order.Relations().Notes.Of(limit).Get(ctx, order.ID)
	return listed(notes), core.Explain("order notes", err)
}

// ShopperNote returns what the shopper wrote at the checkout, nil for nothing.
func (o OrderFields) ShopperNote(ctx context.Context, order *model.Order) (*string, error) {
	note, err := order.Relations().ShopperNotes.Get(ctx, order.ID)
	return note, core.Explain("order notes", err)
}

// Payments returns the ledger, oldest first.
func (o OrderFields) Payments(ctx context.Context, order *model.Order) ([]*db.Payment, error) {
	payments, err := order.Relations().Payments.Get(ctx, order.ID)
	return listed(payments), core.Explain("payments", err)
}

// ProviderRefunds returns the refunds through the payment provider, oldest first.
func (o OrderFields) ProviderRefunds(ctx context.Context, order *model.Order) ([]*model.PaymentRefund, error) {
	refunds, err := order.Relations().Refunds.Get(ctx, order.ID)
	return listed(refunds), core.Explain("refunds", err)
}

// Fulfillments returns the shipments, oldest first.
func (o OrderFields) Fulfillments(ctx context.Context, order *model.Order) ([]*db.Fulfillment, error) {
	fulfillments, err := order.Relations().Fulfillments.Get(ctx, order.ID)
	return listed(fulfillments), core.Explain("fulfillments", err)
}

// Acts returns the audit entries about the order, newest first.
func (o OrderFields) Acts(ctx context.Context, order *model.Order) ([]*model.OrderAct, error) {
	acts, err := order.Relations().Acts.Get(ctx, order.ID)
	return listed(acts), core.Explain("order acts", err)
}

// WaitingEmails returns the emails to the shopper that are not sent yet, oldest first.
func (o OrderFields) WaitingEmails(ctx context.Context, order *model.Order) ([]*model.WaitingEmail, error) {
	emails, err := order.Relations().Emails.Get(ctx, order.ID)
	return listed(emails), core.Explain("emails", err)
}

// PaymentDueAt returns when the order is canceled for lack of payment, or nil.
func (o OrderFields) PaymentDueAt(ctx context.Context, order *model.Order) (*micros.Time, error) {
	hold, err := order.Relations().Holds.Get(ctx, order.ID)
	return DueAt(order.Order, hold), core.Explain("payment hold", err)
}

// ExchangeOf returns the order in exchange for whose return the order was created, nil for none.
func (o OrderFields) ExchangeOf(ctx context.Context, order *model.Order) (*model.Order, error) {
	if order.ExchangeOf == nil {
		return nil, nil
	}
	of, err := order.Relations().Exchanged.Get(ctx, *order.ExchangeOf)
	return of, core.Explain("order", err)
}

// RefundPreviewMinor returns the value of some units of the lines, capped at what was paid and not
// refunded.
func (o OrderFields) RefundPreviewMinor(
	_ context.Context, order *model.Order, lines []*model.LineQuantityInput,
) (*int64, error) {
	c := &core.Check{}
	checkQuantities(c, lines)
	if err := c.Err(); err != nil {
		return nil, err
	}
	units, err := pick(order, lines, refundable)
	if err != nil {
		return nil, err
	}
	return new(worthOf(order, units)), nil
}

// worthOf returns the value of units of an order, capped at what was paid and not refunded.
func worthOf(o *model.Order, units []picked) (worth int64) {
	for _, p := range units {
		// The sum cannot overflow: it is never above the order's total, which is a valid amount.
		worth += price.Refund(p.line.TotalMinor, p.line.Quantity, p.line.RefundedQuantity, p.quantity)
	}
	return min(worth, o.PaidMinor-o.RefundedMinor)
}

// listed returns an empty list instead of nil. Null would say that the caller may not see the rows.
func listed[T any](rows []T) []T {
	if rows == nil {
		return []T{}
	}
	return rows
}

// LineFields resolves the relation of a line.
type LineFields struct{ *Resolver }

// Product returns the current product, nil once it is deleted.
func (l LineFields) Product(ctx context.Context, line *model.LineItem) (*db.Product, error) {
	if line.ProductID == nil {
		return nil, nil
	}
	p, err := line.Relations().Products.Get(ctx, *line.ProductID)
	return p, core.Explain("product", err)
}
