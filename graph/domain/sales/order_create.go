package sales

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderCreate creates an order and takes its stock. A free order is paid at once.
//
// An import sets PlacedAt, which becomes the time in the order's id. updated_at is still now, so
// that incremental syncs see the order.
func (m Mutation) OrderCreate(ctx context.Context, in model.OrderCreateInput) (_ *model.OrderPayload, err error) {
	c := &core.Check{}
	d := checkOrder(c, &in)
	if c.Err() != nil {
		// References are resolved too, so that one answer reports all errors.
		if err := m.resolve(ctx, c, d, in); err != nil {
			return nil, core.Explain("order", err)
		}
		return nil, c.Err()
	}
	if d.vatConsultation, err = m.consultVIES(ctx, in.Pricing); err != nil {
		return nil, err
	}
	number, err := m.numbers.next(ctx) // outside the transaction, see numbers.next
	if err != nil {
		return nil, core.Explain("store", err)
	}
	id := core.NewID(in.PlacedAt)
	var shown *model.Order
	err = m.Commit(ctx, xid.Order, func(ctx context.Context) (_ *change.Record, err error) {
		c, d := &core.Check{}, *d
		if err := m.resolve(ctx, c, &d, in); err != nil {
			return nil, err
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
		o, lines, err := d.compute(in)
		if err != nil {
			return nil, err
		}
		if err := m.takeDiscount(ctx, &d); err != nil {
			return nil, err
		}
		o.ID, o.Number, o.ExternalNumber = id, number, in.ExternalNumber
		o.CustomFields, err = m.FieldMerge(state.FieldsOfOrders).
			Merge(ctx, core.CustomFieldsMember, nil, in.CustomFields)
		if err != nil {
			return nil, err
		}
		events := begin(ctx, o)
		if shown, err = m.insertOrder(ctx, &d, o, lines); errors.Is(err, errRedacted) {
			return nil, unknownCustomer()
		} else if err != nil {
			return nil, err
		}
		if in.PlacedAt == nil { // other orders come from a system that issued their invoices
			if err := m.invoices.IssueDue(ctx, shown.Order, lineRows(shown), events); err != nil {
				return nil, err
			}
		}
		return m.orders().Created(shown, "order.create", "", events...), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.OrderPayload{Order: shown}, nil
}

// insertOrder writes a new order and everything that follows from it.
func (m Mutation) insertOrder(
	ctx context.Context, d *orderDraft, o *db.Order, lines []*db.OrderLine,
) (*model.Order, error) {
	if err := place(ctx, o.ID, lines); err != nil {
		return nil, err
	}
	if d.quote != nil {
		o.Taxes = document.NewOrderTaxes(d.quote.OrderTaxes(lines))
	}
	saved, err := m.orderRow(ctx, d, o).SetLineSet(lineset.Pack(o.ID, lines)).SetLineSetVersion(1).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("add order: %w", err)
	}
	if !ent.Writes(ctx, ent.LinesInOrders) {
		if err := m.insertLines(ctx, lines); err != nil {
			return nil, fmt.Errorf("add order lines: %w", err)
		}
	}
	if err := m.takeStock(ctx, d.store, d.need, saved.UpdatedAt); err != nil {
		return nil, err
	}
	if d.customer != nil {
		if err := m.countOrder(ctx, d.customer.ID, saved.PlacedAt, saved.UpdatedAt); err != nil {
			return nil, err
		}
	}
	if err := search.For(ctx, m.Store).Mark(ctx, search.Orders, saved.ID); err != nil {
		return nil, err
	}
	return m.assemble([]*db.Order{saved}, lines)[0], nil
}

// begin puts a new order into its first state and returns the resulting events.
func begin(ctx context.Context, o *db.Order) []event.Type {
	o.PlacedAt = o.ID.Time()
	o.UpdatedAt = max(moment.Now(ctx), o.PlacedAt)
	o.FinancialStatus = state.FinancialPending
	events := []event.Type{event.OrderCreated}
	if o.TotalMinor == 0 {
		o.FinancialStatus, o.PaidAt = state.FinancialPaid, &o.PlacedAt
		events = append(events, event.OrderPaid)
	}
	o.EventSequence = int64(len(events))
	return events
}

func (m Mutation) orderRow(ctx context.Context, d *orderDraft, o *db.Order) *db.OrderCreate {
	row := m.Client(ctx).Order.Create().SetID(o.ID).SetNumber(o.Number).
		SetStatus(state.OrderOpen).SetFinancialStatus(o.FinancialStatus).
		SetFulfillmentStatus(state.FulfillmentUnfulfilled).SetCurrency(d.store.Currency).
		SetSubtotalMinor(o.SubtotalMinor).SetDiscountMinor(o.DiscountMinor).
		SetShippingMinor(o.ShippingMinor).SetTaxMinor(o.TaxMinor).SetTotalMinor(o.TotalMinor).
		SetPaidMinor(0).SetRefundedMinor(0).SetNillableEmail(o.Email).
		SetTags(o.Tags).SetSource(o.Source).SetPlacedAt(o.PlacedAt).SetNillablePaidAt(o.PaidAt).
		SetVersion(1).SetEventSequence(o.EventSequence).SetUpdatedAt(o.UpdatedAt).SetCustomFields(o.CustomFields)
	if d.customer != nil {
		row.SetCustomerID(d.customer.ID)
	}
	if d.billing != nil {
		row.SetBillingAddress(document.NewAddress(d.billing))
	}
	if d.shipping != nil {
		row.SetShippingAddress(document.NewAddress(d.shipping))
	}
	placedRow(row, o)
	return row
}

// placedRow adds the columns of orders that a shopper placed or that the store computed.
func placedRow(row *db.OrderCreate, o *db.Order) {
	if o.CartID != nil {
		row.SetCartID(*o.CartID).SetNotesCount(o.NotesCount)
	}
	row.SetNillableVatID(o.VatID).SetNillableVatConsultation(o.VatConsultation).SetNillableTaxRelief(o.TaxRelief)
	if o.Taxes != nil {
		row.SetTaxes(o.Taxes)
	}
	row.SetNillableIncludedTaxMinor(o.IncludedTaxMinor).SetNillableDiscountID(o.DiscountID).
		SetNillableDiscountCode(o.DiscountCode).SetNillableShippingMethod(o.ShippingMethod).
		SetNillablePaymentMethod(o.PaymentMethod).SetNillableLanguage(o.Language).
		SetNillableExternalNumber(o.ExternalNumber).SetNillableExchangeOf(o.ExchangeOf)
}

// OrderPreview returns what an order would cost. It validates and computes as
// [Mutation.OrderCreate] does. Stock is only checked when an order takes it.
func (q Query) OrderPreview(ctx context.Context, in model.OrderCreateInput) (*model.OrderPreview, error) {
	c := &core.Check{}
	d := checkOrder(c, &in)
	if err := q.Mutation().resolve(ctx, c, d, in); err != nil {
		return nil, core.Explain("order", err)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	o, lines, err := d.compute(in)
	if err != nil {
		return nil, err
	}
	return d.preview(o, lines), nil
}

// preview returns what a computed order costs.
func (d *orderDraft) preview(o *db.Order, lines []*db.OrderLine) *model.OrderPreview {
	taxes := []*document.OrderTax{}
	if d.quote != nil {
		for _, t := range d.quote.OrderTaxes(nil) {
			taxes = append(taxes, &t)
		}
	}
	return &model.OrderPreview{Currency: d.store.Currency, LineItems: lines, SubtotalMinor: o.SubtotalMinor,
		DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor,
		IncludedTaxMinor: o.IncludedTaxMinor, Taxes: taxes, TaxRelief: o.TaxRelief,
		TotalMinor: o.TotalMinor, ShippingRates: d.offered()}
}
