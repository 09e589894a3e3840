package report

import (
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/paper"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// sale is an order divided into its items: the lines and, last, shipping. They add up to its total.
type sale struct {
	*db.Order
	items          []item
	country, place string
	// bill and credits are what the invoice and the credit notes of the order say about its taxes.
	bill    *document.InvoiceFields
	credits []*document.InvoiceFields
	named   bool // whether the order names its taxes
}

// item is a part of an order, with what was refunded of it so far.
type item struct {
	line          *db.OrderLine // nil for shipping
	gross         int64         // with all tax
	back, backQty int64
}

// taxAmount is what an invoice or a credit note says about one tax.
type taxAmount struct {
	taxKey
	base, tax int64
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
	s.named = len(taxes) > 0
	s.bill, err = paper.Compose(paper.Issuer{Language: state.English}, o, lines)
	return s, err
}

// taxes returns the amounts of an invoice or a credit note by tax. Amounts without a tax have the reason.
func (s *sale) taxes(f *document.InvoiceFields) (list []taxAmount) {
	for _, g := range f.Groups {
		if len(g.Taxes) == 0 {
			list = append(list, taxAmount{s.key("", "", s.untaxed()), g.NetMinor, 0})
		}
		for _, t := range g.Taxes {
			key := s.key(t.Name, t.Rate, model.ReportTaxTreatmentTaxed)
			switch {
			case !s.named:
				key.name, key.rate = "", ""
			case t.Rate == "0":
				key.treatment = model.ReportTaxTreatmentZeroRated
			}
			list = append(list, taxAmount{key, t.BaseMinor, t.AmountMinor})
		}
	}
	return list
}

func (s *sale) key(name, rate string, treatment model.ReportTaxTreatment) taxKey {
	return taxKey{s.country, s.place, name, rate, treatment}
}

// untaxed returns why items bear no tax.
func (s *sale) untaxed() model.ReportTaxTreatment {
	switch {
	case s.TaxRelief == nil:
		return model.ReportTaxTreatmentUntaxed
	case *s.TaxRelief == state.TaxReverseCharge:
		return model.ReportTaxTreatmentReverseCharge
	}
	return model.ReportTaxTreatmentExempt
}

// counts reports whether an order is a sale: one that was canceled counts if anything was paid.
func counts(o *db.Order) bool { return o.Status != state.OrderCancelled || o.PaidMinor > 0 }

// unpaid returns what a canceled order was never paid. It counts as refunded on the day of the order.
func unpaid(o *db.Order) int64 {
	if o.Status != state.OrderCancelled {
		return 0
	}
	return o.TotalMinor - o.PaidMinor
}

// refund is a part of an order that was refunded.
type refund struct {
	parts []part
	taxes []taxAmount
}

// part is what a refund takes of an item.
type part struct {
	*item
	minor, quantity int64
}

// refund divides a refund: first the named units, as far as they are worth it, then the rest by what
// is left of each item. Its taxes are those of a credit note.
func (s *sale) refund(minor int64, lines []document.Line) (r refund) {
	earlier := map[string]int64{}
	for _, it := range s.items[:len(s.items)-1] {
		earlier[xid.OrderLine.Format(it.line.ID)] = it.backQty
	}
	credit := paper.Credit(paper.Issuer{}, "", s.bill, s.credits,
		paper.Refund{AmountMinor: minor, Lines: lines, Earlier: earlier})
	if credit != nil {
		s.credits = append(s.credits, credit)
		r.taxes = s.taxes(credit)
	}
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
	if sum > minor {
		worth = price.Spread(minor, worth)
	} else if minor > sum {
		left := make([]int64, len(s.items))
		total := int64(0)
		for i, it := range s.items {
			left[i] = it.gross - it.back - worth[i]
			total += left[i]
		}
		for i, more := range price.Spread(min(minor-sum, total), left) {
			worth[i] += more
		}
	}
	r.parts = s.take(worth, quantities)
	return r
}

// take takes amounts and quantities from the items.
func (s *sale) take(minor, quantities []int64) (parts []part) {
	for i := range s.items {
		it := &s.items[i]
		if minor[i] == 0 && quantities[i] == 0 {
			continue
		}
		parts = append(parts, part{it, minor[i], quantities[i]})
		it.back += minor[i]
		it.backQty += quantities[i]
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
