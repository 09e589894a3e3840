package graph

import (
	"context"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// Limits of an order.
const (
	maxLines    = 100
	maxQuantity = 1_000_000
)

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
func checkOrder(ctx context.Context, c *check, in *model.OrderCreateInput) *orderDraft {
	d := &orderDraft{}
	d.customerID = c.ref("customer_id", xid.Customer, in.CustomerID)
	opt(in.Email, func(s string) { in.Email = new(c.email("email", s)) })
	switch n := len(in.Lines); {
	case n == 0:
		c.add("lines", fault.TooShort, "An order has at least one line.")
	case n > maxLines:
		c.add("lines", fault.TooLong, "An order has at most "+strconv.Itoa(maxLines)+" lines.")
	default:
		for i, l := range in.Lines {
			d.productIDs = append(d.productIDs, checkLine(c, "lines/"+strconv.Itoa(i)+"/", l))
		}
	}
	c.amount("shipping_minor", in.ShippingMinor)
	d.billing = checkAddress(c, "billing_address", in.BillingAddress)
	d.shipping = checkAddress(c, "shipping_address", in.ShippingAddress)
	c.tags("tags", in.Tags)
	c.source("source", in.Source)
	c.createdAt(ctx, "placed_at", in.PlacedAt)
	return d
}

// checkLine judges one line and returns the id of its product.
func checkLine(c *check, at string, l *model.OrderLineInput) *xid.ID {
	id := c.ref(at+"product_id", xid.Product, l.ProductID)
	if l.ProductID == nil {
		c.required(at+"title", l.Title != nil)
		c.required(at+"unit_price_minor", l.UnitPriceMinor != nil)
	}
	opt(l.Title, func(s string) { c.line(at+"title", s, 255) })
	opt(l.Sku, func(s string) { c.line(at+"sku", s, 255) })
	c.within(at+"quantity", l.Quantity, 1, maxQuantity)
	opt(l.UnitPriceMinor, func(v int64) { c.amount(at+"unit_price_minor", v) })
	c.amount(at+"discount_minor", l.DiscountMinor)
	c.amount(at+"tax_minor", l.TaxMinor)
	return id
}

// ref reads an id that the input refers to: malformed and unknown are the same.
func (c *check) ref(name string, kind xid.Kind, text *string) *xid.ID {
	if text == nil {
		return nil
	}
	id, err := kind.Parse(*text)
	if err != nil {
		c.unknown(name, kind)
		return nil
	}
	return &id
}

func (c *check) unknown(name string, kind xid.Kind) {
	c.add(name, fault.UnknownValue, "There is no such "+what(kind)+".")
}

// source checks where an order comes from: 1 to 64 of a-z, 0-9 and _, a letter
// first.
func (c *check) source(name, source string) {
	bad := func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	switch {
	case source == "":
		c.add(name, fault.TooShort, "The source is empty.")
	case len(source) > 64:
		c.add(name, fault.TooLong, "The source has more than 64 characters.")
	case strings.ContainsFunc(source, bad) || source[0] < 'a' || source[0] > 'z':
		c.add(name, fault.InvalidFormat, "A source is made of a-z, 0-9 and _, a letter first.")
	}
}

// refer reads the store, the customer and the products, and judges the lines
// with what they take from them.
func (m Mutation) refer(ctx context.Context, c *check, d *orderDraft, in model.OrderCreateInput) (err error) {
	if d.store, err = m.Resolver.store(ctx); err != nil {
		return err
	}
	if err := m.referCustomer(ctx, c, d); err != nil {
		return err
	}
	rows, err := m.productsOf(ctx, ids(d.productIDs, func(id *xid.ID) *xid.ID { return id }))
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
			c.unknown(at+"product_id", xid.Product)
			continue
		}
		d.referLine(c, at, id, in.Lines[i])
	}
	return nil
}

// referCustomer reads the customer. A redacted one is no person to sell to.
func (m Mutation) referCustomer(ctx context.Context, c *check, d *orderDraft) error {
	if d.customerID == nil {
		return nil
	}
	q := m.client(ctx).Customer.Query().Where(customer.ID(*d.customerID))
	q.Modify(func(s *sql.Selector) { force(s, primary) })
	rows, err := q.Load(ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].Status == state.CustomerRedacted {
		c.unknown("customer_id", xid.Customer)
		return nil
	}
	d.customer = rows[0]
	return nil
}

// referLine counts the stock that a line needs and judges its discount.
func (d *orderDraft) referLine(c *check, at string, id *xid.ID, l *model.OrderLineInput) {
	if id != nil && d.products[*id].InventoryQuantity != nil {
		d.need[*id] += l.Quantity
	}
	gross, ok := currency.Mul(l.Quantity, d.unitPrice(id, l))
	if ok && l.DiscountMinor > gross {
		c.add(at+"discount_minor", fault.OutOfRange, "The discount is above the line's price.")
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
		return nil, nil, tooLarge("order's total")
	}
	return o, lines, nil
}

// row is one line with what it takes from its product, and quantity · unit.
func (d *orderDraft) row(id *xid.ID, l *model.OrderLineInput) (row *db.OrderLine, gross int64, err error) {
	row = &db.OrderLine{ProductID: id, Sku: l.Sku, Quantity: l.Quantity,
		UnitPriceMinor: d.unitPrice(id, l), DiscountMinor: l.DiscountMinor, TaxMinor: l.TaxMinor}
	opt(l.Title, func(s string) { row.Title = s })
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
		return nil, 0, tooLarge("line's total")
	}
	return row, gross, nil
}
