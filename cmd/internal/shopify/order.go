package shopify

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

const source = "shopify"

type order struct {
	in    model.OrderCreateInput
	email string  // of the order's customer, if there is one
	note  *string // the rest of the record
	past  past
	rows  []int // for each line, its row in the record
}

// order reads the rows of one order: the first row has the order's own fields, and each row has a
// line. Lines name no product, so that past sales take no stock.
func (i *importer) order(c *record) (maker, error) {
	r := c.rows[0]
	if code := strings.ToUpper(r.get("currency")); code != i.currency {
		return nil, wrong("its currency is %q, but the store's is %s", r.get("currency"), i.currency)
	}
	placed, err := moment(r, "created at")
	if err == nil && placed == nil {
		err = wrong("Created At is missing")
	}
	if err != nil {
		return nil, err
	}
	o := &order{in: model.OrderCreateInput{Email: r.opt("email"), Source: source, PlacedAt: placed,
		Tags:           i.labels(c, r.get("tags")),
		ExternalNumber: new(i.clip(c, "its number", lineOf(r.get("name")), limit.Label))}}
	i.annotation(c, o)
	if o.in.Email != nil {
		o.email = *o.in.Email
	}
	o.in.BillingAddress = i.address(c, r, "billing ")
	o.in.ShippingAddress = i.address(c, r, "shipping ")
	if err := i.lines(c, o); err != nil {
		return nil, err
	}
	if err := i.sums(c, o); err != nil {
		return nil, err
	}
	if o.past, err = i.history(c, o); err != nil {
		return nil, err
	}
	return o.make, nil
}

func (i *importer) address(c *record, r row, prefix string) *model.AddressInput {
	a, complete := place(r, prefix)
	if !complete {
		i.note(c, "the %saddress lacks a street, city or country and is not imported", prefix)
	}
	return a
}

// noteColumns are the columns that go into a note for the staff.
var noteColumns = []string{"discount code", "paid at", "fulfilled at", "cancelled at", "duties", "tip"}

// annotation writes columns without an equivalent into a note of the order.
func (i *importer) annotation(c *record, o *order) {
	r := c.rows[0]
	var list []string
	for _, column := range noteColumns {
		if text := lineOf(r.get(column)); strings.Trim(text, "0.") != "" {
			list = append(list, title(column)+": "+text)
		}
	}
	if own := r.opt("notes"); own != nil {
		list = append(list, *own)
	}
	if list != nil {
		o.note = new(i.clip(c, "its note", strings.Join(list, "\n"), limit.Note))
	}
}

// lines reads the order lines. A line without a quantity is skipped.
func (i *importer) lines(c *record, o *order) error {
	for at, r := range c.rows {
		name := i.clipped(c, "the name of a line", r.opt("lineitem name"))
		if name == nil {
			return wrong("line %d: Lineitem Name is missing", r.line)
		}
		n, err := whole(r, "lineitem quantity")
		if err == nil && (n == nil || *n < 0 || *n > limit.Quantity) {
			err = wrong("line %d: Lineitem Quantity is not 0 to %d", r.line, limit.Quantity)
		}
		if err != nil {
			return err
		}
		if *n == 0 {
			i.note(c, "line %d has quantity 0 and is not imported", r.line)
			continue
		}
		unit, err := money(r, "lineitem price", i.currency)
		if err == nil && (unit == nil || *unit > currency.MaxMinor / *n) {
			err = wrong("line %d: Lineitem Price is missing or too large", r.line)
		}
		if err != nil {
			return err
		}
		o.in.Lines = append(o.in.Lines, &model.OrderLineInput{Title: name, Quantity: *n, UnitPriceMinor: unit,
			Sku: i.clipped(c, "the SKU of a line", r.opt("lineitem sku"))})
		o.rows = append(o.rows, at)
	}
	if len(o.in.Lines) == 0 {
		return wrong("none of its lines has a quantity")
	}
	return nil
}

// said holds the sums of an order in the file.
type said struct{ discount, lineDiscount, shipping, tax, total, extra int64 }

func (i *importer) said(c *record) (s said, err error) {
	r := c.rows[0]
	if r.get("total") == "" {
		return s, wrong("Total is missing")
	}
	for column, to := range map[string]*int64{
		"discount amount": &s.discount, "shipping": &s.shipping, "taxes": &s.tax, "total": &s.total,
	} {
		if *to, err = sum(r, column, i.currency); err != nil {
			return s, err
		}
	}
	for _, column := range []string{"duties", "tip"} {
		more, err := sum(r, column, i.currency)
		if err != nil {
			return s, err
		}
		s.extra = min(s.extra+more, currency.MaxMinor)
	}
	for _, r := range c.rows {
		off, err := sum(r, "lineitem discount", i.currency)
		if err != nil {
			return s, err
		}
		s.lineDiscount = min(s.lineDiscount+off, currency.MaxMinor)
	}
	return s, nil
}

// sums spreads discounts and taxes over the lines. Exports differ in whether the order's discount
// includes those of lines, and whether prices include taxes: the combination that adds up to the
// total is used, or the one that comes nearest.
func (i *importer) sums(c *record, o *order) error {
	s, err := i.said(c)
	if err != nil {
		return err
	}
	goods := make([]int64, len(o.in.Lines))
	var all int64
	for n, l := range o.in.Lines {
		goods[n] = l.Quantity * *l.UnitPriceMinor
		all = min(all+goods[n], currency.MaxMinor)
	}
	o.in.ShippingMinor = s.shipping
	off, tax, rest := s.nearest(all)
	if tax != s.tax {
		i.note(c, "its prices include taxes, which are not shown separately")
	}
	if rest != 0 {
		i.note(c, "its lines, discount, shipping and taxes do not add up to its total of %s: the rest is %s",
			c.rows[0].get("total"), amountOf(rest, i.currency))
	}
	if off -= min(rest, 0); off > all {
		return wrong("its total of %s is below its shipping and taxes", c.rows[0].get("total"))
	}
	share(o.in.Lines, goods, off, tax)
	if rest > 0 {
		o.in.Lines = append(o.in.Lines, &model.OrderLineInput{Title: new(restOf(c.rows[0])), Quantity: 1,
			UnitPriceMinor: &rest})
	}
	return nil
}

// rounding is the difference from a total that counts as rounding, in minor units.
const rounding = 5

// nearest returns the discount and the tax that leave no difference from the total, or a known one:
// tips and duties; or else a difference that counts as rounding; or else the values of the file.
func (s said) nearest(all int64) (off, tax, rest int64) {
	left := func(off, tax int64) int64 { return s.total - (all - off + s.shipping + tax) }
	for _, fits := range []func(int64) bool{
		func(rest int64) bool { return rest == 0 },
		func(rest int64) bool { return rest == s.extra },
		func(rest int64) bool { return max(rest, -rest) <= rounding },
		func(rest int64) bool { return rest > 0 },
	} {
		for _, tax := range []int64{s.tax, 0} {
			for _, off := range []int64{s.discount, s.lineDiscount, s.discount + s.lineDiscount, 0} {
				if off <= all && tax <= all-off && fits(left(off, tax)) {
					return off, tax, left(off, tax)
				}
			}
		}
	}
	off = min(s.discount, all)
	return off, 0, left(off, 0)
}

func restOf(r row) string {
	switch {
	case strings.Trim(r.get("duties"), "0.") != "":
		return "Duties"
	case strings.Trim(r.get("tip"), "0.") != "":
		return "Tip"
	}
	return "Other charges"
}

func share(lines []*model.OrderLineInput, goods []int64, off, tax int64) {
	net := make([]int64, len(goods))
	for n, part := range price.Spread(off, goods) {
		lines[n].DiscountMinor, net[n] = part, goods[n]-part
	}
	for n, part := range price.Spread(tax, net) {
		lines[n].TaxMinor = part
	}
}

// make creates the order and repeats its history.
func (o *order) make(ctx context.Context, i *importer) (xid.ID, error) {
	in := o.in
	if o.email != "" {
		found, err := i.Core.Query().Customers(ctx, new(1), nil, &model.CustomerFilter{Email: &o.email},
			nil, nil)
		if err != nil {
			return xid.Nil, err
		}
		if len(found.Nodes) == 1 {
			in.CustomerID = new(xid.Customer.Format(found.Nodes[0].ID))
		}
	}
	made, err := i.Core.Mutation().OrderCreate(ctx, in)
	if err != nil {
		return xid.Nil, err
	}
	w := &way{Mutation: i.Core.Mutation(), order: made.Order}
	return made.Order.ID, w.follow(ctx, o)
}
