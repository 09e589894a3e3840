package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderPreview returns what an order would cost. It validates and computes as
// [Mutation.OrderCreate] does. Stock is only checked when an order takes it.
func (q Query) OrderPreview(ctx context.Context, in model.OrderCreateInput) (*model.OrderPreview, error) {
	c := &core.Check{}
	d := checkOrder(ctx, c, &in)
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
	taxes := []*document.OrderTax{}
	if d.quote != nil {
		for _, t := range d.quote.OrderTaxes(nil) {
			taxes = append(taxes, &t)
		}
	}
	return &model.OrderPreview{Currency: d.store.Currency, LineItems: lines, SubtotalMinor: o.SubtotalMinor,
		DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor,
		IncludedTaxMinor: o.IncludedTaxMinor, Taxes: taxes, TaxRelief: o.TaxRelief,
		TotalMinor: o.TotalMinor, ShippingRates: d.offered()}, nil
}
