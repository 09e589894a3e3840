package sales

import (
	"context"

	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderPreview returns what an order would come to. It judges the input as [Mutation.OrderCreate]
// does and computes with the same functions; whether there is stock is seen when the order takes it.
func (q Query) OrderPreview(ctx context.Context, in model.OrderCreateInput) (*model.OrderPreview, error) {
	c := &core.Check{}
	d := checkOrder(ctx, c, &in)
	if err := q.Mutation().refer(ctx, c, d, in); err != nil {
		return nil, core.Explain("order", err)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	o, lines, err := d.compute(in)
	if err != nil {
		return nil, err
	}
	return &model.OrderPreview{Currency: d.store.Currency, LineItems: lines, SubtotalMinor: o.SubtotalMinor,
		DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor,
		IncludedTaxMinor: o.IncludedTaxMinor, TotalMinor: o.TotalMinor, ShippingRates: d.offered()}, nil
}
