package variants

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
)

// ReferencePeriod is how long before a reduction began the lowest price counts that is shown beside
// it (Directive 98/6/EC, article 6a).
const ReferencePeriod = 30 * 24 * time.Hour

// Price is what shoppers pay, and what they see beside it.
type Price = document.PriceStep

// PriceAt returns the price of a variant at a time. Everything that shows or charges a price calls
// it, or [LowestAt].
func PriceAt(v *db.Variant, at micros.Time) Price { return stepAt(Steps(v), at) }

// LowestAt returns the lowest price of a product at a time. It needs no variants.
func LowestAt(p *db.Product, at micros.Time) Price { return stepAt(lowest(p), at) }

// NextPrice returns when the price of a product changes next because its sale begins or ends;
// [micros.Max] if it does not.
func NextPrice(p *db.Product, after micros.Time) micros.Time {
	for _, s := range lowest(p) {
		if at := micros.Time(s.From); at > after {
			return at
		}
	}
	return micros.Max
}

// Steps returns the prices of a variant in the order of their times, at least one.
func Steps(v *db.Variant) []Price {
	return stepsOf(v.Prices, Price{PriceMinor: v.PriceMinor, CompareAtMinor: v.CompareAtPriceMinor})
}

func lowest(p *db.Product) []Price {
	return stepsOf(p.Prices, Price{PriceMinor: p.PriceMinor, CompareAtMinor: p.CompareAtPriceMinor,
		HighestMinor: p.MaxPriceMinor})
}

// stepsOf decodes steps. Without any, which includes bytes that are none, the columns apply.
func stepsOf(prices document.Prices, columns Price) []Price {
	if len(prices) > 0 {
		if steps, err := prices.List(); err == nil && len(steps) > 0 {
			return steps
		}
	}
	return []Price{columns}
}

func stepAt(steps []Price, at micros.Time) Price {
	for _, s := range slices.Backward(steps) {
		if micros.Time(s.From) <= at {
			return s
		}
	}
	return steps[0]
}

// Terms decide what shoppers pay for a variant. A sale price that is not below the price has no
// effect.
type Terms struct {
	Offered            bool // the product is active
	PriceMinor         int64
	Compare, SaleMinor *int64
	Starts, Ends       *micros.Time // of the sale; nil is no bound
}

// TermsOf returns the terms of a variant of a product.
func TermsOf(p *db.Product, v *db.Variant) Terms {
	t := Terms{Offered: p.Status == state.ProductActive, PriceMinor: v.PriceMinor, Compare: v.CompareAtPriceMinor}
	if v.SalePriceMinor != nil {
		t.SaleMinor, t.Starts, t.Ends = v.SalePriceMinor, p.SaleStartsAt, p.SaleEndsAt
	}
	return t
}

// Equal reports whether shoppers pay the same under both.
func (t Terms) Equal(o Terms) bool {
	return t.Offered == o.Offered && t.PriceMinor == o.PriceMinor && same(t.Compare, o.Compare) &&
		same(t.SaleMinor, o.SaleMinor) && same(t.Starts, o.Starts) && same(t.Ends, o.Ends)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// sale returns when the sale price applies; never if starts is not before ends.
func (t Terms) sale() (starts, ends micros.Time) {
	if t.SaleMinor == nil || *t.SaleMinor >= t.PriceMinor {
		return 0, 0
	}
	if ends = micros.Max; t.Ends != nil {
		ends = *t.Ends
	}
	if t.Starts != nil {
		starts = *t.Starts
	}
	return starts, ends
}

// Steps returns what follows from the terms from a time on, without the lowest earlier prices.
func (t Terms) Steps(now micros.Time) []Price {
	usual := Price{PriceMinor: t.PriceMinor, CompareAtMinor: t.Compare}
	starts, ends := t.sale()
	if ends <= max(now, starts) {
		return []Price{usual}
	}
	sale := Price{PriceMinor: *t.SaleMinor, CompareAtMinor: t.Compare}
	if !usual.Reduced() {
		sale.CompareAtMinor = &t.PriceMinor
	}
	steps := []Price{sale}
	if starts > now {
		steps[0].From = int64(starts)
		steps = []Price{usual, steps[0]}
	}
	if ends < micros.Max {
		usual.From = int64(ends)
		steps = append(steps, usual)
	}
	return steps
}

// least returns the lowest price that shoppers paid between two times; nil if none did.
func (t Terms) least(from, to micros.Time) *int64 {
	starts, ends := t.sale()
	switch {
	case !t.Offered || from >= to:
		return nil
	case max(starts, from) < min(ends, to):
		return t.SaleMinor
	}
	return &t.PriceMinor
}

// Past are terms that ended, of a variant.
type Past struct {
	Terms
	Until micros.Time
}

// PastOf converts a row of the history.
func PastOf(c *db.PriceChange) Past {
	return Past{Terms{c.Offered, c.PriceMinor, c.CompareAtPriceMinor, c.SalePriceMinor, c.SaleStartsAt, c.SaleEndsAt},
		c.ID.Time()}
}

// Change is a change of the terms of a variant to those that apply from Now on.
type Change struct {
	Now   micros.Time
	Terms Terms
	// Was is what shoppers paid until now; nil if the variant was not offered.
	Was *Price
}

// Steps returns the prices from now on. past returns the terms that ended in the reference period,
// the oldest first, as far as they are known; it is called if a reduction begins. A reduction goes
// on while it is announced and the price does not rise; otherwise it begins anew.
func (c Change) Steps(past func() ([]Past, error)) ([]Price, error) {
	steps, was := c.Terms.Steps(c.Now), c.Was
	if !c.Terms.Offered {
		return steps, nil
	}
	for i := range steps {
		s := &steps[i]
		switch {
		case !s.Reduced():
		case was != nil && was.Reduced() && s.PriceMinor <= was.PriceMinor:
			s.LowestMinor = was.LowestMinor
		default:
			list, err := past()
			if err != nil {
				return nil, err
			}
			s.LowestMinor = c.lowestBefore(max(c.Now, micros.Time(s.From)), list)
		}
		was = s
	}
	return steps, nil
}

// lowestBefore returns the lowest price of the reference period that ends at a time; nil if none is
// known.
func (c Change) lowestBefore(end micros.Time, past []Past) (lowest *int64) {
	add := func(t Terms, from, to micros.Time) {
		if minor := t.least(from, min(to, end)); minor != nil && (lowest == nil || *minor < *lowest) {
			lowest = minor
		}
	}
	from := end.Add(-ReferencePeriod)
	for _, t := range past {
		add(t.Terms, from, t.Until)
		from = max(from, t.Until)
	}
	add(c.Terms, max(from, c.Now), end)
	return lowest
}

// Summarize returns the lowest prices of a product from the steps of all its variants.
func Summarize(all [][]Price) []Price {
	var moments []int64
	for _, steps := range all {
		for _, s := range steps {
			moments = append(moments, s.From)
		}
	}
	slices.Sort(moments)
	var sum []Price
	for _, from := range slices.Compact(moments) {
		least := stepAt(all[0], micros.Time(from))
		highest := least.PriceMinor
		for _, steps := range all[1:] {
			s := stepAt(steps, micros.Time(from))
			if s.PriceMinor < least.PriceMinor {
				least = s
			}
			highest = max(highest, s.PriceMinor)
		}
		if least.From = from; highest > least.PriceMinor {
			least.HighestMinor = &highest
		}
		sum = append(sum, least)
	}
	return sum
}

// Stored returns steps as a column: nil if they say no more than the columns beside it.
func Stored(steps []Price, columns Price) document.Prices {
	if one := steps[0]; len(steps) == 1 && one.LowestMinor == nil && one.PriceMinor == columns.PriceMinor &&
		same(one.CompareAtMinor, columns.CompareAtMinor) && same(one.HighestMinor, columns.HighestMinor) {
		return nil
	}
	return document.NewPrices(steps)
}
