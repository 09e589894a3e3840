package selling

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// CartTax returns how the viewer's store taxes a cart.
func (r *Resolver) CartTax(ctx context.Context) (price.Tax, error) {
	t, err := r.taxSettings(ctx)
	if err != nil {
		return price.Tax{}, core.Explain("tax settings", err)
	}
	rates, err := t.Rates.List()
	if err != nil {
		return price.Tax{}, err
	}
	tax := price.Tax{Included: t.PricesIncludeTax, Shipping: t.ShippingCategory,
		Rates: make([]price.TaxRate, len(rates))}
	if t.ReverseCharge && t.VatID != nil {
		_, tax.Seller, _ = country.VATID(*t.VatID)
	}
	for i, rate := range rates {
		tax.Rates[i] = price.TaxRate{Country: rate.Country, Name: rate.Name, PerMillion: rate.PerMillion,
			Category: rate.Category, Relation: rate.Relation, Shipping: rate.Shipping}
		core.Opt(rate.Region, func(region string) { tax.Rates[i].Region = region })
	}
	return tax, nil
}

// CartRates returns the rates that ship a cart to a country, in the order of its zone. It returns
// none if the store does not ship there, and leaves out rates that do not apply to the cart's
// contents.
func (r *Resolver) CartRates(ctx context.Context, country string, f price.Freight) ([]document.ShippingRate, error) {
	zone, err := r.zoneOf(ctx, country)
	if err != nil || zone == nil {
		return nil, core.Explain("shipping zone", err)
	}
	all, err := zone.Rates.List()
	if err != nil {
		return nil, err
	}
	var fit []document.ShippingRate
	for _, rate := range all {
		if CartRate(rate).Fits(f) {
			fit = append(fit, rate)
		}
	}
	return r.atPlaces(ctx, fit)
}

// CartRate converts a rate for the computation of a cart.
func CartRate(r document.ShippingRate) *price.Rate {
	return &price.Rate{Kind: r.Kind, PriceMinor: r.PriceMinor, LeastMinor: r.LeastMinor, MostMinor: r.MostMinor,
		LeastGrams: r.LeastGrams, MostGrams: r.MostGrams, FreeFromMinor: r.FreeFromMinor}
}

// CartDiscount converts a discount for the computation of a cart.
func CartDiscount(d *db.Discount) (*price.Discount, error) {
	rule := &price.Discount{Kind: d.Kind}
	core.Opt(d.BasisPoints, func(n int64) { rule.BasisPoints = n })
	core.Opt(d.AmountMinor, func(n int64) { rule.AmountMinor = n })
	core.Opt(d.LeastMinor, func(n int64) { rule.LeastMinor = n })
	lists, err := d.Collections.List()
	for _, text := range lists {
		id, bad := xid.Collection.Parse(text)
		rule.Collections, err = append(rule.Collections, id), errors.Join(err, bad)
	}
	return rule, err
}
