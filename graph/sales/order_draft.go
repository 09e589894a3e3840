package sales

import (
	"context"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// Limits of an order.

// orderDraft is what an input says, and what it refers to.
type orderDraft struct {
	billing, shipping *document.AddressFields
	customerID        *xid.ID
	productIDs        []*xid.ID // one for each line

	store    *db.Store
	customer *db.Customer
	products map[xid.ID]*db.Product
	// need is the stock to take, by tracked product.
	need map[xid.ID]int64
}

// checkOrder judges what can be judged without the database.
func checkOrder(ctx context.Context, c *core.Check, in *model.OrderCreateInput) *orderDraft {
	d := &orderDraft{}
	d.customerID = checkRef(c, "customer_id", xid.Customer, in.CustomerID)
	core.Opt(in.Email, func(s string) { in.Email = new(c.Email("email", s)) })
	switch n := len(in.Lines); {
	case n == 0:
		c.Add("lines", fault.TooShort, "An order has at least one line.")
	case n > limit.Lines:
		c.Add("lines", fault.TooLong, "An order has at most "+strconv.Itoa(limit.Lines)+" lines.")
	default:
		for i, l := range in.Lines {
			d.productIDs = append(d.productIDs, checkLine(c, "lines/"+strconv.Itoa(i)+"/", l))
		}
	}
	c.Amount("shipping_minor", in.ShippingMinor)
	d.billing = checkAddress(c, "billing_address", in.BillingAddress)
	d.shipping = checkAddress(c, "shipping_address", in.ShippingAddress)
	c.Tags("tags", in.Tags)
	checkSource(c, "source", in.Source)
	c.CreatedAt(ctx, "placed_at", in.PlacedAt)
	return d
}

// checkLine judges one line and returns the id of its product.
func checkLine(c *core.Check, at string, l *model.OrderLineInput) *xid.ID {
	id := checkRef(c, at+"product_id", xid.Product, l.ProductID)
	if l.ProductID == nil {
		c.Required(at+"title", l.Title != nil)
		c.Required(at+"unit_price_minor", l.UnitPriceMinor != nil)
	}
	core.Opt(l.Title, func(s string) { c.Line(at+"title", s, limit.Line) })
	core.Opt(l.Sku, func(s string) { c.Line(at+"sku", s, limit.Line) })
	c.Within(at+"quantity", l.Quantity, 1, limit.Quantity)
	core.Opt(l.UnitPriceMinor, func(v int64) { c.Amount(at+"unit_price_minor", v) })
	c.Amount(at+"discount_minor", l.DiscountMinor)
	c.Amount(at+"tax_minor", l.TaxMinor)
	return id
}

// checkRef reads an id that the input refers to: malformed and unknown are the same.
func checkRef(c *core.Check, name string, kind xid.Kind, text *string) *xid.ID {
	if text == nil {
		return nil
	}
	id, err := kind.Parse(*text)
	if err != nil {
		checkUnknown(c, name, kind)
		return nil
	}
	return &id
}

func checkUnknown(c *core.Check, name string, kind xid.Kind) {
	c.Add(name, fault.UnknownValue, "There is no such "+core.KindName(kind)+".")
}

// checkSource checks where an order comes from: 1 to 64 of a-z, 0-9 and _, a letter
// first.
func checkSource(c *core.Check, name, source string) {
	bad := func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	switch {
	case source == "":
		c.Add(name, fault.TooShort, "The source is empty.")
	case len(source) > limit.Source:
		c.Add(name, fault.TooLong, "The source has more than "+strconv.Itoa(limit.Source)+" characters.")
	case strings.ContainsFunc(source, bad) || source[0] < 'a' || source[0] > 'z':
		c.Add(name, fault.InvalidFormat, "A source is made of a-z, 0-9 and _, a letter first.")
	}
}

// refer reads the store, the customer and the products, and judges the lines
// with what they take from them.
func (m Mutation) refer(ctx context.Context, c *core.Check, d *orderDraft, in model.OrderCreateInput) (err error) {
	if d.store, err = m.CurrentStore(ctx); err != nil {
		return err
	}
	if err := m.referCustomer(ctx, c, d); err != nil {
		return err
	}
	rows, err := m.productsOf(ctx, core.IDs(d.productIDs, func(id *xid.ID) *xid.ID { return id }))
	if err != nil {
		return err
	}
	d.products, d.need = map[xid.ID]*db.Product{}, map[xid.ID]int64{}
	for _, p := range rows {
		d.products[p.ID] = p
	}
	for i, id := range d.productIDs {
		at := "lines/" + strconv.Itoa(i) + "/"
		if id != nil && d.products[*id] == nil {
			checkUnknown(c, at+"product_id", xid.Product)
			continue
		}
		d.referLine(c, at, id, in.Lines[i])
	}
	return nil
}

// referCustomer reads the customer. A redacted one is no person to sell to.
func (m Mutation) referCustomer(ctx context.Context, c *core.Check, d *orderDraft) error {
	if d.customerID == nil {
		return nil
	}
	q := m.Client(ctx).Customer.Query().Where(customer.ID(*d.customerID))
	q.Modify(ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].Status == state.CustomerRedacted {
		checkUnknown(c, "customer_id", xid.Customer)
		return nil
	}
	d.customer = rows[0]
	return nil
}

// referLine counts the stock that a line needs and judges its discount.
func (d *orderDraft) referLine(c *core.Check, at string, id *xid.ID, l *model.OrderLineInput) {
	if id != nil && d.products[*id].InventoryQuantity != nil {
		d.need[*id] += l.Quantity
	}
	gross, ok := currency.Mul(l.Quantity, d.unitPrice(id, l))
	if ok && l.DiscountMinor > gross {
		c.Add(at+"discount_minor", fault.OutOfRange, "The discount is above the line's price.")
	}
}

// unitPrice is the given price, else the product's.
func (d *orderDraft) unitPrice(id *xid.ID, l *model.OrderLineInput) int64 {
	switch {
	case l.UnitPriceMinor != nil:
		return *l.UnitPriceMinor
	case id != nil:
		return d.products[*id].PriceMinor
	}
	return 0 // absent, which is reported
}

// compute makes the rows with their sums: line total = quantity · unit −
// discount + tax; order total = subtotal − discount + shipping + tax (contract,
// section 5).
func (d *orderDraft) compute(in model.OrderCreateInput) (*db.Order, []*db.OrderLine, error) {
	o := &db.Order{Email: in.Email, Tags: document.NewTags(in.Tags), Source: in.Source, ShippingMinor: in.ShippingMinor}
	if o.Email == nil && d.customer != nil {
		o.Email = d.customer.Email
	}
	lines := make([]*db.OrderLine, len(in.Lines))
	ok := true
	add := func(a, b int64) (sum int64) {
		if ok {
			sum, ok = currency.Add(a, b)
		}
		return sum
	}
	for i, l := range in.Lines {
		row, gross, err := d.row(d.productIDs[i], l)
		if err != nil {
			return nil, nil, err
		}
		row.TotalMinor = add(gross-row.DiscountMinor, row.TaxMinor)
		o.SubtotalMinor = add(o.SubtotalMinor, gross)
		o.DiscountMinor = add(o.DiscountMinor, row.DiscountMinor)
		o.TaxMinor = add(o.TaxMinor, row.TaxMinor)
		lines[i] = row
	}
	o.TotalMinor = add(add(o.SubtotalMinor-o.DiscountMinor, o.ShippingMinor), o.TaxMinor)
	if !ok {
		return nil, nil, core.TooLarge("order's total")
	}
	return o, lines, nil
}

// row is one line with what it takes from its product, and quantity · unit.
func (d *orderDraft) row(id *xid.ID, l *model.OrderLineInput) (row *db.OrderLine, gross int64, err error) {
	row = &db.OrderLine{ProductID: id, Sku: l.Sku, Quantity: l.Quantity,
		UnitPriceMinor: d.unitPrice(id, l), DiscountMinor: l.DiscountMinor, TaxMinor: l.TaxMinor}
	core.Opt(l.Title, func(s string) { row.Title = s })
	if id != nil {
		p := d.products[*id]
		if l.UnitPriceMinor == nil && p.Currency != d.store.Currency {
			return nil, 0, fault.State(fault.CurrencyMismatch,
				"The store sells in "+d.store.Currency+", the product is priced in "+p.Currency+".")
		}
		if l.Title == nil {
			row.Title = p.Title
		}
		if l.Sku == nil {
			row.Sku = p.Sku
		}
	}
	gross, ok := currency.Mul(row.Quantity, row.UnitPriceMinor)
	if !ok {
		return nil, 0, core.TooLarge("line's total")
	}
	return row, gross, nil
}
