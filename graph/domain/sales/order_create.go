package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/phrase"
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
	return m.writeOrder(ctx, d, o, lines)
}

// writeOrder is [Mutation.insertOrder] for an order whose lines and taxes are complete.
func (m Mutation) writeOrder(
	ctx context.Context, d *orderDraft, o *db.Order, lines []*db.OrderLine,
) (*model.Order, error) {
	saved, err := m.orderRow(ctx, d, o).SetLineSet(lineset.Pack(o.ID, lines)).SetLineSetVersion(1).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("add order: %w", err)
	}
	if !ent.Writes(ctx, ent.LinesInOrders) {
		if err := m.insertLines(ctx, lines); err != nil {
			return nil, fmt.Errorf("add order lines: %w", err)
		}
	}
	from, err := m.takeLines(ctx, d.store, d.need, lines,
		func(l *db.OrderLine) int64 { return l.Quantity }, d.pickup(), saved.UpdatedAt)
	if err != nil {
		return nil, err
	}
	if len(from) > 0 {
		if err := m.saveAllocations(ctx, saved, from); err != nil {
			return nil, err
		}
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
	o.Status, o.FulfillmentStatus = state.OrderOpen, state.FulfillmentUnfulfilled
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
		SetStatus(o.Status).SetFinancialStatus(o.FinancialStatus).
		SetFulfillmentStatus(o.FulfillmentStatus).SetCurrency(d.store.Currency).
		SetSubtotalMinor(o.SubtotalMinor).SetDiscountMinor(o.DiscountMinor).
		SetShippingMinor(o.ShippingMinor).SetTaxMinor(o.TaxMinor).SetTotalMinor(o.TotalMinor).
		SetPaidMinor(o.PaidMinor).SetRefundedMinor(o.RefundedMinor).SetNillableEmail(o.Email).
		SetTags(o.Tags).SetSource(o.Source).SetPlacedAt(o.PlacedAt).SetNillablePaidAt(o.PaidAt).
		SetNillableFulfilledAt(o.FulfilledAt).SetNillableCancelledAt(o.CancelledAt).
		SetNillableCompletedAt(o.CompletedAt).SetVersion(1).SetEventSequence(o.EventSequence).
		SetUpdatedAt(o.UpdatedAt).SetCustomFields(o.CustomFields)
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
		row.SetCartID(*o.CartID)
	}
	row.SetNotesCount(o.NotesCount)
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

// ImportedOrder is an order as a file has it, with what happened to it in another system.
type ImportedOrder struct {
	// ID is that of the order in the store that wrote the file, nil if the file has none.
	ID *xid.ID
	// Input has the external number, by which the order is found again.
	Input model.OrderCreateInput
	// Lines belong to the lines of Input.
	Lines []ImportedLine
	// Sums are the amounts that the file says of the order, by member. They are checked, never used.
	Sums map[string]*int64
	// Currency, Status, Financial and Fulfillment are empty if the file does not say them.
	Currency    string
	Status      state.OrderStatus
	Financial   state.FinancialStatus
	Fulfillment state.FulfillmentStatus

	// PaidMinor and RefundedMinor follow from Financial if they are nil.
	PaidMinor, RefundedMinor *int64
	// A time that the file does not say is that of the order.
	PaidAt, FulfilledAt, CancelledAt, CompletedAt *micros.Time
	// Method and Reference are those of the payment.
	Method, Reference *string

	IncludedTaxMinor *int64
	// Taxes name the lines by [ImportedLine.ID].
	Taxes []document.OrderTax

	DiscountCode, ShippingMethod, VATID *string
	TaxRelief                           *state.TaxRelief
	Note                                *string
}

// ImportedLine is what the file says of a line besides its input.
type ImportedLine struct {
	ID string
	// Fulfilled follows from the status of the order if it is nil.
	Fulfilled  *int64
	Refunded   int64
	TotalMinor *int64
	Options    []string
	// RequiresShipping is that of the product if nil, or else true.
	RequiresShipping *bool
}

// check validates what the input of an order lacks.
func (in *ImportedOrder) check(c *core.Check) {
	c.Required("placed_at", in.Input.PlacedAt != nil)
	c.Required("external_number", in.Input.ExternalNumber != nil)
	placed := core.Deref(in.Input.PlacedAt)
	for name, at := range map[string]*micros.Time{"paid_at": in.PaidAt, "fulfilled_at": in.FulfilledAt,
		"cancelled_at": in.CancelledAt, "completed_at": in.CompletedAt} {
		c.Past(name, at)
		if at != nil && *at < placed {
			c.Add(name, fault.OutOfRange, "The time is before placed_at.")
		}
	}
	core.Opt(in.PaidMinor, func(v int64) { c.Amount("paid_minor", v) })
	core.Opt(in.RefundedMinor, func(v int64) { c.Amount("refunded_minor", v) })
	checkPayment(c, in.Method, in.Reference)
	core.Opt(in.IncludedTaxMinor, func(v int64) { c.Amount("included_tax_minor", v) })
	core.Opt(in.DiscountCode, func(s string) { c.Line("discount_code", s, limit.Code) })
	core.Opt(in.ShippingMethod, func(s string) { c.Line("shipping_method", s, limit.Line) })
	core.Opt(in.VATID, func(s string) { c.Line("vat_id", s, limit.VATID) })
	core.Opt(in.Note, func(s string) { c.Long("note", s, limit.Note) })
	if in.TaxRelief != nil && !in.TaxRelief.Known() {
		c.Add("tax_relief", fault.UnknownValue, "Unknown tax relief.")
	}
	for i, l := range in.Lines {
		at, most := "lines/"+strconv.Itoa(i)+"/", in.Input.Lines[i].Quantity
		core.Opt(l.Fulfilled, func(n int64) { c.Within(at+"fulfilled_quantity", n, 0, most) })
		c.Within(at+"refunded_quantity", l.Refunded, 0, most)
		if len(l.Options) > limit.Options {
			c.Add(at+"options", fault.TooLong, "A line has at most "+strconv.Itoa(limit.Options)+" options.")
		}
		for _, option := range l.Options {
			c.Line(at+"options", option, limit.Line)
		}
	}
}

// compare checks that the parts of an order add up to what the file says.
func (in *ImportedOrder) compare(c *core.Check, o *db.Order, lines []*db.OrderLine) {
	differs := func(name string, said *int64, is int64) {
		if said != nil && *said != is {
			money := phrase.In(state.English)
			c.Add(name, fault.OutOfRange, "The parts of the order add up to "+money.Money(is, o.Currency)+
				", and the file says "+money.Money(*said, o.Currency)+".")
		}
	}
	differs("subtotal_minor", in.Sums["subtotal_minor"], o.SubtotalMinor)
	differs("discount_minor", in.Sums["discount_minor"], o.DiscountMinor)
	differs("tax_minor", in.Sums["tax_minor"], o.TaxMinor)
	differs("total_minor", in.Sums["total_minor"], o.TotalMinor)
	for i, l := range in.Lines {
		differs("lines/"+strconv.Itoa(i)+"/total_minor", l.TotalMinor, lines[i].TotalMinor)
	}
	if o.PaidMinor > o.TotalMinor {
		c.Add("paid_minor", fault.OutOfRange, "The payment exceeds the total.")
	}
	if o.RefundedMinor > o.PaidMinor {
		c.Add("refunded_minor", fault.OutOfRange, "The refund exceeds the payment.")
	}
	if in.Taxes == nil {
		return
	}
	var beside, within int64
	for _, t := range in.Taxes {
		if t.Included {
			within += t.AmountMinor
		} else {
			beside += t.AmountMinor
		}
	}
	differs("taxes", &beside, o.TaxMinor)
	differs("taxes", &within, core.Deref(in.IncludedTaxMinor))
}

// history sets what happened to an order. The statuses follow from its sums and quantities, as in every
// change of an order; those of the file must be the same.
func (in *ImportedOrder) history(c *core.Check, o *db.Order, lines []*db.OrderLine) {
	orPlaced := func(t *micros.Time) *micros.Time {
		if t == nil {
			return &o.PlacedAt
		}
		return t
	}
	switch in.Financial {
	case state.FinancialRefunded:
		o.PaidMinor, o.RefundedMinor = o.TotalMinor, o.TotalMinor
	case state.FinancialPaid, state.FinancialPartiallyRefunded:
		o.PaidMinor = o.TotalMinor
	}
	core.Opt(in.PaidMinor, func(v int64) { o.PaidMinor = v })
	core.Opt(in.RefundedMinor, func(v int64) { o.RefundedMinor = v })
	if o.PaidAt = in.PaidAt; o.PaidMinor == o.TotalMinor {
		o.PaidAt = orPlaced(in.PaidAt)
	}
	shipped, rest := int64(0), int64(0)
	for i, l := range lines {
		l.RefundedQuantity = in.Lines[i].Refunded
		if in.Fulfillment == state.FulfillmentFulfilled || in.Status == state.OrderCompleted {
			l.FulfilledQuantity = left(l)
		}
		core.Opt(in.Lines[i].Fulfilled, func(n int64) { l.FulfilledQuantity = n })
		shipped, rest = shipped+l.FulfilledQuantity, rest+left(l)
	}
	o.Status, o.FulfillmentStatus = state.OrderOpen, state.FulfillmentUnfulfilled
	switch {
	case shipped > 0 && rest == 0:
		o.FulfillmentStatus, o.FulfilledAt = state.FulfillmentFulfilled, orPlaced(in.FulfilledAt)
	case shipped > 0:
		o.FulfillmentStatus = state.FulfillmentPartiallyFulfilled
	}
	switch {
	case in.Status == state.OrderCancelled || in.Status == "" && in.CancelledAt != nil:
		if o.Status, o.CancelledAt = state.OrderCancelled, orPlaced(in.CancelledAt); shipped > 0 {
			c.Add("status", fault.OutOfRange, "An order of which items were shipped cannot be cancelled.")
		}
	case in.Status == state.OrderCompleted:
		if o.Status, o.CompletedAt = in.Status, orPlaced(in.CompletedAt); rest > 0 || shipped == 0 {
			c.Add("status", fault.OutOfRange, "An order that is not fulfilled cannot be completed.")
		}
	}
	o.FinancialStatus = state.FinancialPending
	o.FinancialStatus = financialOf(o)
	sameStatus(c, "status", in.Status, o.Status, "its times")
	sameStatus(c, "financial_status", in.Financial, o.FinancialStatus, "paid_minor and refunded_minor")
	sameStatus(c, "fulfillment_status", in.Fulfillment, o.FulfillmentStatus, "the quantities of its lines")
}

func sameStatus[S ~string](c *core.Check, name string, said, is S, from string) {
	if said != "" && said != is {
		c.Add(name, fault.OutOfRange,
			"The order is "+core.Words(is)+" by "+from+", and the file says another status.")
	}
}

// news returns the members in which a file goes beyond an order of the store. What happened to an order
// in the store after it was imported is none.
func (in *ImportedOrder) news(was *db.Order, has []*db.OrderLine, o *db.Order, lines []*db.OrderLine) []string {
	var list []string
	add := func(name string, differs bool) {
		if differs && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	add("placed_at", was.PlacedAt != o.PlacedAt)
	add("line_items", len(has) != len(lines))
	for i := range min(len(has), len(lines)) {
		a, b := has[i], lines[i]
		add("line_items", a.Title != b.Title || core.Deref(a.Sku) != core.Deref(b.Sku) || a.Quantity != b.Quantity ||
			a.UnitPriceMinor != b.UnitPriceMinor || a.DiscountMinor != b.DiscountMinor || a.TaxMinor != b.TaxMinor)
		add("fulfillment_status", b.FulfilledQuantity > a.FulfilledQuantity)
		add("refunded_quantity", b.RefundedQuantity > a.RefundedQuantity)
	}
	add("shipping_minor", was.ShippingMinor != o.ShippingMinor)
	add("paid_minor", o.PaidMinor > was.PaidMinor)
	add("refunded_minor", o.RefundedMinor > was.RefundedMinor)
	add("status", o.Status != state.OrderOpen && o.Status != was.Status)
	return list
}
