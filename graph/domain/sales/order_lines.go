package sales

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/discount"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// lineChange is an order as it would be with other lines.
type lineChange struct {
	draft orderDraft
	lines []*db.OrderLine
	quote *selling.Quote
	// need is the stock to take.
	need stock
	// was are the quantities of the lines before the change.
	was map[xid.ID]int64
}

// OrderEditLines changes the quantities of an order's lines, removes lines and adds some. The store computes
// the order as the checkout does, by its present taxes. Unit prices, the price of shipping and the rule of
// the discount stay.
func (m Mutation) OrderEditLines(
	ctx context.Context, id string, expectedVersion int64, in model.OrderLinesInput,
) (*model.OrderPayload, error) {
	if err := checkLinesInput(in); err != nil {
		return nil, err
	}
	if in.Refund {
		if err := core.RequireScope(ctx, scope.RefundsWrite, "A refund"); err != nil {
			return nil, err
		}
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.edit_lines", func(ctx context.Context, e *orderEdit) error {
		l, err := m.changeLines(ctx, e.Order, in)
		if err != nil {
			return err
		}
		if over := e.PaidMinor - l.quote.TotalMinor; over > 0 {
			if !in.Refund {
				return fault.State(fault.AmountExceeded,
					"The order would cost less than was already paid. Have the difference refunded.")
			}
			if err := m.giveBack(ctx, e, over); err != nil {
				return err
			}
		}
		for i, row := range l.lines {
			row.Position = i
			if row.ID.IsNil() {
				row.ID, row.StoreID, row.OrderID = xid.New(), e.StoreID, e.ID
			}
		}
		m.applyLines(e, l)
		return nil
	})
}

// OrderLinesPreview returns what an order would cost after [Mutation.OrderEditLines]. Nothing is written.
func (q Query) OrderLinesPreview(
	ctx context.Context, id string, in model.OrderLinesInput,
) (*model.OrderPreview, error) {
	if err := checkLinesInput(in); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	o, err := q.orderWithLines(ctx, uid)
	if err != nil {
		return nil, core.Explain("order", err)
	}
	l, err := q.Mutation().changeLines(ctx, o, in)
	if err != nil {
		return nil, core.Explain("order", err)
	}
	p := &model.OrderPreview{Currency: o.Currency, LineItems: l.lines, SubtotalMinor: l.quote.SubtotalMinor,
		DiscountMinor: l.quote.DiscountMinor, ShippingMinor: l.quote.ShippingMinor, TaxMinor: l.quote.TaxMinor,
		IncludedTaxMinor: &l.quote.IncludedTaxMinor, Taxes: []*document.OrderTax{}, TotalMinor: l.quote.TotalMinor,
		ShippingRates: []*model.OfferedRate{}}
	for _, t := range l.quote.OrderTaxes(nil) {
		p.Taxes = append(p.Taxes, &t)
	}
	return p, nil
}

func checkLinesInput(in model.OrderLinesInput) error {
	c := &core.Check{}
	if len(in.Lines)+len(in.Add) == 0 {
		c.Add("lines", fault.TooShort, "Change or add at least one line.")
	}
	if len(in.Lines) > limit.Lines {
		c.Add("lines", fault.TooLong, "There are more than "+strconv.Itoa(limit.Lines)+" lines.")
	}
	for i, l := range in.Lines {
		c.Within("lines/"+strconv.Itoa(i)+"/quantity", l.Quantity, 0, limit.Quantity)
	}
	if len(in.Add) > limit.Lines {
		c.Add("add", fault.TooLong, "An order can have at most "+strconv.Itoa(limit.Lines)+" lines.")
		return c.Err()
	}
	for i, l := range in.Add {
		at := "add/" + strconv.Itoa(i) + "/"
		checkLine(c, at, l)
		if l.DiscountMinor != 0 || l.TaxMinor != 0 {
			c.Add(at+"tax_minor", fault.OutOfRange, "Leave this out when the store calculates the order.")
		}
	}
	return c.Err()
}

// mayEditLines returns an error if the order's state forbids other lines.
func mayEditLines(o *model.Order) error {
	refused := func(detail string) error { return fault.State(fault.InvalidTransition, detail) }
	switch {
	case o.Status != state.OrderOpen || o.FulfillmentStatus != state.FulfillmentUnfulfilled:
		what := core.Words(o.FulfillmentStatus)
		if o.Status != state.OrderOpen {
			what = core.Words(o.Status)
		}
		return refused("The order is " + what + ". Items can only be changed while it is open and unfulfilled.")
	case slices.ContainsFunc(o.Lines, func(l *model.LineItem) bool { return l.RefundedQuantity > 0 }),
		o.RefundedMinor > 0:
		return refused("Items of the order were refunded, so they can no longer be changed.")
	case o.IncludedTaxMinor == nil:
		return refused("The amounts of the order were not calculated by the store, so they cannot be recalculated.")
	case o.TaxRelief != nil:
		return refused("The order bears no tax. Cancel it and create another one instead.")
	}
	return nil
}

// changeLines computes an order with other lines.
func (m Mutation) changeLines(ctx context.Context, o *model.Order, in model.OrderLinesInput) (*lineChange, error) {
	if err := mayEditLines(o); err != nil {
		return nil, err
	}
	returns, err := m.returnsOf(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(returns, isOpen) {
		return nil, fault.State(fault.InvalidTransition, "Items of the order are in a return. Decline it first.")
	}
	switch issued, err := m.invoices.Issued(ctx, o.ID); {
	case err != nil:
		return nil, err
	case issued:
		return nil, fault.State(fault.InvalidTransition, "The order has an invoice, which cannot change. Refund items, "+
			"which issues a credit note, and create another order for new ones.")
	}
	l := &lineChange{need: stock{}, was: map[xid.ID]int64{}}
	if err := l.keep(o, in.Lines); err != nil {
		return nil, err
	}
	if err := m.addLines(ctx, l, in.Add); err != nil {
		return nil, err
	}
	switch n := len(l.lines); {
	case n == 0:
		return nil, fault.State(fault.InvalidTransition, "An order needs at least one item. Cancel the order instead.")
	case n > limit.Lines:
		return nil, fault.Invalid(fault.Field{Pointer: "#/add", Code: fault.TooLong,
			Detail: "An order can have at most " + strconv.Itoa(limit.Lines) + " lines."})
	}
	return l, m.requote(ctx, o, l)
}

// keep takes over the lines of the order with their new quantities, and notes the stock to take.
func (l *lineChange) keep(o *model.Order, changes []*model.LineQuantityInput) error {
	var c core.Check
	wanted := map[*db.OrderLine]int64{}
	for i, given := range changes {
		name := "lines/" + strconv.Itoa(i) + "/line_item_id"
		line := lineOf(o, given.LineItemID)
		if line == nil {
			checkUnknown(&c, name, xid.OrderLine)
			continue
		}
		if _, again := wanted[line]; again {
			c.Add(name, fault.Taken, "The line appears twice.")
		}
		wanted[line] = given.Quantity
	}
	for _, shown := range o.Lines {
		row := *shown.OrderLine // the order stays as it is until everything is computed
		n, changed := wanted[shown.OrderLine]
		if changed {
			row.Quantity = n
		}
		l.was[row.ID] = shown.Quantity
		if more := row.Quantity - shown.Quantity; more > 0 {
			l.need[itemOf(&row)] += more
		}
		if row.Quantity > 0 {
			l.lines, l.draft.items = append(l.lines, &row), append(l.draft.items, itemOf(&row))
		}
	}
	return c.Err()
}

// addLines adds the new lines, and reads the products of all lines.
func (m Mutation) addLines(ctx context.Context, l *lineChange, add []*model.OrderLineInput) (err error) {
	c := &core.Check{}
	first := len(l.lines)
	for i, given := range add {
		l.draft.items = append(l.draft.items, checkLine(c, "add/"+strconv.Itoa(i)+"/", given))
	}
	if l.draft.store, err = m.CurrentStore(ctx); err != nil {
		return err
	}
	if err := m.loadItems(ctx, &l.draft); err != nil {
		return err
	}
	for i, given := range add {
		w := &l.draft.items[first+i]
		if !l.draft.checkItem(c, "add/"+strconv.Itoa(i)+"/", w, given) {
			continue
		}
		row, err := l.draft.row(*w, given)
		if err != nil {
			return err
		}
		l.lines = append(l.lines, row)
		l.need[*w] += given.Quantity
	}
	for w := range l.need { // the stock of other items is not counted
		if v := l.draft.variant(w); v == nil || v.InventoryQuantity == nil {
			delete(l.need, w)
		}
	}
	return c.Err()
}

// requote computes the amounts of the lines.
func (m Mutation) requote(ctx context.Context, o *model.Order, l *lineChange) error {
	b, err := l.basket(o)
	if err != nil {
		return err
	}
	if o.DiscountID != nil {
		rows, err := m.Client(ctx).Discount.Query().Where(discount.ID(*o.DiscountID)).Load(ctx)
		if err != nil {
			return fmt.Errorf("read the discount: %w", err)
		}
		if len(rows) > 0 {
			b.Discount, b.OffMinor = rows[0], 0
		}
	}
	if l.quote, err = m.selling.Quote(ctx, b); err != nil {
		return err
	}
	taxes, err := o.Taxes.List()
	if err != nil {
		return err
	}
	if len(taxes) > 0 && taxes[0].Included != l.quote.Tax.Included {
		return fault.State(fault.InvalidTransition, "Since the order was placed, the store has changed whether prices "+
			"include tax, so the order cannot be recalculated.")
	}
	for i, a := range l.quote.Lines {
		row := l.lines[i]
		row.DiscountMinor, row.TaxMinor, row.TotalMinor = a.DiscountMinor, a.TaxMinor, a.TotalMinor
	}
	return nil
}

// basket returns the lines as a cart has them, with the order's own shipping price.
func (l *lineChange) basket(o *model.Order) (b selling.Basket, err error) {
	shipping := o.ShippingMinor
	taxes, err := o.Taxes.List()
	if err != nil {
		return b, err
	}
	if len(taxes) > 0 && !taxes[0].Included {
		shipping -= *o.IncludedTaxMinor // the tax on shipping
	}
	b.FreightMinor, b.OffMinor = &shipping, o.DiscountMinor
	ships := false
	for i, row := range l.lines {
		w := l.draft.items[i]
		line := price.Line{UnitMinor: row.UnitPriceMinor, Quantity: row.Quantity, Product: w.product,
			Digital: !row.RequiresShipping}
		if v, p := l.draft.variant(w), l.draft.products[w.product]; v != nil {
			core.Opt(v.WeightGrams, func(g int64) { line.WeightGrams = g })
			line.Category = variants.TaxCategory(p, v)
		} else if !w.product.IsNil() && len(taxes) > 0 {
			return b, fault.State(fault.InvalidTransition, "The product of “"+row.Title+"” no longer exists, so its "+
				"tax cannot be calculated.")
		}
		ships = ships || !line.Digital
		b.Lines = append(b.Lines, line)
	}
	to, err := o.ShippingAddress.Fields()
	if err == nil && to == nil && !ships {
		to, err = o.BillingAddress.Fields()
	}
	if err != nil || to == nil {
		return b, err
	}
	b.To.Country = to.Country
	core.Opt(to.Region, func(s string) { b.To.Region = s })
	return b, nil
}

// applyLines changes the order. Its lines have ids and positions.
func (m Mutation) applyLines(e *orderEdit, l *lineChange) {
	o, u, q := e.Order.Order, e.Update, l.quote
	e.Changed = append(e.Changed, "line_items")
	set := func(name string, to *int64, v int64, set func(int64) *db.OrderUpdate) {
		if *to != v {
			*to = v
			set(v)
			e.Changed = append(e.Changed, name)
		}
	}
	set("subtotal_minor", &o.SubtotalMinor, q.SubtotalMinor, u.SetSubtotalMinor)
	set("discount_minor", &o.DiscountMinor, q.DiscountMinor, u.SetDiscountMinor)
	set("shipping_minor", &o.ShippingMinor, q.ShippingMinor, u.SetShippingMinor)
	set("tax_minor", &o.TaxMinor, q.TaxMinor, u.SetTaxMinor)
	set("included_tax_minor", o.IncludedTaxMinor, q.IncludedTaxMinor, u.SetIncludedTaxMinor)
	set("total_minor", &o.TotalMinor, q.TotalMinor, u.SetTotalMinor)
	o.Taxes = document.NewOrderTaxes(q.OrderTaxes(l.lines))
	u.Modify(func(b *sql.UpdateBuilder) { b.Set(order.FieldTaxes, []byte(o.Taxes)) }) // ent has no setter
	items, of := make([]*model.LineItem, len(l.lines)), &model.Placed{Order: o}
	for i, row := range l.lines {
		items[i] = &model.LineItem{OrderLine: row, Siblings: e.Order.Siblings, Of: of}
	}
	for _, before := range e.Lines {
		i := slices.IndexFunc(l.lines, func(row *db.OrderLine) bool { return row.ID == before.ID })
		if i < 0 {
			e.restock(before.OrderLine, before.Quantity, nil)
		} else {
			e.restock(before.OrderLine, before.Quantity-l.lines[i].Quantity, nil)
		}
	}
	e.Lines = items
	e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
	e.reprice()
	e.Then = inSequence(e.Then, func(ctx context.Context) error { return m.saveEdited(ctx, e, l) })
	e.Then = m.reindex(e)
}

// reprice sets the financial status that follows from another total. The order is paid, for the first time
// or again, once the payments reach the total.
func (e *orderEdit) reprice() {
	was := e.FinancialStatus
	if e.PaidMinor < e.TotalMinor {
		e.FinancialStatus = state.FinancialPending
		if e.PaidAt != nil {
			e.PaidAt = nil
			e.Update.ClearPaidAt()
		}
	}
	e.settleMoney()
	if e.FinancialStatus == state.FinancialPaid && was != state.FinancialPaid {
		e.PaidAt = &e.Now
		e.Update.SetPaidAt(e.Now)
		e.Emit(event.OrderPaid)
		e.quiet = !e.gaveBack // nothing was paid now
	}
	if e.FinancialStatus != was {
		e.Events[0].Changed = append(e.Events[0].Changed, "financial_status")
	}
}

// saveEdited takes the stock, ends an online payment of the former total, and has the sums of sales computed
// again. It writes the rows of the lines while releases that read them may run.
func (m Mutation) saveEdited(ctx context.Context, e *orderEdit, l *lineChange) error {
	from, err := m.takeLines(ctx, l.draft.store, l.need, l.lines,
		func(row *db.OrderLine) int64 { return row.Quantity - l.was[row.ID] }, nil, e.Now)
	if err != nil {
		return err
	}
	if len(from) > 0 {
		e.places.list = append(e.places.list, from...)
		if err := m.saveAllocations(ctx, e.Order.Order, e.places.list); err != nil {
			return err
		}
	}
	if !ent.Writes(ctx, ent.LinesInOrders) {
		if _, err := m.Client(ctx).OrderLine.Delete().Where(orderline.OrderID(e.ID)).Exec(ctx); err != nil {
			return fmt.Errorf("remove the former lines: %w", err)
		}
		if err := m.insertLines(ctx, l.lines); err != nil {
			return fmt.Errorf("add order lines: %w", err)
		}
	}
	if err := m.pollSoon(ctx, e.Order); err != nil {
		return err
	}
	return rollup.Mark(ctx, m.Store, rollup.Sale{Store: e.StoreID, Order: e.ID})
}
