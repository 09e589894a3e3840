package shopify

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/price"
)

// source is what the orders that come from here say of their origin.
const source = "shopify"

// order is an order as it is to be made, and what happened to it.
type order struct {
	in    model.OrderCreateInput
	email string // of the customer to whom it belongs, if there is one
	note  *string
	past  past
}

// order reads the rows of one order: the first has what is said once, each has a line. The
// lines name no product, since goods that were sold long ago take no stock.
func (i *importer) order(c *record) (maker, error) {
	r := c.rows[0]
	if code := strings.ToUpper(r.get("currency")); code != i.currency {
		return nil, wrong("its currency is %q, the store's is %s", r.get("currency"), i.currency)
	}
	placed, err := moment(r, "created at")
	if err == nil && placed == nil {
		err = wrong("Created At is missing")
	}
	if err != nil {
		return nil, err
	}
	o := &order{in: model.OrderCreateInput{Email: r.opt("email"), Source: source, PlacedAt: placed,
		Tags: append(labels(r.get("tags")), "Shopify "+r.get("name"))}, note: r.opt("notes")}
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
	return o, nil
}

func (i *importer) address(c *record, r row, prefix string) *model.AddressInput {
	a, complete := place(r, prefix)
	if !complete {
		i.note(c, "the %saddress lacks a street, a city or a country, and is not taken", prefix)
	}
	return a
}

// lines reads what was bought.
func (i *importer) lines(c *record, o *order) error {
	for _, r := range c.rows {
		name := line(r.opt("lineitem name"))
		if name == nil {
			return wrong("line %d: Lineitem Name is missing", r.line)
		}
		n, err := whole(r, "lineitem quantity")
		if err == nil && (n == nil || *n < 1 || *n > limit.Quantity) {
			err = wrong("line %d: Lineitem Quantity is not 1 to %d", r.line, limit.Quantity)
		}
		if err != nil {
			return err
		}
		unit, err := money(r, "lineitem price", i.currency)
		if err == nil && (unit == nil || *unit > currency.MaxMinor / *n) {
			err = wrong("line %d: Lineitem Price is missing or too large", r.line)
		}
		if err != nil {
			return err
		}
		o.in.Lines = append(o.in.Lines, &model.OrderLineInput{Title: name, Sku: line(r.opt("lineitem sku")),
			Quantity: *n, UnitPriceMinor: unit})
	}
	return nil
}

// said are the sums of an order as the file has them.
type said struct{ discount, lineDiscount, shipping, tax, total int64 }

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
	for _, r := range c.rows {
		off, err := sum(r, "lineitem discount", i.currency)
		if err != nil {
			return s, err
		}
		s.lineDiscount = min(s.lineDiscount+off, currency.MaxMinor)
	}
	return s, nil
}

// sums spreads discounts and taxes over the lines. Exports differ in whether the discounts
// of lines are in that of the order, and whether taxes are in the prices: only what adds up
// to the total is taken.
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
	for _, tax := range []int64{s.tax, 0} {
		for _, off := range []int64{s.discount, s.lineDiscount, s.discount + s.lineDiscount, 0} {
			if off > all || tax > all-off || all-off+s.shipping+tax != s.total {
				continue
			}
			if tax != s.tax {
				i.note(c, "its taxes are in its prices, and are not shown apart")
			}
			share(o.in.Lines, goods, off, tax)
			return nil
		}
	}
	return wrong("its lines, discount, shipping and taxes do not add up to its total of %s", c.rows[0].get("total"))
}

// share gives every line its part of a discount and a tax.
func share(lines []*model.OrderLineInput, goods []int64, off, tax int64) {
	net := make([]int64, len(goods))
	for n, part := range price.Spread(off, goods) {
		lines[n].DiscountMinor, net[n] = part, goods[n]-part
	}
	for n, part := range price.Spread(tax, net) {
		lines[n].TaxMinor = part
	}
}

// make makes the order and takes it along its way.
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
