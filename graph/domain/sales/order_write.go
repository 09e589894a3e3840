package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// The statements that every order runs are written as SQL: other orders wait for its transaction,
// and a statement builder costs more time than the database. Each statement names the viewer's
// store.
const (
	insertLines = "INSERT INTO order_lines (store_id, id, order_id, position, product_id, variant_id, options, title, " +
		"sku, quantity, fulfilled_quantity, refunded_quantity, unit_price_minor, discount_minor, tax_minor, " +
		"total_minor, requires_shipping) VALUES "
	insertedLine = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	lineArgs     = 17

	// touched raises updated_at as core.Touched does.
	touched = "version = version + 1, updated_at = CASE WHEN updated_at > ? THEN updated_at + ? ELSE ? END"

	// moveStock adds to the stock of a product. A null sum stays null.
	moveStock = "UPDATE products SET " + touched + ", inventory_quantity = inventory_quantity + ? " +
		"WHERE store_id = ? AND id = ? AND "
	orderCounted = "UPDATE customers SET " + touched + ", orders_count = orders_count + 1, last_order_at = CASE WHEN " +
		"last_order_at >= ? THEN last_order_at ELSE ? END WHERE store_id = ? AND id = ? AND status <> ?"
)

// place gives the lines of a new order their ids and positions.
func place(ctx context.Context, order xid.ID, lines []*db.OrderLine) error {
	store, err := rule.Stamp(ctx)
	for i, l := range lines {
		l.ID, l.StoreID, l.OrderID, l.Position = xid.New(), store, order, i
	}
	return err
}

// insertLines writes the lines of an order, which have ids and positions.
func (m Mutation) insertLines(ctx context.Context, lines []*db.OrderLine) error {
	args := make([]any, 0, lineArgs*len(lines))
	for _, l := range lines {
		var options any
		if l.Options != nil {
			options = []byte(l.Options)
		}
		args = append(args, l.StoreID, l.ID, l.OrderID, l.Position, l.ProductID, l.VariantID, options, l.Title, l.Sku,
			l.Quantity, l.FulfilledQuantity, l.RefundedQuantity, l.UnitPriceMinor,
			l.DiscountMinor, l.TaxMinor, l.TotalMinor, l.RequiresShipping)
	}
	text := insertLines + insertedLine + strings.Repeat(", "+insertedLine, len(lines)-1)
	_, err := m.Client(ctx).ExecContext(ctx, text, args...)
	return err
}

// touch returns the arguments of [touched].
func touch(now micros.Time) []any {
	const later = micros.Time(outbox.Spread)
	return []any{now - later, later, now}
}

// run executes a statement of the viewer's store, whose id precedes the last arguments, and returns
// the number of changed rows.
func (m Mutation) run(ctx context.Context, text string, args []any, last ...any) (int, error) {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return 0, err
	}
	done, err := m.Client(ctx).ExecContext(ctx, text, append(append(args, store), last...)...)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

const (
	// maxOfSKUs bounds the products and variants that are read for skuBatch SKUs.
	skuBatch, maxOfSKUs = 500, 1000

	productsBySKU = "product_store_id_sku_id"
	variantsBySKU = "variant_store_id_sku"
)

// OrderBatch writes orders of a file in the transaction of its context. They are history: no email is
// sent, no stock is taken, nothing is reserved and no invoice is issued. The only event is order.created,
// which has the order as it is now.
type OrderBatch struct {
	Mutation
	store *db.Store
	// found has the products and variants of the SKUs in the file, and items what each of them names.
	found orderDraft
	items map[string][]item
	// number is the next of those that are taken, up to end.
	number, end int64
}

// OrderBatch reads the products that the lines of a file name by their SKU.
func (m Mutation) OrderBatch(ctx context.Context, list []*ImportedOrder) (_ *OrderBatch, err error) {
	b := &OrderBatch{Mutation: m, items: map[string][]item{},
		found: orderDraft{products: map[xid.ID]*db.Product{}, variants: map[item]*db.Variant{}}}
	if b.store, err = m.CurrentStore(ctx); err != nil {
		return nil, core.Explain("store", err)
	}
	var skus []string
	for _, o := range list {
		for _, l := range o.Input.Lines {
			core.Opt(l.Sku, func(sku string) { skus = append(skus, sku) })
		}
	}
	slices.Sort(skus)
	for some := range slices.Chunk(slices.Compact(skus), skuBatch) {
		if err := b.find(ctx, some); err != nil {
			return nil, fmt.Errorf("find the products of SKUs: %w", err)
		}
	}
	return b, nil
}

// find reads the products and variants of some SKUs. If too many have them, none is known.
func (b *OrderBatch) find(ctx context.Context, skus []string) error {
	own := b.Client(ctx).Product.Query().Where(product.SkuIn(skus...), product.OptionsIsNil()).Limit(maxOfSKUs)
	own.Modify(ent.ForceIndex(productsBySKU))
	products, err := own.Select(shortProduct...).All(ctx)
	if err != nil {
		return err
	}
	query := b.Client(ctx).Variant.Query().Where(variant.SkuIn(skus...)).Limit(maxOfSKUs)
	query.Modify(ent.ForceIndex(variantsBySKU))
	rows, err := query.Select(variant.FieldStoreID, variant.FieldID, variant.FieldProductID, variant.FieldSku,
		variant.FieldOptions).All(ctx)
	if err != nil || len(products) == maxOfSKUs || len(rows) == maxOfSKUs {
		return err
	}
	for _, p := range products {
		v := variants.Own(p)
		b.add(item{product: p.ID}, p, &v)
	}
	ids := core.IDs(rows, func(v *db.Variant) *xid.ID { return &v.ProductID })
	if len(ids) == 0 {
		return nil
	}
	of := b.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	of.Modify(ent.ForceIndex(ent.Primary))
	products, err = of.Select(shortProduct...).All(ctx)
	for _, p := range products {
		for _, v := range rows {
			if v.ProductID == p.ID {
				b.add(item{p.ID, v.ID}, p, v)
			}
		}
	}
	return err
}

// shortProduct are the columns of products that lines need.
var shortProduct = []string{product.FieldStoreID, product.FieldID, product.FieldSku, product.FieldOptions,
	product.FieldRequiresShipping, product.FieldCurrency}

func (b *OrderBatch) add(w item, p *db.Product, v *db.Variant) {
	b.found.products[p.ID], b.found.variants[w] = p, v
	b.items[*v.Sku] = append(b.items[*v.Sku], w)
}

// Apply creates an order and reports whether it did. One that the store has stays as it is, and fails if
// the file says more of it.
func (b *OrderBatch) Apply(ctx context.Context, in *ImportedOrder) (created bool, err error) {
	c := &core.Check{}
	d := checkOrder(c, &in.Input)
	in.check(c)
	if c.Err() != nil {
		return false, ofLineItems(c)
	}
	o, lines, err := b.rows(c, d, in)
	if err != nil {
		return false, err
	}
	was, err := b.imported(ctx, in)
	if err != nil {
		return false, err
	}
	if was == nil {
		return true, b.create(ctx, d, in, o, lines)
	}
	has, err := b.LinesOf(ctx, []*db.Order{was})
	if err != nil {
		return false, err
	}
	if news := in.news(was, has, o, lines); len(news) > 0 {
		return false, core.Invalid("external_number", fault.Taken, "The store has this order, and the row differs in "+
			strings.Join(news, ", ")+". An import changes no order: change it in the store, or correct the row.")
	}
	return false, nil
}

// ofLineItems returns the errors of a check with the name that lines have in files.
func ofLineItems(c *core.Check) error {
	f, ok := errors.AsType[*fault.Error](c.Err())
	if !ok {
		return nil
	}
	for i := range f.Fields {
		if rest, found := strings.CutPrefix(f.Fields[i].Pointer, "#/lines"); found {
			f.Fields[i].Pointer = "#/line_items" + rest
		}
	}
	return f
}

// rows computes an order and its lines, and checks them against the file.
func (b *OrderBatch) rows(c *core.Check, d *orderDraft, in *ImportedOrder) (*db.Order, []*db.OrderLine, error) {
	if in.Currency != "" && in.Currency != b.store.Currency {
		return nil, nil, fault.State(fault.CurrencyMismatch,
			"The store sells in "+b.store.Currency+", but the order is in "+in.Currency+".")
	}
	d.store, d.products, d.variants = b.store, b.found.products, b.found.variants
	for i, l := range in.Input.Lines {
		d.items[i] = item{}
		d.resolveLine(c, "lines/"+strconv.Itoa(i)+"/", item{}, l)
		if found := b.items[core.Deref(l.Sku)]; len(found) == 1 {
			d.items[i] = found[0]
		}
	}
	if c.Err() != nil {
		return nil, nil, ofLineItems(c)
	}
	o, lines, err := d.compute(in.Input)
	if err != nil {
		return nil, nil, err
	}
	for i, l := range lines {
		if given := in.Lines[i].Options; given != nil {
			if l.Options = nil; len(given) > 0 {
				l.Options = document.NewTags(given)
			}
		}
		core.Opt(in.Lines[i].RequiresShipping, func(v bool) { l.RequiresShipping = v })
	}
	o.ID, o.Currency, o.ExternalNumber = xid.At(*in.Input.PlacedAt), b.store.Currency, in.Input.ExternalNumber
	o.PlacedAt, o.EventSequence = o.ID.Time(), 1
	o.IncludedTaxMinor, o.DiscountCode, o.ShippingMethod = in.IncludedTaxMinor, in.DiscountCode, in.ShippingMethod
	o.VatID, o.TaxRelief = in.VATID, in.TaxRelief
	in.history(c, o, lines)
	in.compare(c, o, lines)
	method := state.PaymentMethod(core.Deref(in.Method))
	// An online payment that is open has a session of its provider, and a test payment can be refunded.
	if method.Known() && method != state.PaymentTest && (!method.Online() || o.PaidMinor == o.TotalMinor) {
		o.PaymentMethod = &method
	}
	return o, lines, ofLineItems(c)
}

// imported returns the order that a file names, nil if the store has none.
func (b *OrderBatch) imported(ctx context.Context, in *ImportedOrder) (*db.Order, error) {
	if in.ID != nil {
		query := b.Client(ctx).Order.Query().Where(order.ID(*in.ID))
		query.Modify(ent.ForceIndex(ent.Primary))
		if rows, err := query.Load(ctx); err != nil || len(rows) > 0 {
			return first(rows), err
		}
	}
	number := *in.Input.ExternalNumber
	query := b.Client(ctx).Order.Query().Where(order.ExternalNumber(number)).Limit(2)
	query.Modify(ent.ForceIndex(ordersByExternal))
	rows, err := query.Load(ctx)
	if len(rows) == 2 {
		return nil, core.Invalid("external_number", fault.Taken, "Several orders of the store have this number.")
	}
	return first(rows), err
}

func first[T any](rows []*T) *T {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// create writes an order with its history. Its customer is the one with its email address, if any.
func (b *OrderBatch) create(
	ctx context.Context, d *orderDraft, in *ImportedOrder, o *db.Order, lines []*db.OrderLine,
) (err error) {
	if o.Number, err = b.nextNumber(ctx); err != nil {
		return core.Explain("store", err)
	}
	if o.Email != nil {
		if d.customer, err = b.known(ctx, *o.Email); err != nil {
			return err
		}
	}
	o.CustomFields, err = b.FieldMerge(state.FieldsOfOrders).
		Merge(ctx, core.CustomFieldsMember, nil, in.Input.CustomFields)
	if err != nil {
		return err
	}
	if in.Note != nil {
		o.NotesCount = 1
	}
	return b.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		o.UpdatedAt = moment.Now(ctx)
		if err := place(ctx, o.ID, lines); err != nil {
			return nil, err
		}
		o.Taxes = in.taxesOf(lines)
		shown, err := b.writeOrder(ctx, d, o, lines)
		if errors.Is(err, errRedacted) {
			return nil, ent.Again(err)
		}
		if err == nil {
			err = b.past(ctx, in, shown.Order, lines)
		}
		if err != nil {
			return nil, err
		}
		return b.orders().Created(shown, "order.create", "", event.OrderCreated), nil
	})
}

// nextNumber returns an unused order number. They are taken together, in the transaction of ctx.
func (b *OrderBatch) nextNumber(ctx context.Context) (int64, error) {
	if b.number == b.end {
		first, err := b.numbers.take(ctx, numberBlock)
		if err != nil {
			return 0, err
		}
		b.number, b.end = first, first+numberBlock
	}
	b.number++
	return b.number - 1, nil
}

// taxesOf returns the taxes with the ids of the lines in the store.
func (in *ImportedOrder) taxesOf(lines []*db.OrderLine) document.OrderTaxes {
	if len(in.Taxes) == 0 {
		return nil
	}
	ids := map[string]*string{}
	for i, l := range in.Lines {
		if l.ID != "" { // parts without an id are of shipping
			ids[l.ID] = new(xid.OrderLine.Format(lines[i].ID))
		}
	}
	taxes := slices.Clone(in.Taxes)
	for i, t := range taxes {
		taxes[i].Lines = slices.Clone(t.Lines)
		for j, part := range t.Lines {
			taxes[i].Lines[j].LineID = ids[core.Deref(part.LineID)]
		}
	}
	return document.NewOrderTaxes(taxes)
}

// past writes the payment, the refund, the shipment and the note of an order.
func (b *OrderBatch) past(ctx context.Context, in *ImportedOrder, o *db.Order, lines []*db.OrderLine) error {
	at := func(t *micros.Time) micros.Time {
		if t == nil {
			return o.PlacedAt
		}
		return *t
	}
	var back, shipped []document.Line
	for _, l := range lines {
		back = append(back, picked{l, l.RefundedQuantity}.documents()...)
		shipped = append(shipped, picked{l, l.FulfilledQuantity}.documents()...)
	}
	entry := func(kind state.PaymentKind, at micros.Time, amount int64) *db.PaymentCreate {
		return b.Client(ctx).Payment.Create().SetID(xid.At(at)).SetOrderID(o.ID).SetKind(kind).SetAmountMinor(amount).
			SetCurrency(o.Currency)
	}
	var err error
	paid := at(in.PaidAt)
	if o.PaidMinor > 0 {
		err = entry(state.LedgerPayment, paid, o.PaidMinor).SetLines(document.NewLines(nil)).
			SetNillableMethod(in.Method).SetNillableReference(in.Reference).Exec(ctx)
	}
	if err == nil && (o.RefundedMinor > 0 || len(back) > 0) {
		err = entry(state.LedgerRefund, max(paid+1, at(in.CancelledAt)), o.RefundedMinor).
			SetLines(document.NewLines(back)).Exec(ctx)
	}
	if err == nil && len(shipped) > 0 {
		err = b.Client(ctx).Fulfillment.Create().SetID(xid.At(at(in.FulfilledAt))).SetOrderID(o.ID).
			SetLines(document.NewLines(shipped)).Exec(ctx)
	}
	if err == nil && in.Note != nil {
		err = b.noteRow(ctx, xid.New(), o.ID, model.OrderNoteInput{Body: *in.Note, Visibility: state.NoteInternal}).
			Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the history of an order: %w", err)
	}
	return b.spend(ctx, o.CustomerID, o.PaidMinor-o.RefundedMinor, o.UpdatedAt)
}

// documents returns a quantity as a list, which is empty if it is 0.
func (p picked) documents() []document.Line {
	if p.quantity == 0 {
		return nil
	}
	return []document.Line{p.document()}
}
