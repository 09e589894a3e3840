package price

import (
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Discount is a rule that reduces the price.
type Discount struct {
	Kind state.DiscountKind
	// BasisPoints is the share of a percentage discount, AmountMinor the amount of a fixed one.
	BasisPoints int64
	AmountMinor int64
	// LeastMinor is the minimum subtotal.
	LeastMinor int64
	// Products and Collections restrict the discount; it applies to everything if both are empty.
	Products, Collections []xid.ID
}

// AmountOff returns a discount of a fixed amount on everything.
func AmountOff(minor int64) *Discount {
	return &Discount{Kind: state.DiscountAmount, AmountMinor: minor}
}

// covers reports whether the discount applies to a line.
func (d *Discount) covers(l Line) bool {
	if len(d.Products) == 0 && len(d.Collections) == 0 {
		return true
	}
	return slices.Contains(d.Products, l.Product) ||
		slices.ContainsFunc(l.Collections, func(id xid.ID) bool { return slices.Contains(d.Collections, id) })
}

// off returns the discount on items of a worth, at most that worth.
func (d *Discount) off(worth int64) int64 {
	switch d.Kind {
	case state.DiscountPercent:
		return halfUp(worth, d.BasisPoints, Whole)
	case state.DiscountAmount:
		return min(d.AmountMinor, worth)
	}
	return 0
}

// takeOff applies the cart's discount to the lines.
func (r *Result) takeOff(c Cart) error {
	if c.Discount == nil {
		return nil
	}
	var subtotal, worth int64
	weights, covers := make([]int64, len(c.Lines)), false
	for i, l := range c.Lines {
		gross := r.Lines[i].SubtotalMinor
		sum, ok := currency.Add(subtotal, gross)
		if !ok {
			return ErrTooLarge
		}
		subtotal = sum
		if c.Discount.covers(l) {
			worth, weights[i], covers = worth+gross, gross, true
		}
	}
	if !covers || subtotal < c.Discount.LeastMinor {
		return nil
	}
	r.Discounted = true
	for i, off := range Spread(c.Discount.off(worth), weights) {
		r.Lines[i].DiscountMinor = off
	}
	return nil
}
