package selling

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Basket is what a store computes the price of: the items of a cart, or of an order that staff
// create.
type Basket struct {
	Lines []price.Line
	// Discount is a discount of the store, nil for none.
	Discount *db.Discount
	// OffMinor is the discount that staff give if there is no Discount.
	OffMinor int64
	// To is the place that determines the tax.
	To price.Place
	// VATID is the buyer's, "" for none. Exempt says that the buyer pays no tax.
	VATID  string
	Exempt bool
	// Ships is the country to ship to. If it is "", no rates are offered.
	Ships string
	// Rate is the id of the chosen shipping rate, nil for none.
	Rate *string
	// FreightMinor is what staff charge for shipping instead of a rate, nil for a rate.
	FreightMinor *int64
}

// Quote is the computed price of a basket.
type Quote struct {
	*price.Result
	Tax price.Tax
	// Relief is why there is no tax, nil for no such reason.
	Relief *state.TaxRelief
	// Offers are the available rates, Chosen the chosen one or nil.
	Offers []Offer
	Chosen *document.ShippingRate
}

// relief returns why the buyer pays no tax, nil for no reason. Seller is that of [price.Tax]. A company
// names a VAT id of the country of delivery.
func (b Basket) relief(seller string) *state.TaxRelief {
	_, company, ok := country.VATID(b.VATID)
	switch {
	case b.Exempt:
		return new(state.TaxExemptBuyer)
	case ok && seller != "" && company != seller && company == b.To.Country:
		return new(state.TaxReverseCharge)
	}
	return nil
}

// OrderTaxes returns the taxes in the form of an order, which has the given lines, or none yet.
func (q *Quote) OrderTaxes(lines []*db.OrderLine) []document.OrderTax {
	list := make([]document.OrderTax, len(q.Taxes))
	for i, t := range q.Taxes {
		list[i] = document.OrderTax{Name: t.Name, Rate: document.Percent(t.PerMillion), Included: q.Tax.Included,
			BaseMinor: t.BaseMinor, AmountMinor: t.AmountMinor, Lines: []document.OrderTaxLine{}}
		for _, p := range t.Parts {
			part := document.OrderTaxLine{BaseMinor: p.BaseMinor, AmountMinor: p.AmountMinor}
			switch {
			case lines == nil:
				continue
			case p.Line != price.Shipped:
				part.LineID = new(xid.OrderLine.Format(lines[p.Line].ID))
			}
			list[i].Lines = append(list[i].Lines, part)
		}
	}
	return list
}

// Offer is a shipping rate at the price that the basket would pay.
type Offer struct {
	document.ShippingRate
	CostMinor int64
}

// Quote computes a basket by the store's rules. Everything that is sold by these rules is computed
// here. It fails if a sum exceeds the largest amount.
func (r *Resolver) Quote(ctx context.Context, b Basket) (*Quote, error) {
	tax, err := r.CartTax(ctx)
	if err != nil {
		return nil, err
	}
	relief := b.relief(tax.Seller)
	tax.Relieved = relief != nil
	in := price.Cart{Lines: b.Lines, Tax: tax, To: b.To}
	switch {
	case b.Discount != nil:
		if err := r.discounted(ctx, b.Discount, &in); err != nil {
			return nil, err
		}
	case b.OffMinor > 0:
		in.Discount = price.AmountOff(b.OffMinor)
	}
	if b.FreightMinor != nil {
		in.Shipping = price.Fixed(*b.FreightMinor)
	}
	bare, err := compute(in)
	if err != nil {
		return nil, err
	}
	q := &Quote{Result: bare, Tax: tax, Relief: relief}
	if b.Ships == "" || !bare.Freight.Needed {
		return q, nil
	}
	return q, r.ship(ctx, q, in, b)
}

// discounted applies a discount to a basket. For a discount on collections, the listing index says
// which items are in them.
func (r *Resolver) discounted(ctx context.Context, d *db.Discount, in *price.Cart) (err error) {
	if in.Discount, err = CartDiscount(d); err != nil || len(in.Discount.Collections) == 0 {
		return err
	}
	products := make([]xid.ID, len(in.Lines))
	for i, l := range in.Lines {
		products[i] = l.Product
	}
	on, err := listings.On(ctx, r.Client(ctx), in.Discount.Collections, products)
	for i, l := range in.Lines {
		in.Lines[i].Collections = on[l.Product]
	}
	return err
}

// ship finds the available shipping rates and adds the chosen one.
func (r *Resolver) ship(ctx context.Context, q *Quote, in price.Cart, b Basket) error {
	rates, err := r.CartRates(ctx, b.Ships, q.Freight)
	if err != nil {
		return err
	}
	q.Offers = make([]Offer, 0, len(rates))
	for _, rate := range rates {
		in.Shipping = CartRate(rate)
		with, err := compute(in)
		if err != nil {
			return err
		}
		q.Offers = append(q.Offers, Offer{rate, with.ShippingMinor})
		if b.FreightMinor == nil && b.Rate != nil && rate.ID == *b.Rate {
			q.Chosen, q.Result = &rate, with
		}
	}
	return nil
}

// compute computes a basket. Its sums may exceed the largest amount.
func compute(in price.Cart) (*price.Result, error) {
	r, err := price.Compute(in)
	if errors.Is(err, price.ErrLineTooLarge) || errors.Is(err, price.ErrTooLarge) {
		return nil, core.TooLargeBy(price.MostExpensive(in.Lines), errors.Is(err, price.ErrLineTooLarge))
	}
	return r, err
}
