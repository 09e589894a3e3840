package price

import (
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
)

// Rate is a shipping rate of a zone.
type Rate struct {
	Kind       state.ShippingKind
	PriceMinor int64
	// The bounds are inclusive; nil is no bound.
	LeastMinor, MostMinor *int64
	LeastGrams, MostGrams *int64
	// FreeFromMinor is the worth of the items from which shipping is free, nil for never.
	FreeFromMinor *int64
}

// Fixed returns a fixed price for shipping that is not a rate of the store.
func Fixed(minor int64) *Rate { return &Rate{Kind: state.ShippingDelivery, PriceMinor: minor} }

// Fits reports whether the rate is available for the items to ship.
func (r *Rate) Fits(f Freight) bool {
	within := func(n int64, least, most *int64) bool {
		return (least == nil || n >= *least) && (most == nil || n <= *most)
	}
	return within(f.ItemsMinor, r.LeastMinor, r.MostMinor) && within(f.WeightGrams, r.LeastGrams, r.MostGrams)
}

// price returns the price of the rate for items of a worth.
func (r *Rate) price(goods int64) int64 {
	if r.FreeFromMinor != nil && goods >= *r.FreeFromMinor {
		return 0
	}
	return r.PriceMinor
}

// ship adds up the items to ship, and computes price and tax of the chosen rate.
func (r *Result) ship(c Cart) error {
	f, ok := &r.Freight, true
	plus := func(a, b int64) (sum int64) {
		if ok {
			sum, ok = currency.Add(a, b)
		}
		return sum
	}
	for i, l := range c.Lines {
		if l.Digital {
			continue
		}
		weight, fits := currency.Mul(l.Quantity, l.WeightGrams)
		f.Needed, ok = true, ok && fits
		f.WeightGrams = plus(f.WeightGrams, weight)
		f.ItemsMinor = plus(f.ItemsMinor, r.Lines[i].SubtotalMinor-r.Lines[i].DiscountMinor)
	}
	if !ok {
		return ErrTooLarge
	}
	if c.Shipping == nil || !f.Needed || r.Discounted && c.Discount.Kind == state.DiscountFreeShipping {
		return nil
	}
	f.PriceMinor = c.Shipping.price(f.ItemsMinor)
	if f.Taxes, f.TaxMinor, ok = c.Tax.on(f.PriceMinor, c.Tax.onShipping(c.To)); !ok {
		return ErrTooLarge
	}
	r.ShippingMinor = f.PriceMinor
	if !c.Tax.Included {
		if r.ShippingMinor, ok = currency.Add(f.PriceMinor, f.TaxMinor); !ok {
			return ErrTooLarge
		}
	}
	return nil
}
