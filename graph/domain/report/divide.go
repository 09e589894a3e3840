package report

import (
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// sale is an order divided into its items: the lines and, last, shipping. They add up to its total.
type sale struct {
	*db.Order
	items          []item
	country, place string
}

// item is a part of an order, with what was refunded of it so far.
type item struct {
	line          *db.OrderLine // nil for shipping
	gross         int64         // with all tax
	back, backQty int64
	taxes         []itemTax
}

type itemTax struct {
	taxKey
	base, amount int64
}

// taxKey identifies a row of the report of taxes.
type taxKey struct {
	country, region, name, rate string
	treatment                   model.ReportTaxTreatment
}

// newSale divides an order.
func newSale(o *db.Order, lines []*db.OrderLine) (*sale, error) {
	s := &sale{Order: o}
	to, err := o.ShippingAddress.Fields()
	if err == nil && to == nil {
		to, err = o.BillingAddress.Fields()
	}
	if err != nil {
		return nil, err
	}
	if to != nil {
		s.country = to.Country
		if to.Region != nil {
			region, _ := country.Find(to.Country, *to.Region)
			s.place = region.Code
		}
	}
	for _, l := range lines {
		s.items = append(s.items, item{line: l, gross: l.TotalMinor})
	}
	s.items = append(s.items, item{gross: o.ShippingMinor})
	taxes, err := o.Taxes.List()
	if err != nil {
		return nil, err
	}
	if len(taxes) > 0 {
		s.knownTaxes(taxes)
	} else {
		s.otherTaxes()
	}
	s.untaxed()
	return s, nil
}

func (s *sale) key(name, rate string, treatment model.ReportTaxTreatment) taxKey {
	return taxKey{s.country, s.place, name, rate, treatment}
}

// knownTaxes gives the items their parts of the order's taxes.
func (s *sale) knownTaxes(taxes []document.OrderTax) {
	at := map[string]int{"": len(s.items) - 1}
	for i, it := range s.items[:len(s.items)-1] {
		at[xid.OrderLine.Format(it.line.ID)] = i
	}
	for _, t := range taxes {
		key := s.key(t.Name, t.Rate, model.ReportTaxTreatmentTaxed)
		if t.Rate == "0" {
			key.treatment = model.ReportTaxTreatmentZeroRated
		}
		for _, p := range t.Lines {
			id := ""
			if p.LineID != nil {
				id = *p.LineID
			}
			if i, ok := at[id]; ok {
				s.items[i].taxes = append(s.items[i].taxes, itemTax{key, p.BaseMinor, p.AmountMinor})
			}
		}
	}
}

// otherTaxes gives the items the tax that the order came with, whose name and rate are not known.
func (s *sale) otherTaxes() {
	amounts := make([]int64, len(s.items))
	if s.IncludedTaxMinor != nil {
		weights := make([]int64, len(s.items))
		for i, it := range s.items {
			weights[i] = it.gross
		}
		amounts = price.Spread(*s.IncludedTaxMinor, weights)
	}
	for i := range s.items {
		it := &s.items[i]
		if it.line != nil {
			amounts[i] += it.line.TaxMinor
		}
		if amounts[i] > 0 {
			it.taxes = []itemTax{{s.key("", "", model.ReportTaxTreatmentTaxed), it.gross - amounts[i], amounts[i]}}
		}
	}
}

// untaxed gives items without tax the reason.
func (s *sale) untaxed() {
	key := s.key("", "", model.ReportTaxTreatmentUntaxed)
	if s.TaxRelief != nil {
		key.treatment = model.ReportTaxTreatmentExempt
		if *s.TaxRelief == state.TaxReverseCharge {
			key.treatment = model.ReportTaxTreatmentReverseCharge
		}
	}
	for i := range s.items {
		if it := &s.items[i]; len(it.taxes) == 0 && it.gross > 0 {
			it.taxes = []itemTax{{key, it.gross, 0}}
		}
	}
}

// counts reports whether an order is a sale: one that was canceled counts if anything was paid.
func counts(o *db.Order) bool { return o.Status != state.OrderCancelled || o.PaidMinor > 0 }

// unpaid returns what a canceled order was never paid. It counts as refunded at once.
func unpaid(o *db.Order) int64 {
	if o.Status != state.OrderCancelled {
		return 0
	}
	return o.TotalMinor - o.PaidMinor
}

// part is what a refund takes of an item.
type part struct {
	*item
	minor, quantity int64
	taxes           []itemTax
}

// refund divides a refund: first the named units, as far as they are worth it, then the rest by what
// is left of each item. The tax follows the item: when all of it is refunded, so is all its tax.
func (s *sale) refund(amount int64, lines []document.Line) []part {
	worth, quantities, sum := make([]int64, len(s.items)), make([]int64, len(s.items)), int64(0)
	for _, named := range lines {
		for i := range s.items {
			it := &s.items[i]
			if it.line == nil || xid.OrderLine.Format(it.line.ID) != named.LineID {
				continue
			}
			quantities[i] += named.Quantity
			value := price.Refund(it.gross, it.line.Quantity, it.backQty, named.Quantity)
			worth[i] = min(value, it.gross-it.back)
			sum += worth[i]
		}
	}
	if sum > amount {
		worth = price.Spread(amount, worth)
	} else if amount > sum {
		left := make([]int64, len(s.items))
		total := int64(0)
		for i, it := range s.items {
			left[i] = it.gross - it.back - worth[i]
			total += left[i]
		}
		for i, more := range price.Spread(min(amount-sum, total), left) {
			worth[i] += more
		}
	}
	return s.take(worth, quantities)
}

// take takes amounts and quantities from the items.
func (s *sale) take(minor, quantities []int64) (parts []part) {
	for i := range s.items {
		it := &s.items[i]
		if minor[i] == 0 && quantities[i] == 0 {
			continue
		}
		p := part{item: it, minor: minor[i], quantity: quantities[i]}
		for _, t := range it.taxes {
			p.taxes = append(p.taxes, itemTax{t.taxKey, price.Refund(t.base, it.gross, it.back, minor[i]),
				price.Refund(t.amount, it.gross, it.back, minor[i])})
		}
		it.back += minor[i]
		it.backQty += quantities[i]
		parts = append(parts, p)
	}
	return parts
}

// sum adds up amounts and remembers whether a sum is too large.
type sum struct{ large bool }

func (s *sum) add(to *int64, n int64) {
	if *to += n; *to > currency.MaxMinor {
		*to, s.large = currency.MaxMinor, true
	}
}
