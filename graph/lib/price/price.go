package price

import (
	"errors"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/xid"
)

// What can be wrong with a cart.
var (
	// ErrLineTooLarge says that quantity · unit of a line is above the largest amount.
	ErrLineTooLarge = errors.New("a line's price is above the largest amount")
	// ErrTooLarge says that a sum is.
	ErrTooLarge = errors.New("a sum is above the largest amount")
	// ErrInput says that a number is one that no cart has, such as a negative price.
	ErrInput = errors.New("not the numbers of a cart")
)

// Cart is all that decides what is to be paid.
type Cart struct {
	Lines []Line
	// To is where the goods go; without a country nothing is taxed.
	To  Place
	Tax Tax
	// Discount is the one rule that the cart has; nil for none.
	Discount *Discount
	// Shipping is the rate that was chosen; nil for none. Whether it is offered for the
	// cart, [Rate.Fits] says.
	Shipping *Rate
}

// Line is a number of equal goods.
type Line struct {
	// UnitMinor is the price of one, with or without tax as [Tax] says.
	UnitMinor int64
	Quantity  int64
	// WeightGrams is that of one.
	WeightGrams int64
	// Untaxed goods bear no tax anywhere.
	Untaxed bool
	// Digital goods are not shipped.
	Digital bool
	// Product and Collections are what discounts are for.
	Product     xid.ID
	Collections []xid.ID
}

// Amounts are what a line costs. Each is at least 0.
type Amounts struct {
	SubtotalMinor int64 // quantity · unit
	DiscountMinor int64
	// TaxMinor is added, IncludedTaxMinor is part of the price.
	TaxMinor         int64
	IncludedTaxMinor int64
	TotalMinor       int64
}

// Sums are those of an order, as its row keeps them.
type Sums struct {
	SubtotalMinor int64
	DiscountMinor int64
	ShippingMinor int64
	TaxMinor      int64
	// IncludedTaxMinor is that of the lines and of shipping.
	IncludedTaxMinor int64
	TotalMinor       int64
}

// AllTax is the tax that is paid, added or included. Both are parts of the total, so it is
// no larger.
func (s Sums) AllTax() int64 { return s.TaxMinor + s.IncludedTaxMinor }

// ShownTax is shipping and tax as people read them: shipping as the store entered it, and all tax
// that is added on one line. The order's row keeps the tax on shipping within shipping, where it is
// the only tax that is included while that of the goods is added.
func ShownTax(shipping, tax, included int64) (shownShipping, shownTax, shownIncluded int64) {
	if tax == 0 || included > shipping {
		return shipping, tax, included
	}
	return shipping - included, tax + included, 0
}

// Result is what a cart costs.
type Result struct {
	Sums
	// Lines are in the order of the cart's.
	Lines []Amounts
	// Rate is what the destination taxes; nil where it taxes nothing.
	Rate *TaxRate
	// Discounted says that the cart meets the terms of its discount, also where that takes
	// nothing off.
	Discounted bool
	Freight    Freight
}

// Freight is what shipping is about: the goods that travel, and what that costs.
type Freight struct {
	// Needed says that something has to be shipped.
	Needed bool
	// WeightGrams and GoodsMinor are those of all goods that travel; of these after the
	// discount. They decide which rates are offered.
	WeightGrams int64
	GoodsMinor  int64
	// PriceMinor is the rate's price as the store set it, TaxMinor the tax on it, which is
	// added or included as with goods. What is paid is [Sums].ShippingMinor.
	PriceMinor int64
	TaxMinor   int64
}

// Compute returns what a cart costs.
func Compute(c Cart) (*Result, error) {
	if err := c.judge(); err != nil {
		return nil, err
	}
	r := &Result{Lines: make([]Amounts, len(c.Lines)), Rate: c.Tax.At(c.To)}
	for i, l := range c.Lines {
		gross, ok := currency.Mul(l.Quantity, l.UnitMinor)
		if !ok {
			return nil, ErrLineTooLarge
		}
		r.Lines[i].SubtotalMinor = gross
	}
	if err := r.takeOff(c); err != nil {
		return nil, err
	}
	for i, l := range c.Lines {
		if a := &r.Lines[i]; r.Rate != nil && !l.Untaxed {
			a.TaxMinor, a.IncludedTaxMinor = c.Tax.on(a.SubtotalMinor-a.DiscountMinor, r.Rate)
		}
	}
	if err := r.ship(c); err != nil {
		return nil, err
	}
	sums, ok := add(r.Lines, r.ShippingMinor)
	if !ok {
		return nil, ErrTooLarge
	}
	r.Sums = sums
	r.IncludedTaxMinor += r.Freight.TaxMinor
	return r, nil
}

// judge refuses numbers that no cart has.
func (c Cart) judge() error {
	for _, l := range c.Lines {
		if l.Quantity < 1 || !amounts(l.UnitMinor, l.WeightGrams) {
			return ErrInput
		}
	}
	for _, t := range c.Tax.Rates {
		if !share(t.BasisPoints) {
			return ErrInput
		}
	}
	if d := c.Discount; d != nil && (!share(d.BasisPoints) || !amounts(d.AmountMinor, d.LeastMinor)) {
		return ErrInput
	}
	if s := c.Shipping; s != nil && !amounts(s.PriceMinor) {
		return ErrInput
	}
	return nil
}

// amounts reports whether all numbers may be amounts.
func amounts(all ...int64) bool {
	for _, n := range all {
		if n < 0 || n > currency.MaxMinor {
			return false
		}
	}
	return true
}

// share reports whether basis points are a part of a whole.
func share(points int64) bool { return points >= 0 && points <= Whole }

// Given is a line whose discount and tax somebody else decided.
type Given struct{ UnitMinor, Quantity, DiscountMinor, TaxMinor int64 }

// cost is about what a line costs, also where no amount can hold it.
func (l Line) cost() float64 { return float64(l.UnitMinor) * float64(l.Quantity) }

func (g Given) cost() float64 {
	return float64(g.UnitMinor)*float64(g.Quantity) - float64(g.DiscountMinor) + float64(g.TaxMinor)
}

// Dearest returns the index of the line that costs most: the one to lower where a sum is above the
// largest amount.
func Dearest[L interface{ cost() float64 }](lines []L) (at int) {
	for i, l := range lines {
		if l.cost() > lines[at].cost() {
			at = i
		}
	}
	return at
}

// Sum adds up lines whose discount and tax are given, such as those of an order that is
// imported. It refuses a discount above the line's price.
func Sum(lines []Given, shipping int64) (*Result, error) {
	r := &Result{Lines: make([]Amounts, len(lines))}
	for i, l := range lines {
		if l.Quantity < 1 || !amounts(l.UnitMinor, l.DiscountMinor, l.TaxMinor) {
			return nil, ErrInput
		}
		gross, ok := currency.Mul(l.Quantity, l.UnitMinor)
		switch {
		case !ok:
			return nil, ErrLineTooLarge
		case l.DiscountMinor > gross:
			return nil, ErrInput
		}
		r.Lines[i] = Amounts{SubtotalMinor: gross, DiscountMinor: l.DiscountMinor, TaxMinor: l.TaxMinor}
	}
	if !amounts(shipping) {
		return nil, ErrInput
	}
	var ok bool
	if r.Sums, ok = add(r.Lines, shipping); !ok {
		return nil, ErrTooLarge
	}
	return r, nil
}

// add completes the lines with their totals and sums them up: the equation, and the only
// place that has it.
func add(lines []Amounts, shipping int64) (s Sums, ok bool) {
	ok = true
	plus := func(a, b int64) (sum int64) {
		if ok {
			sum, ok = currency.Add(a, b)
		}
		return sum
	}
	s.ShippingMinor = shipping
	for i := range lines {
		l := &lines[i]
		l.TotalMinor = plus(l.SubtotalMinor-l.DiscountMinor, l.TaxMinor)
		s.SubtotalMinor = plus(s.SubtotalMinor, l.SubtotalMinor)
		s.DiscountMinor = plus(s.DiscountMinor, l.DiscountMinor)
		s.TaxMinor = plus(s.TaxMinor, l.TaxMinor)
		s.IncludedTaxMinor = plus(s.IncludedTaxMinor, l.IncludedTaxMinor)
	}
	s.TotalMinor = plus(plus(s.SubtotalMinor-s.DiscountMinor, s.ShippingMinor), s.TaxMinor)
	return s, ok
}
