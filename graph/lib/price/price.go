package price

import (
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/xid"
)

// Errors of a cart.
var (
	// ErrLineTooLarge says that quantity · unit of a line exceeds the largest amount.
	ErrLineTooLarge = errors.New("a line's price is above the largest amount")
	// ErrTooLarge says that a sum exceeds the largest amount.
	ErrTooLarge = errors.New("a sum is above the largest amount")
	// ErrInput says that a number is invalid, such as a negative price.
	ErrInput = errors.New("not the numbers of a cart")
)

// Cart is everything that determines the price.
type Cart struct {
	Lines []Line
	// To is the destination. Without a country, nothing is taxed.
	To  Place
	Tax Tax
	// Discount is the cart's discount, nil for none.
	Discount *Discount
	// Shipping is the chosen rate, nil for none. [Rate.Fits] says whether it is available for the
	// cart.
	Shipping *Rate
}

// Line is a quantity of one item.
type Line struct {
	// UnitMinor is the price of one unit, with or without tax as [Tax] says.
	UnitMinor int64
	Quantity  int64
	// WeightGrams is the weight of one unit.
	WeightGrams int64
	// Category is the tax category; "" is [state.TaxStandard].
	Category string
	// Digital items are not shipped.
	Digital bool
	// Product and Collections are compared with those of discounts.
	Product     xid.ID
	Collections []xid.ID
}

// Amounts are what a line costs. Each is at least 0.
type Amounts struct {
	// UnitMinor is the price of one unit, which for a relieved buyer includes no tax.
	UnitMinor     int64
	SubtotalMinor int64 // quantity · unit
	DiscountMinor int64
	// TaxMinor is added, IncludedTaxMinor is part of the price.
	TaxMinor         int64
	IncludedTaxMinor int64
	TotalMinor       int64
	// Taxes are the parts of the tax, added or included.
	Taxes []TaxAmount
}

// Sums are the sums of an order, as stored in its row.
type Sums struct {
	SubtotalMinor int64
	DiscountMinor int64
	ShippingMinor int64
	TaxMinor      int64
	// IncludedTaxMinor is the included tax of the lines and of shipping.
	IncludedTaxMinor int64
	TotalMinor       int64
}

// AllTax returns all tax, added and included. Both are parts of the total, so the sum does not
// exceed it.
func (s Sums) AllTax() int64 { return s.TaxMinor + s.IncludedTaxMinor }

// ShownTax returns shipping and tax for display: shipping as the store entered it, and all added
// tax in one sum. The order's row has the tax on shipping within shipping, where it is the only
// included tax if the tax on items is added.
func ShownTax(shipping, tax, included int64) (shownShipping, shownTax, shownIncluded int64) {
	if tax == 0 || included > shipping {
		return shipping, tax, included
	}
	return shipping - included, tax + included, 0
}

// Result is what a cart costs.
type Result struct {
	Sums
	// Lines are in the order of the cart's lines.
	Lines []Amounts
	// Taxes are the taxes of all lines and of shipping, one for each name and rate, in the order of
	// their first use.
	Taxes []TaxSum
	// Discounted says that the cart meets the terms of its discount, even if that takes nothing
	// off.
	Discounted bool
	Freight    Freight
}

// Freight describes the items to ship and the cost of shipping.
type Freight struct {
	// Needed says that something has to be shipped.
	Needed bool
	// WeightGrams and ItemsMinor are the weight and the worth, after the discount, of all items to
	// ship. They determine the available rates.
	WeightGrams int64
	ItemsMinor  int64
	// PriceMinor is the price of the rate as the store set it, TaxMinor its tax, added or included
	// as for items. What is paid is [Sums].ShippingMinor.
	PriceMinor int64
	TaxMinor   int64
	Taxes      []TaxAmount
}

// Compute returns what a cart costs.
func Compute(c Cart) (*Result, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Tax.Relieved {
		c = c.relieved()
	}
	r := &Result{Lines: make([]Amounts, len(c.Lines))}
	for i, l := range c.Lines {
		r.Lines[i].UnitMinor = l.UnitMinor
		gross, ok := currency.Mul(l.Quantity, l.UnitMinor)
		if !ok {
			return nil, ErrLineTooLarge
		}
		r.Lines[i].SubtotalMinor = gross
	}
	if err := r.takeOff(c); err != nil {
		return nil, err
	}
	if err := r.tax(c); err != nil {
		return nil, err
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
	r.sumTaxes()
	return r, nil
}

// tax computes the taxes of the lines.
func (r *Result) tax(c Cart) error {
	at := c.Tax.in(c.To)
	for i, l := range c.Lines {
		a := &r.Lines[i]
		list, sum, ok := c.Tax.on(a.SubtotalMinor-a.DiscountMinor, at(l.Category))
		if !ok {
			return ErrTooLarge
		}
		a.Taxes = list
		if c.Tax.Included {
			a.IncludedTaxMinor = sum
		} else {
			a.TaxMinor = sum
		}
	}
	return nil
}

// sumTaxes sums up the taxes by name and rate. The sums are parts of the order's own.
func (r *Result) sumTaxes() {
	for i, l := range r.Lines {
		r.addTaxes(i, l.Taxes)
	}
	r.addTaxes(Shipped, r.Freight.Taxes)
}

func (r *Result) addTaxes(line int, list []TaxAmount) {
	for _, t := range list {
		at := slices.IndexFunc(r.Taxes, func(o TaxSum) bool { return o.Name == t.Name && o.PerMillion == t.PerMillion })
		if at < 0 {
			at = len(r.Taxes)
			r.Taxes = append(r.Taxes, TaxSum{TaxAmount: TaxAmount{Name: t.Name, PerMillion: t.PerMillion}})
		}
		sum := &r.Taxes[at]
		sum.BaseMinor += t.BaseMinor
		sum.AmountMinor += t.AmountMinor
		sum.Parts = append(sum.Parts, TaxPart{line, t.BaseMinor, t.AmountMinor})
	}
}

// validate returns an error if the cart has invalid numbers.
func (c Cart) validate() error {
	for _, l := range c.Lines {
		if l.Quantity < 1 || !amounts(l.UnitMinor, l.WeightGrams) {
			return ErrInput
		}
	}
	for _, t := range c.Tax.Rates {
		if t.PerMillion < 0 || t.PerMillion > Million {
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

// amounts reports whether all numbers are valid amounts.
func amounts(all ...int64) bool {
	for _, n := range all {
		if n < 0 || n > currency.MaxMinor {
			return false
		}
	}
	return true
}

// share reports whether basis points are between 0 and [Whole].
func share(points int64) bool { return points >= 0 && points <= Whole }

// Given is a line whose discount and tax are given.
type Given struct{ UnitMinor, Quantity, DiscountMinor, TaxMinor int64 }

// cost is the approximate cost of a line, even if it exceeds the largest amount.
func (l Line) cost() float64 { return float64(l.UnitMinor) * float64(l.Quantity) }

func (g Given) cost() float64 {
	return float64(g.UnitMinor)*float64(g.Quantity) - float64(g.DiscountMinor) + float64(g.TaxMinor)
}

// MostExpensive returns the index of the most expensive line: the one to name when a sum exceeds the
// largest amount.
func MostExpensive[L interface{ cost() float64 }](lines []L) (at int) {
	for i, l := range lines {
		if l.cost() > lines[at].cost() {
			at = i
		}
	}
	return at
}

// Sum adds up lines with given discount and tax, such as those of an imported order. It fails if a
// discount exceeds the line's price.
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

// add sets the totals of the lines and sums them up. It is the only place that implements the
// equation.
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
