package sales

import (
	"context"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// checkPricing validates the pricing input, and that no amounts are given that the store has to
// compute.
func checkPricing(c *core.Check, in *model.OrderCreateInput) {
	p := in.Pricing
	if p == nil {
		return
	}
	computed := func(name string, given int64) {
		if given != 0 {
			c.Add(name, fault.OutOfRange, "Leave this out when the store calculates the order.")
		}
	}
	computed("shipping_minor", in.ShippingMinor)
	for i, l := range in.Lines {
		at := "lines/" + strconv.Itoa(i) + "/"
		computed(at+"discount_minor", l.DiscountMinor)
		computed(at+"tax_minor", l.TaxMinor)
	}
	core.Opt(p.DiscountMinor, func(n int64) { c.Amount("pricing/discount_minor", n) })
	core.Opt(p.ShippingMinor, func(n int64) { c.Amount("pricing/shipping_minor", n) })
	if p.DiscountCode != nil && p.DiscountMinor != nil {
		c.Add("pricing/discount_minor", fault.OutOfRange, "An order has a discount code or an amount, not both.")
	}
	if p.ShippingRateID != nil && p.ShippingMinor != nil {
		c.Add("pricing/shipping_minor", fault.OutOfRange, "An order has a shipping rate or a shipping price, not both.")
	}
	if p.DiscountCode != nil && in.CustomerID == nil {
		c.Add("customer_id", fault.Required, "This discount is limited per customer. Choose a customer.")
	}
}

// quote computes the order's amounts, if the input asks for that.
func (m Mutation) quote(ctx context.Context, c *core.Check, d *orderDraft, in model.OrderCreateInput) (err error) {
	p := in.Pricing
	if p == nil {
		return nil
	}
	d.vatID = selling.CheckVATID(c, "pricing/vat_id", p.VatID)
	if err := c.Err(); err != nil {
		return err
	}
	b := d.basket(in)
	store := m.selling
	if p.DiscountCode != nil {
		if d.discount, err = store.DiscountByCode(ctx, *p.DiscountCode, d.buyer()); err != nil {
			return err
		}
		b.Discount = d.discount
	}
	if d.quote, err = store.Quote(ctx, b); err != nil {
		return err
	}
	switch {
	case p.DiscountCode != nil && !d.quote.Discounted:
		c.Add("pricing/discount_code", fault.UnknownValue, "The discount is not available for this order.")
	case b.OffMinor > d.quote.SubtotalMinor:
		c.Add("pricing/discount_minor", fault.OutOfRange, "The discount exceeds the subtotal.")
	}
	if p.ShippingRateID != nil && d.quote.Chosen == nil {
		c.Add("pricing/shipping_rate_id", fault.UnknownValue,
			"This shipping rate is not available for these products and this address.")
	}
	if p.ShippingMinor != nil && *p.ShippingMinor > 0 && !d.quote.Freight.Needed {
		c.Add("pricing/shipping_minor", fault.OutOfRange, "The order has nothing to ship.")
	}
	return nil
}

// consultVIES asks about the VAT id of the buyer, if it is in form. No transaction is open meanwhile.
func (m Mutation) consultVIES(ctx context.Context, p *model.OrderPricingInput) (*string, error) {
	if p == nil {
		return nil, nil
	}
	const name = "pricing/vat_id"
	c := &core.Check{}
	if id := selling.CheckVATID(c, name, p.VatID); id != nil && c.Err() == nil {
		return m.selling.ConsultVIES(ctx, name, *id)
	}
	return nil, nil
}

// buyer returns the customer of the order, as far as there is one.
func (d *orderDraft) buyer() (by selling.Buyer) {
	if d.customer != nil {
		by.Customer = d.customer.ID
	}
	return by
}

// basket returns the order's items as a cart has them.
func (d *orderDraft) basket(in model.OrderCreateInput) selling.Basket {
	b := selling.Basket{Rate: in.Pricing.ShippingRateID, FreightMinor: in.Pricing.ShippingMinor}
	core.Opt(in.Pricing.DiscountMinor, func(n int64) { b.OffMinor = n })
	core.Opt(d.vatID, func(id string) { b.VATID = id })
	b.Exempt = d.customer != nil && d.customer.TaxExempt
	ships := false
	for i, l := range in.Lines {
		w := d.items[i]
		line := price.Line{UnitMinor: d.unitPrice(w, l), Quantity: l.Quantity, Product: w.product}
		if v := d.variant(w); v != nil {
			core.Opt(v.WeightGrams, func(g int64) { line.WeightGrams = g })
			product := d.products[w.product]
			line.Digital = !product.RequiresShipping
			line.Category = variants.TaxCategory(product, v)
		}
		ships = ships || !line.Digital
		b.Lines = append(b.Lines, line)
	}
	to := d.shipping
	if !ships && to == nil {
		to = d.billing
	}
	if to == nil {
		return b
	}
	b.To.Country = to.Country
	core.Opt(to.Region, func(s string) { b.To.Region = s })
	if ships {
		b.Ships = to.Country
	}
	return b
}

// priced sets the computed sums of an order and its lines.
func (d *orderDraft) priced(o *db.Order, lines []*db.OrderLine) {
	q := d.quote
	o.VatID, o.TaxRelief = d.vatID, q.Relief
	for i, a := range q.Lines {
		lines[i].UnitPriceMinor = a.UnitMinor
		lines[i].DiscountMinor, lines[i].TaxMinor, lines[i].TotalMinor = a.DiscountMinor, a.TaxMinor, a.TotalMinor
	}
	o.SubtotalMinor, o.DiscountMinor, o.ShippingMinor = q.SubtotalMinor, q.DiscountMinor, q.ShippingMinor
	o.TaxMinor, o.IncludedTaxMinor, o.TotalMinor = q.TaxMinor, &q.IncludedTaxMinor, q.TotalMinor
	if d.discount != nil {
		o.DiscountID, o.DiscountCode = &d.discount.ID, &d.discount.Code
	}
	if q.Chosen != nil {
		o.ShippingMethod = &q.Chosen.Name
	}
}

// pickup returns the id of the location where the shopper collects the order, nil for none.
func (d *orderDraft) pickup() *string {
	if d.quote == nil || d.quote.Chosen == nil {
		return nil
	}
	return d.quote.Chosen.LocationID
}

// takeDiscount counts the use of a discount code, before the order's own rows are written.
func (m Mutation) takeDiscount(ctx context.Context, d *orderDraft) error {
	if d.discount == nil {
		return nil
	}
	return m.selling.TakeDiscount(ctx, d.discount.ID, d.customer.ID)
}

// offered returns the shipping rates of the preview.
func (d *orderDraft) offered() []*model.OfferedRate {
	list := []*model.OfferedRate{}
	if d.quote == nil {
		return list
	}
	for _, o := range d.quote.Offers {
		list = append(list, &model.OfferedRate{ID: o.ID, Name: o.Name, CostMinor: o.CostMinor})
	}
	return list
}

// ShownTax is a tax as shoppers see it.
type ShownTax struct {
	Label string
	Minor int64
}

// ShownTaxes are the taxes of a cart or an order as shoppers see them.
type ShownTaxes struct {
	// ShippingMinor is the price of shipping as the store entered it.
	ShippingMinor int64
	// Added are part of the total beside the prices, Included are part of the prices. Neither has
	// taxes of 0, but Added has the reason why a buyer pays none.
	Added, Included []ShownTax
}

var reliefTexts = map[state.TaxRelief]phrase.Key{
	state.TaxReverseCharge: phrase.ReverseCharge,
	state.TaxExemptBuyer:   phrase.TaxExempt,
}

// Shown returns the taxes with names and rates. Where they are not known, it returns their sum,
// and for a relieved buyer the reason.
func Shown(
	texts *phrase.Texts, s price.Sums, taxes []document.OrderTax, relief *state.TaxRelief,
) (shown ShownTaxes) {
	if relief != nil {
		shown.ShippingMinor, shown.Added = s.ShippingMinor, []ShownTax{{texts.Say(reliefTexts[*relief]), 0}}
		return shown
	}
	if len(taxes) == 0 {
		shipping, added, included := price.ShownTax(s.ShippingMinor, s.TaxMinor, s.IncludedTaxMinor)
		shown.ShippingMinor = shipping
		shown.add(added, texts.Say(phrase.Tax), false)
		shown.add(included, texts.Say(phrase.TaxIncluded), true)
		return shown
	}
	shown.ShippingMinor = s.ShippingMinor
	if !taxes[0].Included {
		shown.ShippingMinor -= s.IncludedTaxMinor // the tax on shipping
	}
	for _, t := range taxes {
		label := t.Name + " " + texts.Percent(t.Rate)
		if t.Included {
			label = texts.Say(phrase.TaxIncluded) + " (" + label + ")"
		}
		shown.add(t.AmountMinor, label, t.Included)
	}
	return shown
}

func (s *ShownTaxes) add(minor int64, label string, included bool) {
	switch {
	case minor == 0:
	case included:
		s.Included = append(s.Included, ShownTax{label, minor})
	default:
		s.Added = append(s.Added, ShownTax{label, minor})
	}
}

// ShownOfOrder returns the taxes of an order.
func ShownOfOrder(texts *phrase.Texts, o *db.Order) (ShownTaxes, error) {
	sums := price.Sums{ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor}
	if o.IncludedTaxMinor != nil {
		sums.IncludedTaxMinor = *o.IncludedTaxMinor
	}
	taxes, err := o.Taxes.List()
	return Shown(texts, sums, taxes, o.TaxRelief), err
}
