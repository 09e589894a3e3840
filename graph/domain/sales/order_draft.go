package sales

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// Limits of an order.

// orderDraft is an input and the rows that it refers to.
type orderDraft struct {
	billing, shipping *document.AddressFields
	customerID        *xid.ID
	// items says what each line sells.
	items []item

	store    *db.Store
	customer *db.Customer
	products map[xid.ID]*db.Product
	variants map[item]*db.Variant
	// need is the stock to take of tracked products and variants.
	need  stock
	vatID *string // the buyer's
	// vatConsultation is the number under which VIES confirmed vatID, nil for none.
	vatConsultation *string
	// quote is what the store computed, discount the discount of its code; nil for none.
	quote    *selling.Quote
	discount *db.Discount
}

// checkOrder validates what needs no database.
func checkOrder(c *core.Check, in *model.OrderCreateInput) *orderDraft {
	d := &orderDraft{}
	d.customerID = checkRef(c, "customer_id", xid.Customer, in.CustomerID)
	core.Opt(in.Email, func(s string) { in.Email = new(c.Email("email", s)) })
	switch n := len(in.Lines); {
	case n == 0:
		c.Add("lines", fault.TooShort, "An order must have at least one line.")
	case n > limit.Lines:
		c.Add("lines", fault.TooLong, "An order can have at most "+strconv.Itoa(limit.Lines)+" lines.")
	default:
		for i, l := range in.Lines {
			d.items = append(d.items, checkLine(c, "lines/"+strconv.Itoa(i)+"/", l))
		}
	}
	c.Amount("shipping_minor", in.ShippingMinor)
	checkPricing(c, in)
	d.billing = core.CheckAddress(c, "billing_address", in.BillingAddress)
	d.shipping = core.CheckAddress(c, "shipping_address", in.ShippingAddress)
	c.Tags("tags", in.Tags)
	checkSource(c, "source", in.Source)
	core.Opt(in.ExternalNumber, func(s string) { c.Line("external_number", s, limit.Label) })
	c.Past("placed_at", in.PlacedAt)
	return d
}

// checkLine validates one line and returns what it sells.
func checkLine(c *core.Check, at string, l *model.OrderLineInput) (w item) {
	core.Opt(checkRef(c, at+"product_id", xid.Product, l.ProductID), func(id xid.ID) { w.product = id })
	core.Opt(checkRef(c, at+"variant_id", xid.Variant, l.VariantID), func(id xid.ID) { w.variant = id })
	if l.ProductID == nil {
		if l.VariantID != nil {
			c.Add(at+"product_id", fault.Required, "A variant also needs its product.")
		}
		c.Required(at+"title", l.Title != nil)
		c.Required(at+"unit_price_minor", l.UnitPriceMinor != nil)
	}
	core.Opt(l.Title, func(s string) { c.Line(at+"title", s, limit.Line) })
	core.Opt(l.Sku, func(s string) { c.Line(at+"sku", s, limit.Line) })
	c.Within(at+"quantity", l.Quantity, 1, limit.Quantity)
	core.Opt(l.UnitPriceMinor, func(v int64) { c.Amount(at+"unit_price_minor", v) })
	c.Amount(at+"discount_minor", l.DiscountMinor)
	c.Amount(at+"tax_minor", l.TaxMinor)
	return w
}

// checkRef parses an id that the input refers to. Malformed and unknown ids give the same error.
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
	c.Add(name, fault.UnknownValue, "Unknown "+change.KindName(kind)+".")
}

// checkSource validates where an order comes from: 1 to 64 characters of a-z, 0-9 and _, starting
// with a letter.
func checkSource(c *core.Check, name, source string) {
	bad := func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	switch {
	case source == "":
		c.Add(name, fault.TooShort, "The source is empty.")
	case len(source) > limit.Source:
		c.Add(name, fault.TooLong, "The source has more than "+strconv.Itoa(limit.Source)+" characters.")
	case strings.ContainsFunc(source, bad) || source[0] < 'a' || source[0] > 'z':
		c.Add(name, fault.InvalidFormat, "A source may contain only a-z, 0-9 and _, and starts with a letter.")
	}
}

// resolve reads the store, the customer and the products, and validates the lines against them.
func (m Mutation) resolve(ctx context.Context, c *core.Check, d *orderDraft, in model.OrderCreateInput) (err error) {
	if d.store, err = m.CurrentStore(ctx); err != nil {
		return err
	}
	if err := m.resolveCustomer(ctx, c, d); err != nil {
		return err
	}
	if err := m.loadItems(ctx, d); err != nil {
		return err
	}
	d.need = stock{}
	for i := range d.items {
		at := "lines/" + strconv.Itoa(i) + "/"
		if d.checkItem(c, at, &d.items[i], in.Lines[i]) {
			d.resolveLine(c, at, d.items[i], in.Lines[i])
		}
	}
	if c.Err() == nil { // invalid input costs no queries
		return m.quote(ctx, c, d, in)
	}
	return nil
}

// resolveCustomer reads the customer. A redacted customer cannot place orders.
func (m Mutation) resolveCustomer(ctx context.Context, c *core.Check, d *orderDraft) error {
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

// resolveLine adds up the stock that a line needs and validates its discount.
func (d *orderDraft) resolveLine(c *core.Check, at string, w item, l *model.OrderLineInput) {
	if v := d.variant(w); v != nil && v.InventoryQuantity != nil {
		d.need[w] += l.Quantity
	}
	gross, ok := currency.Mul(l.Quantity, d.unitPrice(w, l))
	if ok && l.DiscountMinor > gross {
		c.Add(at+"discount_minor", fault.OutOfRange, "The discount is above the line's price.")
	}
}

// unitPrice returns the given price, or else the current price of the item.
func (d *orderDraft) unitPrice(w item, l *model.OrderLineInput) int64 {
	if l.UnitPriceMinor != nil {
		return *l.UnitPriceMinor
	}
	if v := d.variant(w); v != nil {
		return variants.PriceAt(v, micros.Now()).PriceMinor
	}
	return 0 // a missing price, which is reported
}

// compute creates the rows and their sums, by package price or added up from given amounts.
func (d *orderDraft) compute(in model.OrderCreateInput) (*db.Order, []*db.OrderLine, error) {
	lines := make([]*db.OrderLine, len(in.Lines))
	for i, l := range in.Lines {
		row, err := d.row(d.items[i], l)
		if err != nil {
			return nil, nil, err
		}
		lines[i] = row
	}
	o := &db.Order{Email: in.Email, Tags: document.NewTags(in.Tags), Source: in.Source,
		VatConsultation: d.vatConsultation}
	if o.Email == nil && d.customer != nil {
		o.Email = d.customer.Email
	}
	if d.quote != nil {
		d.priced(o, lines)
		return o, lines, nil
	}
	return o, lines, addUp(o, lines, in.ShippingMinor)
}

// addUp sets the sums of an order and its lines from the given amounts.
func addUp(o *db.Order, lines []*db.OrderLine, shipping int64) error {
	given := make([]price.Given, len(lines))
	for i, l := range lines {
		given[i] = price.Given{UnitMinor: l.UnitPriceMinor, Quantity: l.Quantity, DiscountMinor: l.DiscountMinor,
			TaxMinor: l.TaxMinor}
	}
	sum, err := price.Sum(given, shipping)
	switch {
	case errors.Is(err, price.ErrLineTooLarge), errors.Is(err, price.ErrTooLarge):
		return core.TooLargeBy(price.MostExpensive(given), errors.Is(err, price.ErrLineTooLarge))
	case err != nil:
		return err
	}
	for i, l := range sum.Lines {
		lines[i].TotalMinor = l.TotalMinor
	}
	o.SubtotalMinor, o.DiscountMinor, o.ShippingMinor = sum.SubtotalMinor, sum.DiscountMinor, sum.ShippingMinor
	o.TaxMinor, o.TotalMinor = sum.TaxMinor, sum.TotalMinor
	return nil
}

// row creates one line, with the fields that it copies from its product.
func (d *orderDraft) row(w item, l *model.OrderLineInput) (*db.OrderLine, error) {
	row := &db.OrderLine{Sku: l.Sku, Quantity: l.Quantity, RequiresShipping: true,
		UnitPriceMinor: d.unitPrice(w, l), DiscountMinor: l.DiscountMinor, TaxMinor: l.TaxMinor}
	core.Opt(l.Title, func(s string) { row.Title = s })
	if v := d.variant(w); v != nil {
		p := d.products[w.product]
		if l.UnitPriceMinor == nil && p.Currency != d.store.Currency {
			return nil, fault.State(fault.CurrencyMismatch,
				"The store sells in "+d.store.Currency+", but the product is priced in "+p.Currency+".")
		}
		row.ProductID, row.RequiresShipping = &w.product, p.RequiresShipping
		if !w.variant.IsNil() {
			row.VariantID, row.Options = &w.variant, v.Options
		}
		if l.Title == nil {
			row.Title = p.Title
		}
		if l.Sku == nil {
			row.Sku = v.Sku
		}
	}
	return row, nil
}
